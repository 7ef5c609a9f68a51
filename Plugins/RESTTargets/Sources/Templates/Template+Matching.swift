// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension Template {
    /// Returns the value of `{id}` in a path that has the form of the template.
    ///
    /// The path may have a prefix, such as that of a connection.
    ///
    /// - Returns: nil if the path has another form, or if the template does not contain `{id}` exactly once.
    func matchingId(in path: String) -> String? {
        guard variables == [.id], let position = parts.firstIndex(of: .variable(.id)) else { return nil }
        func text(_ parts: ArraySlice<Part>) -> String {
            parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
        }
        let (before, after) = (text(parts[..<position]), text(parts[(position + 1)...]))
        var rest = path[...]
        if !after.isEmpty, rest.hasSuffix(after) { rest = rest.dropLast(after.count) }
        guard let slash = rest.unicodeScalars.lastIndex(of: "/") else { return nil }
        let id = rest[rest.unicodeScalars.index(after: slash)...]
        guard rest[...slash].hasSuffix(before), !id.isEmpty else { return nil }
        return Self.decoded(id)
    }

    /// Returns the text without percent-encoding; nil if it is not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var output: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                output.append(byte)
                continue
            }
            let digits = String(decoding: bytes.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                return nil
            }
            output.append(value)
            bytes = bytes.dropFirst(2)
        }
        return String(validating: output, as: UTF8.self)
    }
}
