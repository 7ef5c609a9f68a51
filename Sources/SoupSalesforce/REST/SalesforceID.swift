// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Checks and comparisons of record IDs that need no request to the server.
public enum SalesforceID {
    /// Returns whether two IDs denote the same record: equal, or the 15 and the 18 character form of one ID.
    public static func same(_ left: String, _ right: String) -> Bool { left == right || key(left) == key(right) }

    /// Returns whether a text can be the ID of a record: 15 ASCII letters and digits, and for the long form three check
    /// characters.
    ///
    /// The API refuses a whole request for one ID of another form. Omit such IDs from requests and report each.
    public static func isPossible(_ id: String) -> Bool { longForm(of: id) != nil }

    /// Returns a key that is equal for both forms of an ID: the first 15 characters.
    ///
    /// A text of 18 characters whose last three do not match the others is its own key.
    static func key(_ id: String) -> String {
        let bytes = Array(id.utf8)
        guard bytes.count == 18, bytes[15...].elementsEqual(check(of: bytes[..<15])) else { return id }
        return String(decoding: bytes[..<15], as: UTF8.self)
    }

    /// Returns whether a text can be a value of an ID field: an ID in the field `Id`, and any text without control
    /// characters in other fields.
    public static func isPossible(_ text: String, in field: String) -> Bool {
        if field.lowercased() == "id" { return isPossible(text) }
        return !text.isEmpty && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    /// Returns the form of 18 characters of an ID of 15 or 18.
    ///
    /// If the case of an ID of 18 characters was lost, it is restored from its check characters.
    ///
    /// - Returns: nil for texts that cannot be an ID.
    public static func longForm(of id: String) -> String? {
        var bytes = Array(id.utf8)
        guard bytes.count == 15 || bytes.count == 18, hasIDCharacters(id) else { return nil }
        if bytes.count == 15 { return String(decoding: bytes + check(of: bytes), as: UTF8.self) }
        let given = bytes[15...].map { isLetter($0) ? $0 & 0xDF : $0 }
        bytes.removeLast(3)
        for index in bytes.indices {
            guard let bits = checks.firstIndex(of: given[index / 5]) else { return nil }
            if bits & 1 << (index % 5) != 0 {
                guard isLetter(bytes[index]) else { return nil }
                bytes[index] &= 0xDF
            } else if isLetter(bytes[index]) {
                bytes[index] |= 0x20
            }
        }
        return String(decoding: bytes + given, as: UTF8.self)
    }

    /// Returns the three check characters that make an ID of 15 safe where case is ignored.
    ///
    /// Each represents five characters: bit k is set if character k of the five is an upper-case letter.
    public static func check(of id: some RandomAccessCollection<UInt8>) -> [UInt8] {
        let upper = id.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return stride(from: 0, to: upper.count, by: 5).map { start in
            let bits = (0..<5).reduce(0) { bits, offset in
                start + offset < upper.count && upper[start + offset] ? bits | 1 << offset : bits
            }
            return checks[bits]
        }
    }

    private static let checks = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ012345".utf8)

    static func hasIDCharacters(_ id: String) -> Bool { id.utf8.allSatisfy { isLetter($0) || isDigit($0) } }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte >= UInt8(ascii: "A")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// A matcher that finds texts in a list; in the field `Id` both forms of an ID count as one.
    public struct Matcher: Sendable {
        private let isId: Bool
        private let byKey: [String: [String]]

        /// - Parameter field: the field that the texts are values of.
        public init(_ ids: [String], field: String) {
            let isId = field.lowercased() == "id"
            self.isId = isId
            byKey = Dictionary(grouping: ids) { isId ? SalesforceID.key($0) : $0 }
        }

        /// Returns the texts of the list that are equivalent to `id`.
        public func matches(_ id: String) -> [String] { byKey[isId ? SalesforceID.key(id) : id] ?? [] }
    }
}
