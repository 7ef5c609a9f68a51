// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The store backend `sqlite`: all soups of a store in one SQLite file.
///
/// Writes use one connection, one after another. Reads run concurrently, each on a snapshot. The file is in write-ahead
/// mode: while it is open, it has the companion files `-wal` and `-shm`. Copies of this value share the open store; the
/// file is closed when the last copy is released.
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

    /// All capabilities that SoupCore defines: Smart SQL, full-text and `json1` indexes, access to the tables,
    /// durable storage, synced copies, altering of soups, changes of other processes, and use in a composed store, as
    /// each of its parts.
    public var capabilities: Set<StoreCapability> {
        let all: Set<StoreCapability> = [
            .smartSQL, .fullText, .json1, .sqlTables, .durable, .syncedCopies, .soupAlteration, .composable,
            .restoring, .foreignCommits, .foreignChanges,
        ]
        return connections.options.isReadOnly ? all.union([.readOnly]) : all
    }

    let connections: SQLiteConnections

    /// The store's file.
    public var url: URL { URL(filePath: connections.options.path) }

    /// Whether the files are encrypted.
    public var isEncrypted: Bool { connections.options.location.isEncrypted }

    /// Opens the store, creates it if it does not exist, and completes operations that a crash interrupted.
    ///
    /// The file is checked before anything is written to it: a file that is not a SoupKit store is not changed. If an
    /// interrupted operation cannot be completed now, usually because the disk is full, a later open completes it;
    /// until then soups have their old indexes.
    ///
    /// A store that this process cannot write is opened for reading: see ``StoreCapability/readOnly``.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`, with the file and a hint; for an encrypted store also `wrongKey`,
    ///   `storeEncrypted`, `storeNotEncrypted`, and the errors of its key provider.
    public static func open(_ configuration: Configuration, in context: StoreContext) async throws -> SQLiteStore {
        let path = context.path(configured: configuration.path)
        let activeLoads = ActiveLoads()
        do {
            try context.makeInnerFolder(configured: configuration.path)
            var file = StoreFile(
                path: path, busyTimeout: configuration.busyTimeout, isPrivate: configuration.ownerOnly)
            let (pool, isReadOnly) = try await file.open(with: configuration.encryption, in: context)
            let options = SQLiteOptions(
                location: file.location, booleanCompatibility: configuration.booleanCompatibility,
                fullText: configuration.fullText, clock: context.clock, isReadOnly: isReadOnly,
                isBulkLoading: { activeLoads.isActive })
            let store = SQLiteStore(
                connections: SQLiteConnections(pool: pool, options: options, activeLoads: activeLoads))
            if isReadOnly { return store }
            removeInterruptedCopy(of: path.withoutLinks)
            try file.protect(configuration)
            do {
                try await store.connections.finishOperations()
                try await store.connections.check(configuration.fullText)
                try await store.connections.finishLoads()
            } catch  where SoupError.isBusy(error) {
                // Another process is writing: it is running, and the deferred indexes belong to its own loads.
            }
            return store
        } catch {
            throw SoupError.fromStore(error, file: path)
        }
    }

    /// Opens a store whose configuration has an absolute path, or a path relative to the current folder.
    public static func open(
        _ configuration: Configuration, clock: any SoupClock = SystemClock()
    ) async throws -> SQLiteStore {
        try await open(configuration, in: StoreContext(folder: URL(filePath: "."), clock: clock))
    }

    /// Runs `body` in one transaction, on the only connection that writes.
    ///
    /// It waits for the other writes of this process, and up to `busyTimeout` for another process. If the body throws,
    /// or a writer's method in it threw, nothing is written.
    ///
    /// - Throws: the error of the body; ``SoupError`` with `storeUnusable` for a file that is locked, full, damaged or
    ///   closed; `CancellationError` if the task is cancelled before the body begins.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await connections.write { transaction in try body(transaction) }
    }

    /// Runs `body` on a snapshot of the file, concurrently with writes and other reads.
    ///
    /// - Throws: the error of the body; ``SoupError`` with `storeUnusable` if the file cannot be read;
    ///   `CancellationError`, also during a query.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await connections.read { transaction in try body(transaction) }
    }

    /// Runs a short `body` on the calling thread; restarts it on another thread if it takes more than some
    /// milliseconds.
    ///
    /// - Throws: as ``read(_:)`` does.
    public func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await connections.quickRead { transaction in try body(transaction) }
    }

    /// Runs `body` in one transaction, on the calling thread, which blocks while it waits for the writing connection.
    ///
    /// - Throws: as ``write(_:)`` does, but no `CancellationError`.
    public func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        try connections.writeBlocking(at: now) { transaction in try body(transaction) }
    }

    /// Runs `body` on a snapshot of the file, on the calling thread, which blocks while no connection is free.
    ///
    /// - Throws: as ``read(_:)`` does; `CancellationError` when the flag is set.
    public func readBlocking<T>(
        cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T
    ) throws -> T {
        try connections.readBlocking(cancellation) { transaction in try body(transaction) }
    }

    /// Changes the indexes of a soup, as ``StoreBackend/alterSoup(_:to:reIndex:)`` defines, without rebuilding
    /// unchanged indexes.
    ///
    /// An unchanged spec keeps its column and its index, even if its position in the list changes. The search index is
    /// kept if the same paths are full-text ones. Removed and added specs change every entry: a removed column is
    /// deleted from each row, an added one is filled, and the search index is rebuilt.
    ///
    /// The operation is recorded in one transaction and performed in the next. If the process is killed at any moment,
    /// the soup has either the old or the new indexes, and the next open performs a recorded operation. It is not split
    /// into smaller steps, so that no reader sees a partly indexed soup. While it runs, readers continue with the old
    /// indexes and writes wait. Memory use is bounded; the log may grow as large as the table, until ``checkpoint()``
    /// empties it.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, `noIndexSpecs`, `badPath`; `storeUnusable` if the file or the disk
    ///   rejects the change, or if another process took over the operation and did not perform it. The soup is then
    ///   unchanged. If the failed operation could not be removed from the list, the next open retries it, and the error
    ///   reports that.
    public func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        try await connections.run(LongOperation(.alter(to: specs, reIndex: reIndex), on: soup))
    }

    /// Fills the columns of some indexes again from the entries, and rebuilds the search index if one of them is full
    /// text.
    ///
    /// Paths without an index are ignored, and modification dates do not change. Most rows whose columns contain the
    /// correct values are not written. A row is written without need if SQLite has converted a value to another type,
    /// for example a number in a text column. If the process is killed, no partial result remains: as for
    /// ``alterSoup(_:to:reIndex:)``, the operation is recorded, and performed in one transaction or by the next open.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, and `storeUnusable` as for ``alterSoup(_:to:reIndex:)``; the soup is
    ///   then unchanged.
    public func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) async throws {
        try await connections.run(LongOperation(.reIndex(paths), on: soup))
    }

    /// Returns the number of times that changes of other processes were found in the file, or of other opened stores.
    ///
    /// The first call opens one more connection. A call reads a few bytes, and never waits for a write.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    public func foreignCommits() throws -> Int64? { try connections.foreignCommits() }

    /// Returns a stream of the committed writes that change one of the soups, in this process or another.
    ///
    /// Each element contains those of `soups` that the write changed. Elements are buffered without limit until they
    /// are consumed.
    ///
    /// Writes of other processes, and of other opened stores of the file, are reported some milliseconds after their
    /// commit, and several of them can be reported as one. They arrive through a notification of the system, so the
    /// observation has no cost while no process writes. If the system has no notifications left, the store checks the
    /// file once a second instead. Between ``suspendAll()`` and ``resumeAll()``, nothing is read; changes made in the
    /// meantime are reported afterwards.
    public func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { connections.changes(in: soups) }

    /// Copies the log into the file and closes it, after the reads and writes under way have ended.
    ///
    /// The key of an encrypted store is then no longer in memory.
    public func close() async throws { try await connections.close() }

    /// Starts or ends a load, during which checkpoints are rare and an empty soup's indexes are built at the end.
    ///
    /// Loads may overlap; the end of the last one builds the indexes. If that fails, the next write, or the next open,
    /// builds them.
    public func bulkLoad(_ active: Bool) async { await connections.bulkLoad(active) }

    /// Claims the lease for syncing with a lock on the file `<path>-syncs`, which is kept next to the store.
    public func claimSyncs() async throws -> SyncLease? { try SyncLock.claim(database: connections.options.path) }

    /// Returns the SQL of a Smart SQL text, for inspection; results are read with ``read(_:)``.
    ///
    /// - Throws: ``SoupError`` with `onlySelect`, `badReference` or `unknownSoup`.
    public func convert(_ smartSQL: String) async throws -> String {
        let flagsAreNormalized = connections.options.booleanCompatibility
        return try await connections.read { transaction in
            let converter = SQLConverter(
                tables: try transaction.catalog().tables, flagsAreNormalized: flagsAreNormalized,
                entriesAreWhole: false)
            return try converter.convert(SmartSQL(smartSQL)).statement([]).sql
        }
    }

    /// Returns the sizes of the file, of its log and of its free pages in bytes, and the number of entries of each
    /// soup.
    ///
    /// Counting scans the shortest index of every soup, so the time grows with the number of entries.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    public func statistics() async throws -> StoreStatistics { try await connections.read { try $0.statistics() } }

    /// Rewrites the file without its free pages, with SQLite's VACUUM, and empties the log.
    ///
    /// It needs as much free disk space as the size of the file, and blocks writes while it runs.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`, usually because the disk is full; the store is then unchanged.
    public func compact() async throws { try await connections.compact() }

    /// Copies the log into the file and empties the log when no reader needs it any more.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    public func checkpoint() async throws { try await connections.emptyLog() }
}
