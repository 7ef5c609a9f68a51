// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What is known of record ids without asking the server.
public enum SalesforceID {
    /// The beginning of ids that the mobile SDKs give to records that the server does not have yet.
    public static let localPrefix = "local_"

    /// Whether a text is such a temporary id.
    public static func isLocal(_ id: String) -> Bool { id.hasPrefix(localPrefix) }

    /// Whether two ids mean the same record: equal, or the 15 and the 18 character form of one id.
    public static func same(_ left: String, _ right: String) -> Bool { left == right || key(left) == key(right) }

    /// What is equal for both forms of an id: the first 15 characters.
    ///
    /// A text of 18 characters whose last three are not the check of the others is its own key.
    static func key(_ id: String) -> String {
        let bytes = Array(id.utf8)
        guard bytes.count == 18, bytes[15...].elementsEqual(check(of: bytes[..<15])) else { return id }
        return String(decoding: bytes[..<15], as: UTF8.self)
    }

    /// The three characters that make an id of 15 safe where case does not count.
    ///
    /// Each stands for five characters: bit k is set where character k of the five is an upper-case letter.
    static func check(of id: ArraySlice<UInt8>) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ012345".utf8)
        return stride(from: id.startIndex, to: id.endIndex, by: 5).map { start in
            let bits = (0..<5).reduce(0) { bits, offset in
                let isUpper = start + offset < id.endIndex && (0x41...0x5A).contains(id[start + offset])
                return bits | (isUpper ? 1 << offset : 0)
            }
            return alphabet[bits]
        }
    }

    /// Finds texts in a list; in the field `Id` both forms of an id count as one.
    public struct Matcher: Sendable {
        private let isId: Bool
        private let byKey: [String: [String]]

        /// - Parameter field: the field that the texts are values of.
        public init(_ ids: [String], field: String) {
            let isId = field.lowercased() == "id"
            self.isId = isId
            byKey = Dictionary(grouping: ids) { isId ? SalesforceID.key($0) : $0 }
        }

        /// The texts of the list that mean the same as `id`.
        public func matches(_ id: String) -> [String] { byKey[isId ? SalesforceID.key(id) : id] ?? [] }
    }
}
