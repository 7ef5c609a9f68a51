// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The name of a soup: any text that is not empty and holds none of `:`, `{`, `}` and control characters.
public struct SoupName: RawRepresentable, Sendable, Hashable, Comparable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as it was given, valid or not.
    public let rawValue: String

    /// Refuses nothing; a name that is not valid is refused when its soup is registered.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// For names from configurations and commands; checks nothing.
    public init(_ name: String) { self.rawValue = name }
    /// Lets code write `in: "contacts"`.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// The name alone, without the braces of Smart SQL.
    public var description: String { rawValue }
    /// Compares the texts; ``StoreReader/soupNames()`` gives this order.
    public static func < (left: SoupName, right: SoupName) -> Bool { left.rawValue < right.rawValue }

    /// Names are equal when their bytes are, as they are for SQLite: a composed letter is not a decomposed one.
    public static func == (left: SoupName, right: SoupName) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Whether a soup of this name can be registered and queried: Smart SQL has no escape for its own punctuation.
    public var isValid: Bool {
        !rawValue.isEmpty && !rawValue.unicodeScalars.contains { ":{}".unicodeScalars.contains($0) || $0.value < 0x20 }
    }
}

extension SoupName {
    /// The soups in which syncs keep their states, the creations that are on their way to the server, conflicts, which
    /// syncs brought an entry when there is more than one, and the ids of parents that the server replaced.
    ///
    /// No configuration may name them: a soup of an app would be taken for theirs.
    public static let reserved: Set<SoupName> = Set(purposes.keys)

    /// What syncs keep in the soup, in a few words; nil for the soups of apps.
    public var purpose: String? { Self.purposes[self] }

    private static let purposes: [SoupName: String] = [
        "syncs_soup": "the syncs and how they stand",
        "syncs_in_flight": "new records whose answer is awaited",
        "syncs_conflicts": "conflicts that are not settled",
        "syncs_owners": "which syncs brought an entry, when there are several",
        "syncs_replaced_ids": "ids of parents that the server replaced",
    ]
}

/// The fields that SoupKit itself keeps in entries.
public enum EntryField {
    /// The entry's id in its soup; on reading only, stored as a column.
    public static let entryId = "_soupEntryId"
    /// Milliseconds since 1970 of the last write; on reading only, stored as a column.
    public static let lastModified = "_soupLastModifiedDate"
    /// The creation time, in Smart SQL only.
    public static let created = "_soupCreatedDate"
    /// The whole entry, in Smart SQL only.
    public static let whole = "_soup"

    /// How well an entry fits a match query, as an order path of it only: the best come first in ascending order.
    public static let rank = "_soupRank"

    /// True when the entry has changes that the server has not.
    public static let local = "__local__"
    /// True when the server does not have the record yet.
    public static let locallyCreated = "__locally_created__"
    /// True when the record was edited here; one that was created here too is sent as a creation.
    public static let locallyUpdated = "__locally_updated__"
    /// True when the record is to be deleted on the server; until then its entry stays.
    public static let locallyDeleted = "__locally_deleted__"
    /// The four local flags, in the order in which they are written.
    public static let localFlags = [local, locallyCreated, locallyUpdated, locallyDeleted]
    /// The id of the sync down that wrote the entry last.
    public static let syncId = "__sync_id__"
    /// The JSON text of the error that the server gave when the entry was last pushed.
    public static let lastError = "__last_error__"
    /// Every member that SoupKit keeps in or beside an entry.
    public static let own = [entryId, lastModified, created, whole] + localFlags + [syncId, lastError]
}
