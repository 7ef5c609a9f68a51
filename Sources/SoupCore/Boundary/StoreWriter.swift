// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that writes to a store, inside one transaction.
///
/// Its reads see its own writes. If a writing method throws, the transaction fails: the write throws that error and
/// keeps nothing, even if its body caught the error and continued. An error of a reading method does not fail the
/// transaction.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol StoreWriter: StoreReader {
    /// The latest modification date that the transaction has assigned to an entry, in milliseconds since 1970.
    ///
    /// A store that composes others uses it, so that no two transactions have the same date. If no entry got a date, it
    /// is nil or an earlier date. The default returns nil, which is right for stores that are not
    /// ``StoreCapability/composable``.
    var lastDate: Int64? { get }

    /// Registers a soup; an existing soup is not changed, even if its specs differ.
    ///
    /// - Throws: `badSoupName`; `noIndexSpecs` and `badPath`, as ``IndexSpec/check(_:of:)`` does, which is called only
    ///   if the soup does not exist; `notSupported` for a kind of index that the backend does not have.
    func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws
    /// Removes a soup with all its entries; unknown soups are ignored.
    func removeSoup(_ soup: SoupName) throws
    /// Removes all entries; the IDs continue to count up.
    func clearSoup(_ soup: SoupName) throws

    /// Writes records: each replaces the entry that it matches, or creates a new one.
    ///
    /// System fields in a record are not stored. Local flags are stored as booleans, by ``JSONValue/isSetFlag``,
    /// whether they come from a record or from a stamp. A later record of the batch sees the earlier ones. A row whose
    /// bytes would not change is not written.
    ///
    /// A written entry gets the date of the transaction, which is later than all dates that earlier transactions of the
    /// open store assigned: the time of the clock, or one millisecond after the last date. If the entry already has
    /// this date or a later one, it gets one millisecond more than its own.
    ///
    /// - Parameters:
    ///   - stamp: set on every record; a record's own stamp (``RecordBatch/stamps``) is applied after it.
    ///   - guarding: selects the entries that are not changed, by their state in this transaction.
    /// - Returns: one result for each record, in order.
    /// - Throws: `badPath` for an invalid path; `json`, `externalIdMissing` (also for null), `indexNotDefined`,
    ///   `notUnique`, with the record's position.
    func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
        guarding: WriteGuard
    ) throws -> [UpsertResult]

    /// Stores entries of another store as they are: with their IDs, dates and texts.
    ///
    /// An entry replaces the one with its ID, if there is one; the date of creation of a new entry is its
    /// ``SoupEntry/version``. Later writes assign IDs and dates that are greater than all restored ones. An entry that
    /// the call replaces keeps its synced copy while it has local changes; no copy is created. Requires
    /// ``StoreCapability/restoring``; the default throws `notSupported`.
    ///
    /// - Parameter entries: entries as another store returned them, with IDs from 1 on. The text of each is stored
    ///   byte for byte.
    /// - Throws: `json` for a text that is not a JSON object, with the position of its entry.
    func restore(_ entries: [SoupEntry], in soup: SoupName) throws

    /// Sets members on entries; unknown IDs are ignored.
    ///
    /// - Returns: for each, whether the entry still had the requested version (true if none was requested); false also
    ///   if the entry does not exist.
    func stamp(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool]

    /// Removes entries; unknown IDs are ignored.
    ///
    /// - Returns: the IDs that were removed.
    func remove(_ removals: [EntryRemoval], from soup: SoupName) throws -> [Int64]

    /// Removes the entries that a query finds, at most a page of them, as the mobile SDKs do.
    ///
    /// - Throws: `badQuerySpec` for a smart query that does not select `{soup:_soupEntryId}` as its first column.
    /// - Returns: the number of removed entries.
    func remove(matching spec: QuerySpec, from soup: SoupName) throws -> Int

    /// Replaces the synced copies of entries with local changes, by their IDs; other entries are ignored.
    ///
    /// The entries themselves and their dates do not change. A backend without ``StoreCapability/syncedCopies`` keeps
    /// no copies: the default does nothing.
    func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws
}

extension StoreWriter {
    /// Nil: for stores that are not composed.
    public var lastDate: Int64? { nil }

    /// Throws `notSupported`: for backends that assign all IDs and dates themselves.
    public func restore(_ entries: [SoupEntry], in soup: SoupName) throws {
        throw SoupError.unsupported("restore entries of another store")
    }

    /// Does nothing: for backends that store only the entries themselves.
    public func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws {}

    /// Writes records without a stamp over the entries that they match, dirty ones too.
    ///
    /// - Throws: the errors of ``upsert(_:into:matching:stamping:guarding:)``.
    /// - Returns: one result for each record, in order.
    @discardableResult
    public func upsert(_ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch = .entryId) throws
        -> [UpsertResult]
    {
        try upsert(batch, into: soup, matching: matching, stamping: .none, guarding: .none)
    }

    /// Removes entries in any state; unknown IDs are ignored.
    ///
    /// - Returns: the IDs that were removed.
    @discardableResult
    public func remove(_ ids: [Int64], from soup: SoupName) throws -> [Int64] {
        try remove(ids.map { EntryRemoval(id: $0) }, from: soup)
    }
}
