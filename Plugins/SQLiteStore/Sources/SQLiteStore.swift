// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
public import SoupCore

/// The store backend `sqlite`: all soups of a store in one SQLite file.
///
/// Writes go through one connection, one after another; reads run beside them, each on a snapshot. The file is in
/// write-ahead mode: beside it lie `-wal` and `-shm`, which belong to it as long as it is open. Copies of this value
/// are the same open store; the file is closed when the last one goes.
///
/// ```swift
/// let store = try await SQLiteStore.open(.init(path: "/tmp/contacts.sqlite"))
/// let results = try await store.write { writer in
///     try writer.registerSoup("contacts", [IndexSpec("Id", .string)])
///     let records = RecordBatch([try JSONText(#"{"Id": "003A"}"#)])
///     return try writer.upsert(records, into: "contacts", matching: .path("Id"))
/// }
/// ```
public struct SQLiteStore: StoreBackend {
    /// The `type` of this backend in `userstore.json`: `sqlite`.
    public static var name: PluginName { "sqlite" }

    /// All that SoupCore names, in every store: Smart SQL, full-text and `json1` indexes, the tables themselves, and a
    /// file that keeps them.
    public var capabilities: Set<StoreCapability> {
        let all: Set<StoreCapability> = [.smartSQL, .fullText, .json1, .sqlTables, .durable, .syncedCopies]
        return connections.options.isReadOnly ? all.union([.readOnly]) : all
    }

    let connections: SQLiteConnections

    /// The file that the store lies in.
    public var path: String { connections.options.path }

    /// Opens the store, creates it when it does not exist, and finishes what a crash interrupted.
    ///
    /// The file is looked at before anything is written to it: one that is not a SoupKit store stays as it is. What was
    /// interrupted and cannot be finished for now, with the disk full above all, waits for a later open: soups have
    /// their old indexes until then.
    ///
    /// A store that this process cannot write is opened for reading: see ``StoreCapability/readOnly``.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`, naming the file and what to do.
    public static func open(_ configuration: Configuration, in context: StoreContext) async throws -> SQLiteStore {
        let path = configuration.path(in: context.folder)
        let activeLoads = ActiveLoads()
        do {
            let file = StoreFile(
                path: path, busyTimeout: configuration.busyTimeout, isPrivate: configuration.ownerOnly)
            let (pool, isReadOnly) = try file.open()
            let options = SQLiteOptions(
                path: path, booleanCompatibility: configuration.booleanCompatibility,
                fullText: configuration.fullText, clock: context.clock, isReadOnly: isReadOnly,
                isBulkLoading: { activeLoads.isActive })
            let store = SQLiteStore(
                connections: SQLiteConnections(pool: pool, options: options, activeLoads: activeLoads))
            if isReadOnly { return store }
            try file.protect(configuration)
            do {
                try await store.connections.finishOperations()
                try await store.connections.check(configuration.fullText)
                try await store.connections.finishLoads()
            } catch  where SoupError.isBusy(error) {
                // Another process writes: it is alive, and the loads are its own.
            }
            return store
        } catch {
            throw SoupError.fromStore(error, file: path)
        }
    }

    /// Opens a store whose configuration has an absolute path, or one that starts from the current folder.
    public static func open(
        _ configuration: Configuration, clock: any SoupClock = SystemClock()
    ) async throws -> SQLiteStore {
        try await open(configuration, in: StoreContext(folder: ".", clock: clock))
    }

