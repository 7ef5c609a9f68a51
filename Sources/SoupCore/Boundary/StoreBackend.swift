// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Where soups live: the boundary that a store backend implements.
///
/// A backend keeps soups of JSON entries and answers queries over them. It opens from its own configuration, named in
/// the store configuration as `"backend": {"type": "sqlite", ...}`. The doc comments here are the contract. The module
/// `Conformance` plays data cases on it; `Plugins/MemoryStore` is an implementation to read, and
/// `Tests/StoreBackendTests` compares two.
///
/// Guarantees a backend gives:
/// * ``write(_:)`` is one transaction: all of it is kept, or, when the body throws or the process dies, none of it.
/// * writes are serial; reads run beside them on a snapshot, and see everything whose write has returned before.
/// * after a write has returned its changes survive the death of the process, where ``StoreCapability/durable`` says
///   so.
/// * ids of entries count up from 1 and are never given twice, not even after a delete, a clear or a crash.
/// * cancelling the task while it waits for its turn throws `CancellationError`. The body of a write that has begun is
///   not interrupted; the body of a read is, at its next query or in the middle of one, by the same error.
public protocol StoreBackend: Sendable {
    /// What the `backend` object of a store configuration is decoded to.
    ///
    /// Keys that it does not know, `type` among them, are no error.
    associatedtype Configuration: Decodable & Sendable

    /// The name that store configurations use: `sqlite`.
    static var name: PluginName { get }

    /// Opens the store, creates it when it does not exist, and finishes what a crash interrupted.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` when the file is locked, foreign, truncated or not writable. It
    ///   never replaces a store that it cannot read.
    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> Self

    /// What the backend can do beyond entries and plain queries.
    var capabilities: Set<StoreCapability> { get }

    /// Runs `body` in one transaction and returns what it returns.
    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T

    /// Runs `body` on one snapshot and returns what it returns.
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T

    /// Runs a `body` that is meant to be short on one snapshot, as ``read(_:)`` does, but perhaps more than once.
    ///
    /// The body must do nothing but work out its result: a backend may run it on the calling thread, which is fast, and
    /// when it turns out to take long begin it anew where it holds up nobody. The default is ``read(_:)``.
    func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T

    /// One element after every write that changed entries of one of the soups, from the moment of the call on. Never
    /// fails, ends when the task does or the store is closed.
    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange>

    /// Gives a soup other index specs; entries, ids and dates stay, and so do the indexes of specs that are in both
    /// lists, wherever they stand.
    ///
    /// Once it has begun it is finished, by the next open when the process ends in the middle; until then everybody
    /// sees the soup as it was. The default throws `notSupported`.
    ///
    /// - Parameter reIndex: whether specs that are new get their values from the entries. Without it their paths find
    ///   nothing before ``reIndexSoup(_:paths:)``, but for ``EntryField/own`` members, which always do: entries with
    ///   local changes are known as such at any time.
    /// - Throws: `soupNotFound`; `noIndexSpecs` and `badPath`, as ``IndexSpec/check(_:of:)`` does; then nothing has
    ///   changed.
    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws

    /// Takes the index values of paths from the entries again; paths that are not indexed are passed over.
    ///
    /// One transaction; dates stay. Once it has begun it is finished, as an alter. The default throws `notSupported`.
    ///
    /// - Throws: `soupNotFound`.
    func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws

    /// The SQL that a Smart SQL text stands for, as far as anybody asks for it: results are read with ``read(_:)``.
    ///
    /// Where ``StoreCapability/sqlTables`` is claimed; the default throws `notSupported`.
    ///
    /// - Throws: ``SoupError`` with `onlySelect`, `badReference` or `unknownSoup`, its place in the text.
    func convert(_ smartSQL: String) async throws -> String

    /// How much the store holds, all of one snapshot. The default throws `notSupported`.
    func statistics() async throws -> StoreStatistics

    /// Gives room that nothing uses any more back to the system. It waits for its turn like a write, and may take as
    /// long as writing the whole store anew; nothing is lost when the process ends in the middle. The default does
    /// nothing.
    func compact() async throws

