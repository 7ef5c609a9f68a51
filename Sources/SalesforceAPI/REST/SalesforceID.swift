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
    /// Other texts are their own key.
    static func key(_ id: String) -> String {
        let isAlphanumeric = id.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A)
        }
        return id.utf8.count == 18 && isAlphanumeric ? String(id.prefix(15)) : id
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
