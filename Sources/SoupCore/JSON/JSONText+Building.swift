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
        scalar: @escaping (JSONText) -> Part, array: @escaping ([Part]) -> Part,
        object: @escaping ([(key: String, value: Part)]) -> Part
    ) -> Part? {
        var position = 0
        var builder = JSONBuilder(scalar: { _, range, _ in scalar(text(range)) }, array: array, object: object)
        guard (try? JSONGrammar.walk(bytes.span, &position, depth: 0, &builder)) != nil else { return nil }
        return builder.result
    }

    private func text(_ range: Range<Int>) -> JSONText {
        JSONText(trusted: bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
    }
}