    /// Brings everything that is committed into the place where it stays, as far as readers under way allow. The
    /// default does nothing.
    func checkpoint() async throws

    /// Lets go of everything outside of this process, files and locks, when the work under way is done.
    ///
    /// Afterwards reads and writes throw `storeUnusable`, as ``SoupError/storeClosed``, and changes are told no more;
    /// closing again does nothing. Without it a store is closed some time after the last reference to it went. The
    /// default does nothing.
    func close() async throws

    /// Called by the engine around a long load: a hint that lets a backend trade durability of single pages for speed,
    /// never their atomicity. Loads overlap: one is over when it was ended as often as it was begun. A call is carried
    /// out whole, also in a task that was cancelled. The default does nothing.
    func bulkLoad(_ active: Bool) async

    /// Claims the lease for syncing this store.
    ///
    /// At most one holder has it at a time, over all processes and all opened stores of the same data. It lasts until
    /// ``SyncLease/release()`` or the end of the process. It never waits. The engine claims it for each run and
    /// releases it when nothing runs, so a claim must be cheap. The default, for stores that only one manager opens,
    /// grants every claim; the suite of `SoupTesting` reports it.
    ///
    /// - Returns: the lease; nil while another holder has it.
    /// - Throws: ``SoupError`` with `storeUnusable` if the backend cannot determine whether it is free.
    func claimSyncs() async throws -> SyncLease?
}

extension StoreBackend {
    /// Runs the body once, by ``read(_:)``.
    public func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await read(body)
    }

    /// Refuses, with `notSupported`: for stores whose soups keep the indexes they were registered with.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        throw SoupError(.notSupported, "this store cannot alter soups")
    }

    /// Refuses, with `notSupported`: for stores that have nothing to fill anew.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        throw SoupError(.notSupported, "this store cannot re-index soups")
    }

    /// Refuses, with `notSupported`: for stores that do not run on SQL.
    public func convert(_ smartSQL: String) async throws -> String {
        throw SoupError(.notSupported, "this store does not turn Smart SQL into SQL")
    }

    /// Refuses, with `notSupported`: for stores that do not count.
    public func statistics() async throws -> StoreStatistics {
        throw SoupError(.notSupported, "this store keeps no statistics")
    }

    /// Does nothing: for stores that keep no room that they do not use.
    public func compact() async throws {}

    /// Does nothing: for stores that write everything to its place at once.
    public func checkpoint() async throws {}

    /// Does nothing: for stores that hold nothing outside of the process.
    public func close() async throws {}
    /// Ignores the hint.
    public func bulkLoad(_ active: Bool) async {}

    /// Grants every claim, which is correct only for a store that one manager opens.
    public func claimSyncs() async throws -> SyncLease? { SyncLease {} }
}

/// A change of a soup, told after the write that made it.
public struct StoreChange: Sendable, Hashable {
    /// Of the soups that were asked for, those whose entries changed; never empty.
    public var soups: Set<SoupName>
    /// Made by backends, one for each listener that looks at one of the soups.
    public init(soups: Set<SoupName>) { self.soups = soups }
}

