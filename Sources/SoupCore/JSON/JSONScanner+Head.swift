// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
    /// Takes members from the beginning of an object, up to one of its members; the bytes from there on are not read.
    ///
    /// - Parameter member: a path of one key.
    /// - Returns: the fields in the order of the paths, `missing` for those that do not come before the member; nil if
    ///   the bytes are not an object, end too early, or have no such member.
    public static func head(_ bytes: [UInt8], before member: JSONPath, taking paths: [JSONPath]) -> [JSONField]? {
        let slice = bytes[...]
        return try? head(slice.span, JSONPathTree([member] + paths), count: paths.count)
    }

    private static func head(
        _ bytes: borrowing Span<UInt8>, _ tree: JSONPathTree, count: Int
    ) throws(JSONError) -> [JSONField]? {
        var result = JSONProjected()
        result.reset(count: count + 1)
        var position = 0
        JSONGrammar.skipWhitespace(bytes, &position)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{"),
            try JSONGrammar.openContainer(bytes, &position, depth: 0, close: UInt8(ascii: "}"))
        else { return nil }
        repeat {
            let keyStart = position
            let escaped = try JSONGrammar.skipKey(bytes, &position)
            let keyEnd = position - 1
            try JSONGrammar.skipColon(bytes, &position)
            let child = tree.child(of: 0, keyIn: bytes, from: keyStart + 1, to: keyEnd, escaped: escaped)
            if child < 0 {
                _ = try JSONGrammar.skipValue(bytes, &position, depth: 1)
            } else if tree.paths(endingAt: child).contains(0) {
                return Array(result.fields.dropFirst())
            } else {
                try projectMember(bytes, &position, keyStart: keyStart, at: child, of: tree, depth: 1, into: &result)
            }
        } while try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "}"))
        return nil
    }
}
