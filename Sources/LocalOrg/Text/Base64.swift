// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Bytes as text of 64 characters, in the alphabet of mail and in that of URLs.
enum Base64 {
    /// The bytes behind a text in either alphabet.
    ///
    /// Line breaks count for nothing, and the padding may be left out.
    ///
    /// - Returns: nil for a text that has other characters, or that ends within a byte.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var digits = text.utf8.filter { $0 != 0x0A && $0 != 0x0D }.map { digit in
            switch digit {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: digit
            }
        }
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }
}
