// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The ids of records: a key prefix of three characters, an instance of three and a counter in base 62; in the long form
/// three more, which tell upper from lower case, so that the id survives systems that do not.
enum RecordID {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let checks = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ012345".utf8)

    /// The id of 18 characters of the record with this number.
    ///
    /// Greater numbers sort behind smaller ones.
    static func make(_ prefix: String, _ number: Int64) -> String {
        var bytes = Array(prefix.utf8) + Array(repeating: UInt8(ascii: "0"), count: 12)
        var rest = number
        var index = 14
        while rest > 0, index > 5 {
            bytes[index] = digits[Int(rest % 62)]
            rest /= 62
            index -= 1
        }
        return String(decoding: bytes + suffix(bytes), as: UTF8.self)
    }

    /// The three check characters: each tells which of five characters are upper case.
    private static func suffix(_ bytes: [UInt8]) -> [UInt8] {
        (0..<3).map { block in
            let bits = (0..<5).reduce(0) { isUpper(bytes[block * 5 + $1]) ? $0 | 1 << $1 : $0 }
            return checks[bits]
        }
    }

    /// The long form of an id of 15 or 18 characters.
    ///
    /// An id of 18 characters whose case was lost gets it back from its check characters.
    ///
    /// - Returns: nil for texts that cannot be an id.
    static func normalized(_ text: String) -> String? {
        var bytes = Array(text.utf8)
        guard bytes.count == 15 || bytes.count == 18, bytes.allSatisfy(isAlphanumeric) else { return nil }
        if bytes.count == 15 { return String(decoding: bytes + suffix(bytes), as: UTF8.self) }
        let given = bytes[15...].map { isLetter($0) ? $0 & 0xDF : $0 }
        bytes.removeLast(3)
        for block in 0..<3 {
            guard let bits = checks.firstIndex(of: given[block]) else { return nil }
            for place in 0..<5 {
                let index = block * 5 + place
                if bits & 1 << place != 0 {
                    guard isLetter(bytes[index]) else { return nil }
                    bytes[index] &= 0xDF
                } else if isLetter(bytes[index]) {
                    bytes[index] |= 0x20
                }
            }
        }
        return String(decoding: bytes + given, as: UTF8.self)
    }

    static func prefix(_ id: String) -> String { String(id.prefix(3)) }
    /// The form of 15 characters.
    static func short(_ id: String) -> String { String(id.prefix(15)) }

    private static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte >= UInt8(ascii: "A")
    }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isLetter(byte) || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
    }
}
