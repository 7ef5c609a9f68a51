// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONText {
    /// Makes something else of the value, from the inside out, in one walk over its bytes however deep it is.
    ///
    /// Keys come with their escapes resolved; one that is written twice comes twice.
    ///
    /// - Parameters:
    ///   - scalar: takes the text of a string, a number, a boolean or null.
    ///   - array: takes what was made of the elements, in order.
    ///   - object: takes what was made of the members, in order.
    /// - Returns: nil for bytes that are no JSON, or nested more than 512 levels deep.
    package func building<Part>(
        scalar: (JSONText) -> Part, array: ([Part]) -> Part, object: ([(key: String, value: Part)]) -> Part
    ) -> Part? {
        var position = 0
        return try? part(bytes.span, &position, depth: 0, scalar, array, object)
    }

    private func part<Part>(
        _ span: borrowing Span<UInt8>, _ position: inout Int, depth: Int, _ scalar: (JSONText) -> Part,
        _ array: ([Part]) -> Part, _ object: ([(key: String, value: Part)]) -> Part
    ) throws(JSONError) -> Part {
        let start = position
        switch position < span.count ? span[position] : 0 {
        case UInt8(ascii: "{"):
            var members: [(key: String, value: Part)] = []
            let close = UInt8(ascii: "}")
            guard try JSONGrammar.openContainer(span, &position, depth: depth, close: close) else { return object([]) }
            repeat {
                let start = position
                _ = try JSONGrammar.skipKey(span, &position)
                let key = text(start..<position).string ?? ""
                try JSONGrammar.skipColon(span, &position)
                members.append((key, try part(span, &position, depth: depth + 1, scalar, array, object)))
            } while try JSONGrammar.anotherFollows(span, &position, close: close)
            return object(members)
        case UInt8(ascii: "["):
            var elements: [Part] = []
            let close = UInt8(ascii: "]")
            guard try JSONGrammar.openContainer(span, &position, depth: depth, close: close) else { return array([]) }
            repeat {
                elements.append(try part(span, &position, depth: depth + 1, scalar, array, object))
            } while try JSONGrammar.anotherFollows(span, &position, close: close)
            return array(elements)
        default:
            _ = try JSONGrammar.skipValue(span, &position, depth: depth)
            return scalar(text(start..<position))
        }
    }

    private func text(_ range: Range<Int>) -> JSONText {
        JSONText(trusted: bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
    }
}
