// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that stores soups: the boundary that a store backend implements.
///
/// A backend stores soups of JSON entries and answers queries over them. It opens from its own configuration, which the
/// store configuration contains as `"backend": {"type": "sqlite", ...}`. The doc comments here are the contract. The
/// module `SoupConformance` runs data cases against it; `Plugins/SoupMemory` is an implementation to read, and
/// `Tests/SoupBackendTests` compares two.
///
/// Guarantees of a backend:
/// * ``write(_:)`` is one transaction: all of it is kept, or, if the body throws or the process ends, none of it.
/// * Writes are serial. Reads run concurrently on a snapshot, and see every write that has returned before.
/// * If ``StoreCapability/durable`` is claimed, the changes of a write that has returned survive the end of the
///   process.
/// * IDs of entries count up from 1 and are never reused, not even after a delete, a clear or a crash.
/// * If the task is cancelled while it waits for access, `CancellationError` is thrown. The body of a write that has
///   begun is not interrupted. The body of a read is interrupted by the same error, at its next query or during one.
public protocol StoreBackend: Sendable {
    /// The type that the `backend` object of a store configuration is decoded to.
    ///
    /// It ignores unknown keys, `type` among them.
    associatedtype Configuration: Decodable & Sendable

    /// The name in store configurations: `sqlite`.
    static var name: PluginName { get }

    /// Opens the store, creates it if it does not exist, and completes work that a crash interrupted.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if the file is locked, foreign, truncated or not writable. It never
    ///   replaces a store that it cannot read.
    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> Self

    /// The capabilities of the backend beyond entries and plain queries.
    var capabilities: Set<StoreCapability> { get }

    /// Runs `body` in one transaction, and returns its result.
    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T

    /// Runs `body` on one snapshot, and returns its result.
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T

    /// Runs a short `body` on one snapshot, as ``read(_:)`` does, but possibly more than once.
    ///
    /// The body must only compute its result. A backend may run it on the calling thread, which is fast. If it then
    /// takes long, the backend may start it again on a thread where it blocks no other work. The default is
    /// ``read(_:)``.
    func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T

    /// Returns a stream with one element after every write that changes entries of one of the soups.
    ///
    /// It starts with the call and never fails. It ends when the task ends or the store is closed.
    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange>

    /// Replaces the index specs of a soup.
    ///
    /// Entries, IDs and dates stay. The indexes of specs that are in both lists stay too, whatever their position. A
    /// change that has begun is completed, by the next open if the process ends before. Until then all readers see the
    /// soup as it was. The default throws `notSupported`.
    ///
    /// - Parameter reIndex: whether new specs get their values from the entries. Without it, queries on their paths
    ///   find nothing before ``reIndexSoup(_:paths:)``, except for ``EntryField/own`` members, which are always
    ///   indexed: entries with local changes are known at any time.
    /// - Throws: `soupNotFound`; `noIndexSpecs` and `badPath`, as ``IndexSpec/check(_:of:)`` does; then nothing has
    ///   changed.
    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws

    /// Recomputes the index values of paths from the entries; paths that are not indexed are ignored.
    ///
    /// It is one transaction; dates stay. As for an alter, a change that has begun is completed. The default throws
    /// `notSupported`.
    ///
    /// - Throws: `soupNotFound`.
    func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws

    /// Returns the SQL for a Smart SQL text, for information; results are read with ``read(_:)``.
    ///
    /// Requires ``StoreCapability/sqlTables``; the default throws `notSupported`.
    ///
    /// - Throws: ``SoupError`` with `onlySelect`, `badReference` or `unknownSoup`, and its place in the text.
    func convert(_ smartSQL: String) async throws -> String

    /// Returns the sizes of the store, all from one snapshot; the default throws `notSupported`.
    func statistics() async throws -> StoreStatistics

    /// Returns unused space to the system.
    ///
    /// It waits for exclusive access like a write, and can take as long as rewriting the whole store. No data is lost
    /// if the process ends before it is complete. The default does nothing.
    func compact() async throws

    /// Moves committed data to its final place, unless reads in progress prevent that.
    ///
    /// The default does nothing.
    func checkpoint() async throws

    /// Releases all resources outside the process, such as files and locks, when the work in progress is done.
    ///
    /// Afterwards reads and writes throw `storeUnusable`, as ``SoupError/storeClosed``, and no changes are reported;
    /// closing again does nothing. A store that is not closed releases them some time after its last reference is gone.
    /// The default does nothing.
    func close() async throws