/// What can be asked of a store, inside one snapshot.
///
/// A soup that is not registered is an error everywhere: `soupNotFound`, and in queries `unknownSoup`.
public protocol StoreReader {
    /// The names of all soups, sorted.
    func soupNames() throws -> [SoupName]
    /// The index specs of a soup, in the order of registration.
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec]
    /// The entries of these ids, in the order of the ids; unknown ids are left out.
    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry]
    /// The id of the one entry with that value at an indexed path; nil for none, `notUnique` for several.
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64?
    /// A page of a query. `arguments` stand for the `?` of smart queries, and only there.
    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage
    /// The page behind a position, or the first page for nil.
    ///
    /// Rows are ordered as the query says, entries with the same value by their ids in the same direction, and by id
    /// alone without an order path. The default knows positions of pages only, so that its pages cost more the farther
    /// they are away.
    ///
    /// - Throws: `badQuerySpec` for a position that this query of this backend did not give: see
    ///   ``QueryPosition/place(in:arguments:backend:)``.
    func query(_ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> PositionedPage
    /// A page by its number, counted from 0, in the order of ``query(_:after:arguments:)``, and where the one behind it
    /// begins. The default counts on from there.
    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage
    /// Runs a query once and gives all of its rows to `body`, page by page.
    ///
    /// The rows are those of one snapshot, each once, in the order of ``query(_:after:arguments:)``; Smart SQL orders
    /// its own. Every page but the last has `pageSize` rows, and none is empty. Memory holds one page, and the cost of
    /// a page does not grow with the pages before it, whatever the order. `body` must not write. The default asks for
    /// page after page.
    ///
    /// - Parameter body: returns whether it wants the next page; what it throws ends the walk.
    func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws
    /// How the backend means to run a query, one line a step, in words of its own. The default throws `notSupported`.
    func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String]
    /// How the backend means to read the page behind a position, as ``plan(of:arguments:)`` tells it. The default
    /// throws `notSupported`.
    func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String]
    /// How many rows the query has on all pages.
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int
    /// The ids of the entries with local changes, in the order of creation.
    func dirtyIds(in soup: SoupName) throws -> [Int64]
    /// The values at `path` of the entries without local changes, missing ones left out; `syncId` restricts them to
    /// those that a sync down wrote last. Entries that carry no flags at all are neither clean nor dirty.
    func cleanValues(at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?) throws -> [(
        id: Int64, value: String
    )]
    /// The synced copies of these entries, as they were stored; entries without one are left out.
    ///
    /// A write that sets `__local__` on an entry where it was false keeps the text that it replaces. The copy goes with
    /// the write that sets the flag back, and with the entry; further edits do not touch it. Where
    /// ``StoreCapability/syncedCopies`` is claimed; the default throws `notSupported`.
    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText]
}

extension StoreReader {
    /// Pages by number: behind a position all rows in front of it are gone through again.
    public func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage {
        switch try position?.place(in: spec, arguments: arguments, backend: nil) {
        case nil: try positionedPage(0, of: spec, arguments: arguments)
        case .page(let number)?: try positionedPage(number, of: spec, arguments: arguments)
        case .entry?:
            throw SoupError(.badQuerySpec, "the position is of another query", hint: "Begin at the first page again")
        }
    }

    /// The page by its number, and the number of the next one, unless the page is not full.
    public func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage {
        let number = max(0, number)
        let page = try query(spec, page: number, arguments: arguments)
        let next = number < Int.max && page.count == spec.pageSize ? number + 1 : nil
        return PositionedPage(
            page, next: next.map { QueryPosition(.page($0), in: spec, arguments: arguments, backend: nil) })
    }

    /// Asks for page after page, each behind the position of the one before.
    public func walk(_ spec: QuerySpec, arguments: [JSONValue] = [], _ body: (QueryPage) throws -> Bool) throws {
        var position: QueryPosition?
        repeat {
            let found = try query(spec, after: position, arguments: arguments)
            guard found.page.count > 0, try body(found.page) else { return }
            position = found.next
        } while position != nil
    }

    /// Refuses, with `notSupported`: for backends that keep an entry as it is, and nothing beside it.
    public func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        throw SoupError.noSyncedCopies
    }

    /// Refuses, with `notSupported`: for backends that do not plan.
    public func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] {
        throw SoupError(.notSupported, "this store does not tell how it runs a query")
    }

    /// Refuses, with `notSupported`: for backends that do not plan.
    public func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String] {
        throw SoupError(.notSupported, "this store does not tell how it runs a query")
    }

    /// A page of a query without arguments, counted from 0.
    public func query(_ spec: QuerySpec, page: Int = 0) throws -> QueryPage {
        try query(spec, page: page, arguments: [])
    }

    /// How many rows a query without arguments has on all pages.
    public func count(_ spec: QuerySpec) throws -> Int { try count(spec, arguments: []) }

    /// Whether a soup is registered; here an unknown name is no error.
    public func soupExists(_ soup: SoupName) throws -> Bool { try soupNames().contains(soup) }
}

