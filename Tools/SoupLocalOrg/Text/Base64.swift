// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Base64, in the standard alphabet and in that of URLs.
enum Base64 {
    /// Returns the number of bytes that a padded text encodes.
    static func byteCount(_ text: String) -> Int {
        text.utf8.count / 4 * 3 - text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
    }

    /// Encodes bytes in the standard alphabet.
    static func encoded(_ bytes: some Collection<UInt8>) -> String { Data(bytes).base64EncodedString() }

    /// Decodes a text in either alphabet.
    ///
    /// Line breaks are ignored, and the padding may be left out.
    ///
    /// - Returns: nil for a text with other characters, and for one that ends within a byte.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var digits = text.utf8.filter { $0 != 0x0A && $0 != 0x0D }.map { digit in
            switch digit {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: digit
            }
        }
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        // Foundation accepts padding anywhere.
        guard !digits.contains(UInt8(ascii: "=")) else { return nil }
        digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }
}
