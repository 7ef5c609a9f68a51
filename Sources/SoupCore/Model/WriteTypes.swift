// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The way in which a written record finds the entry that it replaces.
public enum UpsertMatch: Sendable, Hashable {
    /// By `_soupEntryId` in the record. If it is absent or unknown in the soup, the record becomes a new entry.
    case entryId
    /// By the value at an indexed path.
    ///
    /// If no entry has the value, the record becomes a new entry. If several have it, the write throws
    /// ``SoupError/Code/notUnique``.
    case path(JSONPath)
}

/// The entries that a write does not change.
///
/// It is checked in the transaction of the write, on the entry's state at that time.
public enum WriteGuard: Sendable, Hashable {
    /// None: every record is written.
    case none
    /// Entries with local changes.
    case dirty
    /// Entries with local changes whose last write is at or after an instant, in milliseconds since 1970.
    case dirtySince(Int64)
}

/// The result for one record of an upsert.
public struct UpsertResult: Sendable, Hashable {
    /// The effect of a record on the soup.
    public enum Outcome: String, Sendable, Hashable {
        /// The record became a new entry.
        case inserted
        /// The record replaced the entry that it matched.
        case updated
        /// The entry already had these bytes; nothing was written and its last-modified date is unchanged.
        case unchanged
        /// The guard excluded the entry.
        case skipped
    }

    /// The effect; for ``Outcome/skipped`` the other members describe the existing entry.
    public let outcome: Outcome
    /// The `_soupEntryId` of the entry that was created, or that the record matched.
    public let id: Int64
    /// The version of the entry: the time of its last write in milliseconds since 1970, as stored.
    public let version: Int64
    /// The time of the entry's last write.
    public var lastModified: Date { Date(millisecondsSince1970: version) }
    /// Whether local changes of the entry were replaced; only set if a guard made the upsert check them.
    public let replacesLocalChanges: Bool

    /// Creates a result; backends create one for each record of a batch.
    public init(_ outcome: Outcome, id: Int64, version: Int64, replacesLocalChanges: Bool = false) {
        self.outcome = outcome
        self.id = id
        self.version = version
        self.replacesLocalChanges = replacesLocalChanges
    }
}

/// A change of members of an existing entry, whatever else it contains at that time.
public struct EntryStamp: Sendable, Hashable {
    /// The `_soupEntryId`; an entry that no longer exists is ignored.
    public var id: Int64
    /// The stamp to set if the entry's last write is still ``version``, or if that is nil.
    public var stamp: RecordBatch.Stamp
    /// The ``SoupEntry/version`` that the caller read.
    public var version: Int64?
    /// The stamp to set instead if the entry was written since.
    public var otherwise: RecordBatch.Stamp

    /// Creates a change; without a version, `stamp` is always set, and `otherwise` is not used.
    public init(
        id: Int64, stamp: RecordBatch.Stamp, ifVersion version: Int64? = nil, otherwise: RecordBatch.Stamp = .none
    ) {
        self.id = id
        self.stamp = stamp
        self.version = version
        self.otherwise = otherwise
    }
}

/// An entry to remove, and the version that the caller read.
public struct EntryRemoval: Sendable, Hashable {
    /// The `_soupEntryId`; an unknown one is ignored.
    public var id: Int64
    /// The ``SoupEntry/version`` that the caller read; if the entry was written since, it is not removed.
    ///
    /// Nil removes it in any case.
    public var version: Int64?

    /// Creates a removal; without a version, the entry is removed in any state.
    public init(id: Int64, ifVersion version: Int64? = nil) {
        self.id = id
        self.version = version
    }
}

/// One page of a query's result, of either kind, as a ``StoreReader`` returns it.
///
/// ``QuerySpec/yieldsEntries`` decides the kind. The methods of a store return a type for each kind.
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

    /// The entries of the page; empty for a page of rows.
    public var entries: [SoupEntry] { if case .entries(let entries) = self { entries } else { [] } }
    /// The rows of the page; empty for a page of entries.
    public var rows: [JSONText] { if case .rows(let rows) = self { rows } else { [] } }
    /// The number of entries or rows; if it is less than the page size, the page is the last one.
    public var count: Int {
        switch self {
        case .entries(let entries): entries.count
        case .rows(let rows): rows.count
        }
    }
}