    /// Reports the beginning and the end of a long load.
    ///
    /// The backend may then trade the durability of single pages for speed, but never their atomicity. Loads overlap:
    /// loading is over when it was ended as often as it was begun. A call is carried out completely, even in a
    /// cancelled task. The default does nothing.
    func bulkLoad(_ active: Bool) async

    /// Claims the lease for syncing this store.
    ///
    /// At most one holder has it at a time, over all processes and all opened stores of the same data. It lasts until
    /// ``SyncLease/release()`` or the end of the process. This method never waits, and must be cheap. The
    /// default, for stores that only one manager opens, grants every claim; the suite of `SoupTesting` reports it.
    ///
    /// - Returns: the lease; nil while another holder has it.
    /// - Throws: ``SoupError`` with `storeUnusable` if the backend cannot determine whether it is free.
    func claimSyncs() async throws -> SyncLease?
}

extension StoreBackend {
    /// Runs the body once, with ``read(_:)``.
    public func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await read(body)
    }

    /// Throws `notSupported`: for stores whose soups keep the indexes of their registration.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        throw SoupError(.notSupported, "this store cannot alter soups")
    }

    /// Throws `notSupported`: for stores that cannot recompute index values.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        throw SoupError(.notSupported, "this store cannot re-index soups")
    }

    /// Throws `notSupported`: for stores that do not use SQL.
    public func convert(_ smartSQL: String) async throws -> String {
        throw SoupError(.notSupported, "this store cannot convert Smart SQL to SQL")
    }

    /// Throws `notSupported`: for stores that do not measure their size.
    public func statistics() async throws -> StoreStatistics {
        throw SoupError(.notSupported, "this store does not report statistics")
    }

    /// Does nothing: for stores that keep no unused space.
    public func compact() async throws {}

    /// Does nothing: for stores that write everything to its final place at once.
    public func checkpoint() async throws {}

    /// Does nothing: for stores without resources outside the process.
    public func close() async throws {}
    /// Ignores the hint.
    public func bulkLoad(_ active: Bool) async {}

    /// Grants every claim, which is correct only for a store that one manager opens.
    public func claimSyncs() async throws -> SyncLease? { SyncLease {} }
}

/// A change of soups, reported after the write that made it.
public struct StoreChange: Sendable, Hashable {
    /// The observed soups whose entries changed; never empty.
    public var soups: Set<SoupName>
    /// Creates a change; backends send one to each observer of one of the soups.
    public init(soups: Set<SoupName>) { self.soups = soups }
}

/// A type that reads a store, inside one snapshot.
///
/// For a soup that is not registered, every method throws `soupNotFound`, and a query throws `unknownSoup`.
public protocol StoreReader {
    /// Returns the names of all soups, sorted.
    func soupNames() throws -> [SoupName]
    /// Returns the index specs of a soup, in the order of registration.
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec]
    /// Returns the entries with these IDs, in the order of the IDs; unknown IDs are left out.
    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry]
    /// Returns the ID of the only entry with a value at an indexed path; nil for none, throws `notUnique` for several.
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64?
    /// Returns a page of a query; `arguments` replace each `?` of smart queries, and only there.
    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage
    /// Returns the page after a position, or the first page for nil.
    ///
    /// Rows have the order of the query. Entries with the same value are ordered by their IDs in the same direction;
    /// without an order path, rows are ordered by ID alone. The default only supports positions of whole pages, so a
    /// page costs more the later it is.
    ///
    /// - Throws: `badQuerySpec` for a position that this backend did not return for this query: see
    ///   ``QueryPosition/anchor(in:arguments:backend:)``.
    func query(_ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> PositionedPage<
        QueryPage
    >
    /// Returns a page by its number, counted from 0, and the position of the next one.
    ///
    /// The order is that of ``query(_:after:arguments:)``. The default uses the page's number as its position.
    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<QueryPage>
    /// Runs a query once, and passes all of its rows to `body`, page by page.
    ///
    /// The rows are those of one snapshot, each once, in the order of ``query(_:after:arguments:)``; Smart SQL defines
    /// its own order. Every page but the last has `pageSize` rows, and none is empty. Only one page is in memory, and
    /// the cost of a page does not depend on the pages before it, whatever the order. `body` must not write. The
    /// default requests one page after another.
    ///
    /// - Parameter body: returns whether to continue with the next page; an error that it throws ends the walk.
    func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws
    /// Returns the backend's plan for a query, one line a step, in its own words; the default throws `notSupported`.
    func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String]
    /// Returns the backend's plan for the page after a position, in the form of ``plan(of:arguments:)``.
    ///
    /// The default throws `notSupported`.
    func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String]
    /// Returns the number of rows that the query has on all pages.
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int
    /// Returns the IDs of the entries with local changes, in the order of creation.
    func dirtyIds(in soup: SoupName) throws -> [Int64]
    /// Returns the values at `path` of the entries without local changes; missing values are left out.
    ///
    /// `syncId` restricts them to entries that this sync down wrote last. Entries without local flags are neither clean
    /// nor dirty.
    func cleanValues(at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?) throws -> [(
        id: Int64, value: String
    )]
    /// Returns the synced copies of these entries, as they were stored; entries without one are left out.
    ///
    /// A write that sets `__local__` on an entry where it was false keeps the replaced text as the synced copy. The
    /// copy is deleted by the write that resets the flag, and with the entry; further edits do not change it. Requires
    /// ``StoreCapability/syncedCopies``; the default throws `notSupported`.
    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText]
}