    /// Runs `body` in one transaction, on the one connection that writes.
    ///
    /// It waits its turn among the writes of this process, and as long as `busyTimeout` says for another process. A
    /// body that throws, or in which a writer's method threw, leaves nothing behind.
    ///
    /// - Throws: what the body throws; ``SoupError`` with `storeUnusable` for a file that is locked, full, damaged or
    ///   closed; `CancellationError` when the task is cancelled before the body begins.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await connections.write { transaction in try body(transaction) }
    }

    /// Runs `body` on a snapshot of the file, beside writes and other reads.
    ///
    /// - Throws: what the body throws; ``SoupError`` with `storeUnusable` when the file cannot be read;
    ///   `CancellationError`, in the middle of a query too.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await connections.read { transaction in try body(transaction) }
    }

    /// Runs a short `body` on the calling thread, and one that takes more than some milliseconds anew elsewhere.
    ///
    /// - Throws: as ``read(_:)`` does.
    public func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await connections.quickRead { transaction in try body(transaction) }
    }

    /// Gives a soup other indexes, as ``StoreBackend/alterSoup(_:to:reIndex:)`` says, without rebuilding what stays.
    ///
    /// A spec that stays keeps its column and its index untouched, wherever it stands in the list; the search index
    /// stays when the same paths are full-text ones. What goes or comes is work on every entry: a column that goes is
    /// taken out of each row, one that comes is filled, and the search index is made anew.
    ///
    /// The operation is noted in one transaction and done in the next, so that a kill at any moment leaves the soup as
    /// it was or as it is to be, and the next open does what was noted. It is not done in smaller steps: nobody sees a
    /// soup of which a part is indexed. Meanwhile readers go on with the old indexes and writes wait; memory stays
    /// bounded, the log may grow as large as the table, until ``checkpoint()`` empties it.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, `noIndexSpecs`, `badPath`;
    ///   `storeUnusable` when the file or the disk refuses, or when another process took the operation over and did not
    ///   do it. The soup is as it was then; an operation that could not be struck out is tried again by the next open,
    ///   and the error says so.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        try await connections.run(LongOperation(.alter(to: specs, reIndex: reIndex), on: soup))
    }

    /// Fills the columns of some indexes anew from the entries, and the search index when one of them is full text.
    ///
    /// Paths without an index are passed over, and dates stay. Most rows whose columns hold the right values are not
    /// written; one is, though nothing changes in it, when SQLite has made another type of a value, as of a number in a
    /// column of texts. A kill at any moment leaves nothing half done: as an alter it is noted, done in one
    /// transaction, or by the next open.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, and `storeUnusable` as ``alterSoup(_:to:reIndex:)`` says; the soup is
    ///   as it was then.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        try await connections.run(LongOperation(.reIndex(paths), on: soup))
    }

    /// Tells of every committed write that changed one of the soups, made through this value or a copy of it.
    ///
    /// An element names those of `soups` that the write changed. Elements wait, however many, until they are taken.
    /// Writes of other processes are not told.
    public func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> {
        connections.observers.changes(in: soups)
    }

    /// Copies the log into the file and closes it, when the reads and writes under way have ended.
    public func close() async throws { try await connections.close() }

    /// While a load is active, checkpoints come seldom, and a soup that was empty gets its indexes when the load ends.
    ///
    /// Loads may overlap; the last one to end builds the indexes. A failure then is not lost: the next write, or the
    /// next open, builds them.
    public func bulkLoad(_ active: Bool) async { await connections.bulkLoad(active) }

    /// Claims the lease for syncing by a lock on the file `<path>-syncs`, which stays beside the store.
    public func claimSyncs() async throws -> SyncLease? { try SyncLock.claim(database: path) }

    /// The SQL that a Smart SQL text stands for, as far as anybody asks for it: results are read with ``read(_:)``.
    ///
    /// - Throws: ``SoupError`` with `onlySelect`, `badReference` or `unknownSoup`.
    public func convert(_ smartSQL: String) async throws -> String {
        let flagsAreNormalised = connections.options.booleanCompatibility
        return try await connections.read { transaction in
            let converter = SQLConverter(
                tables: try transaction.catalog().tables, flagsAreNormalised: flagsAreNormalised,
                entriesAreWhole: false)
            return try converter.convert(SmartSQL(smartSQL)).statement([]).sql
        }
    }

    /// The bytes of the file, of its log and of the pages that are free, and the entries of each soup.
    ///
    /// Counting walks over the shortest index of every soup: it takes the longer, the more entries there are.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    public func statistics() async throws -> StoreStatistics { try await connections.read { try $0.statistics() } }

    /// Writes the file anew without its free pages, SQLite's VACUUM, and empties the log.
    ///
    /// It needs as much room beside the file as the file has, and lets no write in meanwhile.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`, when the disk is full above all; the store is as it was.
    public func compact() async throws { try await connections.compact() }

    /// Copies the log into the file and makes it empty, when no reader needs it any more.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    public func checkpoint() async throws { try await connections.emptyLog() }
}
