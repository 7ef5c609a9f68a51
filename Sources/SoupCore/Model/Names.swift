// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The name of a soup: any text that is not empty and contains none of `:`, `{`, `}` and control characters.
public struct SoupName: RawRepresentable, Sendable, Hashable, Comparable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as it was given, valid or not.
    public let rawValue: String

    /// Creates a name without a check; an invalid name is refused when its soup is registered.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from a configuration or a command, without a check.
    public init(_ name: String) { self.rawValue = name }
    /// Creates a name from a literal, as in `in: "contacts"`.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// The name without the braces of Smart SQL.
    public var description: String { rawValue }
    /// Compares the texts; ``StoreReader/soupNames()`` uses this order.
    public static func < (left: SoupName, right: SoupName) -> Bool { left.rawValue < right.rawValue }

    /// Compares the bytes of the names, as SQLite does: a composed letter differs from a decomposed one.
    public static func == (left: SoupName, right: SoupName) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Whether a soup with this name can be registered and queried; Smart SQL cannot escape its own punctuation.
    public var isValid: Bool {
        !rawValue.isEmpty && !rawValue.unicodeScalars.contains { ":{}".unicodeScalars.contains($0) || $0.value < 0x20 }
    }
}

extension SoupName {
    /// The soups in which syncs store their data.
    ///
    /// The data are the states of the syncs, creations in flight, conflicts, the sync downs that own an entry if there
    /// are several, and the IDs of parents that the server replaced. No configuration may name these soups, because an
    /// app's soup would be mistaken for a sync's.
    public static let reserved: Set<SoupName> = Set(purposes.keys)

    /// A short description of the data that syncs store in the soup; nil for the soups of apps.
    public var purpose: String? { Self.purposes[self] }

    private static let purposes: [SoupName: String] = [
        "syncs_soup": "the syncs and their states",
        "syncs_in_flight": "creations whose response is pending",
        "syncs_conflicts": "unresolved conflicts",
        "syncs_owners": "the syncs that own an entry, if there are several",
        "syncs_generations": "the identities of the soups",
        "syncs_replaced_ids": "IDs of records that the server replaced",
        "syncs_api_usage": "used API requests at the limit",
    ]
}

/// The system fields that SoupKit stores in entries.
public enum EntryField {
    /// The entry's ID in its soup; only read, because it is stored as a column.
    public static let entryId = "_soupEntryId"
    /// The time of the last write in milliseconds since 1970; only read, because it is stored as a column.
    public static let lastModified = "_soupLastModifiedDate"
    /// The creation time, in Smart SQL only.
    public static let created = "_soupCreatedDate"
    /// The whole entry, in Smart SQL only.
    public static let whole = "_soup"

    /// The rank of an entry in a match query, only as its order path; ascending order returns the best matches first.
    public static let rank = "_soupRank"

    /// Whether the entry has changes that the server does not have.
    public static let local = "__local__"
    /// Whether the server does not have the record yet.
    public static let locallyCreated = "__locally_created__"
    /// Whether the record was edited locally; if it was also created locally, it is sent as a creation.
    public static let locallyUpdated = "__locally_updated__"
    /// Whether the record is to be deleted on the server; until then its entry stays.
    public static let locallyDeleted = "__locally_deleted__"
    /// The four local flags, in the order in which they are written.
    public static let localFlags = [local, locallyCreated, locallyUpdated, locallyDeleted]
    /// The ID of the sync down that wrote the entry last.
    public static let syncId = "__sync_id__"
    /// The JSON text of the server's error for the last push of the entry.
    public static let lastError = "__last_error__"
    /// All members that SoupKit stores in an entry or next to it.
    public static let own = [entryId, lastModified, created, whole] + localFlags + [syncId, lastError]
}
