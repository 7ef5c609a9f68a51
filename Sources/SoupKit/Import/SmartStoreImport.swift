// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupSQLite
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The result of an import of a SmartStore database.
public struct SmartStoreImport: Sendable, Hashable {
    /// The imported soups, in the order of their registration; `syncs_soup` contains the syncs.
    public var soups: [Soup]
    /// The entries that were left out because they cannot be read; see ``Options/skipsUnreadable``.
    public var leftOut: [MobileSDKDatabase.UnreadableEntry]

    /// The imported content of a soup.
    public struct Soup: Sendable, Hashable {
        /// The name.
        public var name: SoupName
        /// The number of imported entries.
        public var entries: Int
        /// The number of imported entries with local changes that were not sent yet.
        public var unsent: Int
        /// The number of entries that were left out.
        public var leftOut: Int
    }

    /// The options of an import; every member has a default.
    public struct Options: Sendable {
        /// The folder with the texts of soups with external storage; nil for the place where the mobile SDKs store it,
        /// beside the file.
        public var bodies: URL?
        /// The soups of the database that are not imported.
        public var excluded: Set<SoupName>
        /// Whether entries that cannot be read are left out; if false, such an entry is an error, and nothing is
        /// imported.
        public var skipsUnreadable: Bool
        /// Whether the database and the store are only checked, and nothing is written.
        public var isDryRun: Bool

        /// Creates options; omitted ones have their defaults.
        public init(
            bodies: URL? = nil, excluded: Set<SoupName> = [], skipsUnreadable: Bool = false, isDryRun: Bool = false
        ) {
            self.bodies = bodies
            self.excluded = excluded
            self.skipsUnreadable = skipsUnreadable
            self.isDryRun = isDryRun
        }
    }
}

extension SoupError.Code {
    /// An entry of the database to import cannot be read.
    public static let entryUnreadable: Self = "entryUnreadable"
}
