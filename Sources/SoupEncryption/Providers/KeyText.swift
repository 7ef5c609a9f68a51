// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import SoupCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The text form of a key: 32 bytes as 64 hexadecimal digits or in Base64.
enum KeyText {
    /// Returns the hexadecimal digits of a key.
    static func text(of key: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads a key; white space around it is ignored.
    ///
    /// - Parameter source: where the text is from, for errors, which never contain the text itself.
    /// - Throws: ``SoupError`` with `badSecret`.
    static func secret(_ text: String, from source: String) throws -> StoreSecret {
        let text = text.filter { !$0.isWhitespace }
        do {
            if text.utf8.count == 2 * StoreSecret.keyLength, let key = bytes(hexadecimal: text) {
                return try StoreSecret(key: key)
            }
            if let key = Data(base64Encoded: text) { return try StoreSecret(key: key) }
        } catch let error as SoupError {
            throw SoupError(.badSecret, "\(source): \(error.message)", hint: error.hint)
        }
        throw SoupError(
            .badSecret, "\(source): the text is not a key",
            hint: "Write 32 random bytes as 64 hexadecimal digits or in Base64; `openssl rand -hex 32` prints them.")
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let values = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == text.utf8.count else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

#endif
