// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
    /// Follows the rest of every path below `node` through each element of the array at `start`, and keeps what is
    /// found as a new array (nesting kept, nothing found = missing).
    ///
    /// The array has been validated; this is the slow way, taken only when a path leads through an array.
    static func collectBelow(
        _ tree: JSONPathTree, _ node: Int, _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int,
        into result: inout JSONProjected
    ) throws(JSONError) {
        var pending: [(node: Int, keys: [[UInt8]])] = tree.nodes[node].children.map { ($0, [tree.key(of: $0)]) }
        while let (current, keys) = pending.popLast() {
            pending += tree.nodes[current].children.map { ($0, keys + [tree.key(of: $0)]) }
            for path in tree.paths(endingAt: current) where result.fields[path].isMissing {
                var text: [UInt8] = []
                var position = start
                guard try collect(keys[...], bytes, &position, into: &text) else { continue }
                result.fields[path] = JSONField(kind: .collected, start: result.collected.count, end: 0)
                result.collected.append(text)
            }
        }
    }

    /// Writes what `keys` lead to from the value at `position`, and steps over that value; false when it is missing.
    private static func collect(
        _ keys: ArraySlice<[UInt8]>, _ bytes: borrowing Span<UInt8>, _ position: inout Int, into text: inout [UInt8]
    ) throws(JSONError) -> Bool {
        let start = position
        guard let key = keys.first else {
            _ = try JSONGrammar.skipValue(bytes, &position, depth: 0)
            for index in start..<position { text.append(bytes[index]) }
            return true
        }
        switch bytes[position] {
        case UInt8(ascii: "["):
            return try collectElements(keys, bytes, &position, into: &text)
        case UInt8(ascii: "{"):
            guard try JSONGrammar.openContainer(bytes, &position, depth: 0, close: UInt8(ascii: "}")) else {
                return false
            }
            var found = false
            repeat {
                let keyStart = position + 1
                let escaped = try JSONGrammar.skipString(bytes, &position)
                let name = escaped ? JSONEscapes.unescape(bytes, keyStart..<position - 1) : nil
                let matches = name.map { $0 == key } ?? equal(bytes, keyStart, position - 1, key)
                try JSONGrammar.skipColon(bytes, &position)
                if matches && !found {
                    found = try collect(keys.dropFirst(), bytes, &position, into: &text)
                } else {
                    _ = try JSONGrammar.skipValue(bytes, &position, depth: 0)
                }
            } while try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "}"))
            return found
        default:
            _ = try JSONGrammar.skipValue(bytes, &position, depth: 0)
            return false
        }
    }

    private static func collectElements(
        _ keys: ArraySlice<[UInt8]>, _ bytes: borrowing Span<UInt8>, _ position: inout Int, into text: inout [UInt8]
    ) throws(JSONError) -> Bool {
        let mark = text.count
        text.append(UInt8(ascii: "["))
        var found = false
        if try JSONGrammar.openContainer(bytes, &position, depth: 0, close: UInt8(ascii: "]")) {
            repeat {
                let before = text.count
                if found { text.append(UInt8(ascii: ",")) }
                if try collect(keys, bytes, &position, into: &text) {
                    found = true
                } else {
                    text.removeLast(text.count - before)
                }
            } while try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "]"))
        }
        if found {
            text.append(UInt8(ascii: "]"))
        } else {
            text.removeLast(text.count - mark)
        }
        return found
    }

    private static func equal(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, _ key: [UInt8]) -> Bool {
        guard end - start == key.count else { return false }
        for index in 0..<key.count where bytes[start + index] != key[index] { return false }
        return true
    }
}
