// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A text as a part of a file name, such as an ID.
package enum FileNamePart {
    /// Returns a text of `a-z`, `0-9`, `-`, `_` and `%`: capital letters and other bytes are `%` and two digits.
    ///
    /// Different texts have different parts, also on a file system that ignores case.
    ///
    /// - Parameter keepsCapitals: whether capital letters stay, for a text that has only one spelling.
    package static func escaped(_ text: String, keepsCapitals: Bool = false) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                [byte]
            case UInt8(ascii: "A")...UInt8(ascii: "Z") where keepsCapitals: [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text of an ``escaped(_:keepsCapitals:)`` part; nil for a part that is not one.
    ///
    /// A caller that needs an exact part compares it with the part of the result.
    package static func unescaped(_ part: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(part.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
