// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONText {
    /// Converts the value part by part, from the inside out, in one walk over its bytes at any depth.
    ///
    /// Keys are passed with their escapes resolved; a repeated key is passed twice.
    ///
    /// - Parameters:
    ///   - scalar: converts the text of a string, a number, a boolean or null.
    ///   - array: converts the results of the elements, in order.
    ///   - object: converts the results of the members, in order.
    /// - Returns: nil for bytes that are not JSON, or are nested more than 512 levels deep.
    package func building<Part>(
        scalar: @escaping (JSONText) -> Part, array: @escaping ([Part]) -> Part,
        object: @escaping ([(key: String, value: Part)]) -> Part
    ) -> Part? {
        var position = 0
        var builder = JSONBuilder(scalar: { _, range, _ in scalar(text(range)) }, array: array, object: object)
        guard (try? JSONGrammar.walk(bytes.span, &position, depth: 0, with: &builder)) != nil else { return nil }
        return builder.result
    }

    private func text(_ range: Range<Int>) -> JSONText {
        JSONText(trusted: bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
    }
}