/// What can be done to a store, inside one transaction.
///
/// Reads in it see its own writes. A method of a writer that throws spoils the transaction: the write throws that error
/// and keeps nothing, even when its body caught it and went on. One that only reads spoils nothing.
public protocol StoreWriter: StoreReader {
    /// Registers a soup; one that exists is left as it is, even with other specs.
    ///
    /// - Throws: `badSoupName`; `noIndexSpecs` and `badPath`, as ``IndexSpec/check(_:of:)`` does, which comes after the
    ///   question whether the soup exists; `notSupported` for a kind of index that the backend does not have.
    func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws
    /// Removes a soup with all its entries; unknown soups are no error.
    func removeSoup(_ soup: SoupName) throws
    /// Deletes all entries; ids go on counting.
    func clearSoup(_ soup: SoupName) throws

    /// Writes records: each replaces the entry that it matches, or becomes a new one.
    ///
    /// System fields in a record are not stored. Local flags are stored as booleans, by ``JSONValue/isSetFlag``,
    /// whether a record or a stamp brings them. A later record of the batch sees the earlier ones. A row that would be
    /// written with the bytes that it has is not touched.
    ///
    /// - Parameters:
    ///   - stamp: set on every record; a record's own stamp (``RecordBatch/stamps``) goes on top.
    ///   - guarding: which entries are left alone, judged by their state in this transaction.
    /// - Returns: one result for each record, in order.
    /// - Throws: `badPath` for a path that is not valid; `json`, `externalIdMissing` (also for null),
    ///   `indexNotDefined`, `notUnique`, naming the record's position.
    func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: Stamp, guarding: WriteGuard
    ) throws -> [UpsertResult]

    /// Sets members on entries; ids that are not there are passed over.
    ///
    /// - Returns: for each, whether the entry still had the version asked for (true without one); false also when it is
    ///   gone.
    func stamp(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool]

    /// Deletes entries; unknown ids are no error.
    ///
    /// - Returns: the ids that were deleted.
    func delete(_ deletions: [EntryDeletion], from soup: SoupName) throws -> [Int64]

    /// Deletes the entries that a query finds, at most a page of them, as the reference does.
    ///
    /// - Throws: `badQuerySpec` for a smart query that does not select `{soup:_soupEntryId}` as its first column.
    /// - Returns: how many.
    func delete(matching spec: QuerySpec, from soup: SoupName) throws -> Int

    /// Gives entries with local changes other synced copies, by their ids; other entries are passed over. The entries
    /// themselves and their dates stay as they are.
    ///
    /// Where ``StoreCapability/syncedCopies`` is claimed; the default throws `notSupported`.
    func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws
}

extension SoupError {
    /// What a backend throws that keeps no synced copies.
    static var noSyncedCopies: SoupError {
        SoupError(
            .notSupported, "this store does not keep what entries were before their local changes",
            hint: "Sync with OVERWRITE or LEAVE_IF_CHANGED, or choose a backend that claims syncedCopies.")
    }
}

extension StoreWriter {
    /// Refuses, with `notSupported`, as ``StoreReader/syncedCopies(of:in:)``.
    public func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws {
        throw SoupError.noSyncedCopies
    }

    /// Writes records with nothing stamped on them, over whatever entries they match, dirty ones too.
    ///
    /// - Throws: as ``upsert(_:into:matching:stamping:guarding:)``.
    /// - Returns: one result for each record, in order.
    @discardableResult
    public func upsert(_ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch = .entryId) throws
        -> [UpsertResult]
    {
        try upsert(batch, into: soup, matching: matching, stamping: .none, guarding: .none)
    }

    /// Deletes entries whatever state they are in; unknown ids are no error.
    ///
    /// - Returns: the ids that were deleted.
    @discardableResult
    public func delete(_ ids: [Int64], from soup: SoupName) throws -> [Int64] {
        try delete(ids.map { EntryDeletion(id: $0) }, from: soup)
    }
}
