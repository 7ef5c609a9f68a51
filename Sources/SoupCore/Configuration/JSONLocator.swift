// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Finds the places of values in a JSON text by their paths.
///
/// The text is read once, when the first place is asked for; it must be valid JSON.
struct JSONLocator {
    /// Offsets of values by path text, `syncs[3].target.query`; the whole value has the empty path.
    private let offsets: [String: Int]
    /// A key that its object contains more than once.
    struct RepeatedKey {
        var path: String
        /// The offset of the later key.
        var offset: Int
        /// The offset of the value that counts, which is the first.
        var firstOffset: Int
        /// Whether both values are equal as JSON.
        var isSameValue: Bool
    }

    /// The keys that are repeated, in the order of the text.
    let repeatedKeys: [RepeatedKey]

    init(_ bytes: [UInt8]) {
        var walk = Walk()
        walk.run(bytes)
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
    var repeatedKeys: [JSONLocator.RepeatedKey] = []
    private var position = 0
    private var bytes: [UInt8] = []

    mutating func run(_ bytes: [UInt8]) {
        self.bytes = bytes
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
        var values: [String: Range<Int>] = [:]
        repeat {
            let start = position
            _ = try JSONGrammar.skipKey(span, &position)
            let name = String(decoding: JSONEscapes.unescape(span, start + 1..<position - 1), as: UTF8.self)
            let member = path.isEmpty ? name : "\(path).\(name)"
            try JSONGrammar.skipColon(span, &position)
            let first = position
            if let known = values[name] {
                _ = try JSONGrammar.skipValue(span, &position, depth: depth + 1)
                repeatedKeys.append(
                    JSONLocator.RepeatedKey(
                        path: member, offset: start, firstOffset: known.lowerBound,
                        isSameValue: isSame(known, first..<position)))
            } else {
                try value(member, span, depth: depth + 1)
                values[name] = first..<position
            }
        } while try JSONGrammar.anotherFollows(span, &position, close: UInt8(ascii: "}"))
    }

    private func isSame(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        func value(_ range: Range<Int>) -> JSONValue? { try? JSONValue(parsing: Array(bytes[range])) }
        return bytes[one] == bytes[other] || value(one).map { $0 == value(other) } == true
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
