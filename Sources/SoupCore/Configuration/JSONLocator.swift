// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Finds the places of values in a JSON text by their paths.
///
/// The text is read once, when the first place is asked for; it must be valid JSON.
struct JSONLocator {
    /// Offsets of values by path text, `syncs[3].target.query`; the whole value has the empty path.
    private let offsets: [String: Int]
    /// The paths of members whose key stands in its object more than once, with the offset of the later key.
    let repeatedKeys: [(path: String, offset: Int)]

    init(_ bytes: [UInt8]) {
        var walk = Walk()
        walk.run(bytes[...])
        offsets = walk.offsets
        repeatedKeys = walk.repeatedKeys
    }

    /// The offset of the value at `path`, or of the nearest value around it that exists.
    func offset(of path: String) -> Int {
        var path = path[...]
        while true {
            if let offset = offsets[String(path)] { return offset }
            guard let cut = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return offsets[""] ?? 0 }
            path = path[..<cut]
        }
    }
}

/// The walk over a valid text, noting where each value starts.
private struct Walk {
    var offsets: [String: Int] = [:]
    var repeatedKeys: [(path: String, offset: Int)] = []
    private var position = 0

    mutating func run(_ bytes: ArraySlice<UInt8>) {
        let span = bytes.span
        JSONGrammar.skipWhitespace(span, &position)
        try? value("", span, depth: 0)
    }

    private mutating func value(
        _ path: String, _ span: borrowing Span<UInt8>, depth: Int
    ) throws(JSONError) {
        // The first of several members of one name is the one that counts.
        if offsets[path] == nil { offsets[path] = position }
        guard position < span.count else { return }
        switch span[position] {
        case UInt8(ascii: "{"): try object(path, span, depth: depth)
        case UInt8(ascii: "["): try array(path, span, depth: depth)
        default: _ = try JSONGrammar.skipValue(span, &position, depth: depth)
        }
    }

    private mutating func object(
        _ path: String, _ span: borrowing Span<UInt8>, depth: Int
    ) throws(JSONError) {
        guard try JSONGrammar.openContainer(span, &position, depth: depth, close: UInt8(ascii: "}")) else { return }
        var keys: Set<String> = []
        repeat {
            let start = position
            _ = try JSONGrammar.skipKey(span, &position)
            let name = String(decoding: JSONEscapes.unescape(span, start + 1..<position - 1), as: UTF8.self)
            let member = path.isEmpty ? name : "\(path).\(name)"
            try JSONGrammar.skipColon(span, &position)
            if keys.insert(name).inserted {
                try value(member, span, depth: depth + 1)
            } else {
                repeatedKeys.append((member, start))
                _ = try JSONGrammar.skipValue(span, &position, depth: depth + 1)
            }
        } while try JSONGrammar.anotherFollows(span, &position, close: UInt8(ascii: "}"))
    }

    private mutating func array(
        _ path: String, _ span: borrowing Span<UInt8>, depth: Int
    ) throws(JSONError) {
        guard try JSONGrammar.openContainer(span, &position, depth: depth, close: UInt8(ascii: "]")) else { return }
        var index = 0
        repeat {
            try value("\(path)[\(index)]", span, depth: depth + 1)
            index += 1
        } while try JSONGrammar.anotherFollows(span, &position, close: UInt8(ascii: "]"))
    }
}
