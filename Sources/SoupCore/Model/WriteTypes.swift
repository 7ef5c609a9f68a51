// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// How a record that is written finds the entry that it replaces.
public enum UpsertMatch: Sendable, Hashable {
    /// By `_soupEntryId` in the record. Absent, or unknown to the soup: a new entry.
    case entryId
    /// By the value at an indexed path. No entry has it: a new entry. More than one: ``SoupError/Code/notUnique``.
    case path(JSONPath)
}

/// Which entries a write leaves alone.
///
/// It is checked in the transaction of the write, on the entry as it is then.
public enum WriteGuard: Sendable, Hashable {
    /// None: every record is written.
    case none
    /// Entries with local changes.
    case dirty
    /// Entries with local changes whose last write is at or after an instant, in milliseconds since 1970.
    case dirtySince(Int64)
}

/// What became of one record of an upsert.
public struct UpsertResult: Sendable, Hashable {
    /// What was done to the soup for a record.
    public enum Outcome: String, Sendable, Hashable {
        /// The record became a new entry.
        case inserted
        /// The record replaced the entry that it matched.
        case updated
        /// The entry held these very bytes already; nothing was written and its last-modified date stands.
        case unchanged
        /// The guard left the entry alone.
        case skipped
    }

    /// What was done; for ``Outcome/skipped`` the other members tell of the entry that stayed.
    public let outcome: Outcome
    /// The `_soupEntryId` of the entry that was made, or that the record matched.
    public let id: Int64
    /// The entry's last write, in milliseconds since 1970.
    public let lastModified: Int64
    /// Whether local changes of the entry were replaced, as far as the upsert was told to look at them by a guard.
    public let replacesLocalChanges: Bool

    /// Made by backends, one for each record of a batch.
    public init(_ outcome: Outcome, id: Int64, lastModified: Int64, replacesLocalChanges: Bool = false) {
        self.outcome = outcome
        self.id = id
        self.lastModified = lastModified
        self.replacesLocalChanges = replacesLocalChanges
    }
}

/// A change of members on an entry that is there, whatever else the entry holds by then.
public struct EntryStamp: Sendable, Hashable {
    /// The `_soupEntryId`; an entry that is gone is passed over.
    public var id: Int64
    /// What to stamp when the entry's last write is still ``version``, or when that is nil.
    public var stamp: Stamp
    /// The `lastModified` that the caller saw.
    public var version: Int64?
    /// What to stamp instead when the entry was written since.
    public var otherwise: Stamp

    /// Without a version, `stamp` is set on the entry whatever became of it, and `otherwise` is not used.
    public init(id: Int64, stamp: Stamp, ifVersion version: Int64? = nil, otherwise: Stamp = .none) {
        self.id = id
        self.stamp = stamp
        self.version = version
        self.otherwise = otherwise
    }
}

/// An entry to delete, and the state in which the caller saw it.
public struct EntryDeletion: Sendable, Hashable {
    /// The `_soupEntryId`; one that the soup does not have is no error.
    public var id: Int64
    /// The `lastModified` that the caller saw; the entry stays when it was written since.
    ///
    /// Nil deletes in any case.
    public var version: Int64?

    /// Without a version, the entry is deleted in whatever state it is.
    public init(id: Int64, ifVersion version: Int64? = nil) {
        self.id = id
        self.version = version
    }
}

/// One page of a query's result.
public enum QueryPage: Sendable, Hashable {
    /// Whole entries.
    case entries([SoupEntry])
    /// One JSON array a row: the values of the select paths or of the Smart SQL columns, in order.
    case rows([JSONText])

    /// The page as JSON texts: objects for entries, arrays for rows.
    public var texts: [JSONText] {
        switch self {
        case .entries(let entries): entries.map(\.json)
        case .rows(let rows): rows
        }
    }

    /// What a page of entries holds; empty for one of rows.
    public var entries: [SoupEntry] { if case .entries(let entries) = self { entries } else { [] } }
    /// What a page of rows holds; empty for one of entries.
    public var rows: [JSONText] { if case .rows(let rows) = self { rows } else { [] } }
    /// How many entries or rows there are; fewer than the page size mean that the page is the last.
    public var count: Int {
        switch self {
        case .entries(let entries): entries.count
        case .rows(let rows): rows.count
        }
    }
}