extension StoreReader {
    /// Returns a page by number: all rows before the position are read again.
    public func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage<QueryPage> {
        switch try position?.anchor(in: spec, arguments: arguments, backend: nil) {
        case nil: try positionedPage(0, of: spec, arguments: arguments)
        case .page(let number)?: try positionedPage(number, of: spec, arguments: arguments)
        case .entry?:
            throw SoupError(
                .badQuerySpec, "the position belongs to another query", hint: "Start again at the first page.")
        }
    }

    /// Returns the page by its number, and the number of the next one, unless the page is not full.
    public func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<
        QueryPage
    > {
        let number = max(0, number)
        let page = try query(spec, page: number, arguments: arguments)
        let next = number < Int.max && page.count == spec.pageSize ? number + 1 : nil
        return PositionedPage(
            page, next: next.map { QueryPosition(.page($0), in: spec, arguments: arguments, backend: nil) })
    }

    /// Requests one page after another, each after the position of the previous one.
    public func walk(_ spec: QuerySpec, arguments: [JSONValue] = [], _ body: (QueryPage) throws -> Bool) throws {
        var position: QueryPosition?
        repeat {
            let found = try query(spec, after: position, arguments: arguments)
            guard found.page.count > 0, try body(found.page) else { return }
            position = found.next
        } while position != nil
    }

    /// Throws `notSupported`: for backends that store only the entries themselves.
    public func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        throw SoupError.noSyncedCopies
    }

    /// Throws `notSupported`: for backends that do not plan.
    public func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] {
        throw SoupError(.notSupported, "this store does not report query plans")
    }

    /// Throws `notSupported`: for backends that do not plan.
    public func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String] {
        throw SoupError(.notSupported, "this store does not report query plans")
    }

    /// Returns a page of a query without arguments, counted from 0.
    public func query(_ spec: QuerySpec, page: Int = 0) throws -> QueryPage {
        try query(spec, page: page, arguments: [])
    }

    /// Returns the number of rows that a query without arguments has on all pages.
    public func count(_ spec: QuerySpec) throws -> Int { try count(spec, arguments: []) }

    /// Returns whether a soup is registered; an unknown name is not an error here.
    public func soupExists(_ soup: SoupName) throws -> Bool { try soupNames().contains(soup) }
}

/// A type that writes to a store, inside one transaction.
///
/// Its reads see its own writes. If a writing method throws, the transaction fails: the write throws that error and
/// keeps nothing, even if its body caught the error and continued. An error of a reading method does not fail the
/// transaction.
public protocol StoreWriter: StoreReader {
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
    /// The entries themselves and their dates do not change. Requires ``StoreCapability/syncedCopies``; the default
    /// throws `notSupported`.
    func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws
}

extension SoupError {
    /// The error of a backend without synced copies.
    static var noSyncedCopies: SoupError {
        SoupError(
            .notSupported, "this store does not keep synced copies of entries with local changes",
            hint: "Sync with OVERWRITE or LEAVE_IF_CHANGED, or choose a backend that claims syncedCopies.")
    }
}

extension StoreWriter {
    /// Throws `notSupported`, as ``StoreReader/syncedCopies(of:in:)``.
    public func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws {
        throw SoupError.noSyncedCopies
    }

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
