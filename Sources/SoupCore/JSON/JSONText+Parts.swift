// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONText {
    /// The members of an object as written, in order; nil for other values.
    ///
    /// Keys have their escapes resolved; a repeated key occurs twice. The values are slices of the same bytes, not
    /// decoded: a number has all its digits.
    public var members: [(key: String, value: JSONText)]? {
        guard bytes.first == UInt8(ascii: "{") else { return nil }
        var members: [(key: String, value: JSONText)] = []
        try? forEachPart(closing: UInt8(ascii: "}")) { span, position throws(JSONError) in
            let start = position
            _ = try JSONGrammar.skipKey(span, &position)
            let key = JSONText(trusted: slice(start..<position)).string ?? ""
            try JSONGrammar.skipColon(span, &position)
            members.append((key, try value(span, &position)))
        }
        return members
    }

    /// The elements of an array as written, in order; nil for other values.
    ///
    /// They are slices of the same bytes, not decoded.
    public var elements: [JSONText]? {
        guard bytes.first == UInt8(ascii: "[") else { return nil }
        var elements: [JSONText] = []
        try? forEachPart(closing: UInt8(ascii: "]")) { span, position throws(JSONError) in
            elements.append(try value(span, &position))
        }
        return elements
    }

    private func forEachPart(
        closing close: UInt8, _ body: (borrowing Span<UInt8>, inout Int) throws(JSONError) -> Void
    ) throws(JSONError) {
        let span = bytes.span
        var position = 0
        guard try JSONGrammar.openContainer(span, &position, depth: 0, close: close) else { return }
        repeat { try body(span, &position) } while try JSONGrammar.anotherFollows(span, &position, close: close)
    }

    private func value(_ span: borrowing Span<UInt8>, _ position: inout Int) throws(JSONError) -> JSONText {
        let start = position
        _ = try JSONGrammar.skipValue(span, &position, depth: 1)
        return JSONText(trusted: slice(start..<position))
    }

    private func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
    }
}
