// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB
internal import SoupCore
internal import Synchronization

/// The open file: the pool of connections and everything that the transactions of a store share.
final class SQLiteConnections: Sendable {
    let options: SQLiteOptions
    let observers = ChangeObservers()
    private let pool: DatabasePool
    private let cache = CatalogCache()
    private let loadedKeys = LoadedKeys()
    private let dates = Mutex(TransactionDates())
    private let activeLoads: ActiveLoads
    private let slots: ReaderSlots
    private let foreign: ForeignCommits
    private let numbers = WriteNumbers()
    private let signal: any CommitSignal
    private let foreignChanges: ForeignChanges

    init(pool: DatabasePool, options: SQLiteOptions, activeLoads: ActiveLoads) {
        self.pool = pool
        self.options = options
        self.activeLoads = activeLoads
        let slots = ReaderSlots(pool.configuration.maximumReaderCount)
        self.slots = slots
        signal = FileSignal(path: options.path.withoutLinks)
        foreignChanges = ForeignChanges(observers: observers, numbers: numbers, signal: signal) {
            guard !Self.isInRead, slots.tryAcquire() else { return nil }
            defer { slots.release() }
            return try pool.read { db in try WriteNumbers.all(in: db) }
        }
        foreign = ForeignCommits {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.label = "SoupKit.SQLiteStore.foreignCommits"
            options.location.prepare(&configuration)
            return try DatabaseQueue(path: pool.path, configuration: configuration)
        }
    }

    /// - Throws: ``SoupError`` with `storeUnusable`.
    func foreignCommits() throws -> Int64? {
        do {
            return try foreign.count()
        } catch {
            throw SoupError.fromStore(error, file: options.path)
        }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) throws -> T) async throws -> T {
        try await ConnectionRequest.wait { request in
            self.pool.asyncWriteWithoutTransaction { db in
                request.perform { try self.runWrite(db, body) }
            }
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) throws -> T) async throws -> T {
        let cancellation = ReadCancellation()
        return try await ConnectionRequest.wait(notifying: cancellation) { request in
            self.slots.acquire()
            self.pool.asyncRead { database in
                defer { self.slots.release() }
                request.perform {
                    do {
                        return try self.runRead(try database.get(), cancellation: cancellation, body)
                    } catch {
                        throw SoupError.fromStore(error, file: self.options.path)
                    }
                }
            }
        }
    }

    /// Reads on the calling thread, so that a short query needs no thread switches.
    ///
    /// The two switches take most of the time of a short query, and cause long delays while another thread is busy with
    /// a load. The calling thread belongs to Swift's cooperative pool. Therefore the read neither waits for a free
    /// reader nor runs for long here: it is restarted on another thread instead.
    func quickRead<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) throws -> T) async throws -> T {
        try Task.checkCancellation()
        if let result = try readHere(body) { return result }
        return try await read(body)
    }

    /// Whether the caller is inside the body of a read: synchronous code can call a read, but a thread cannot use two
    /// readers.
    @TaskLocal private static var isInRead = false

    /// Returns nil if no reader is free, or if the read takes too long.
    private func readHere<T>(_ body: (SQLiteTransaction) throws -> T) throws -> T? {
        guard !Self.isInRead, slots.tryAcquire() else { return nil }
        defer { slots.release() }
        let cancellation = ReadCancellation(timeLimit: Self.quickReadLimit)
        do {
            let result = try pool.read { db in try runRead(db, cancellation: cancellation, body) }
            return cancellation.hasTimedOut ? nil : result
        } catch {
            if cancellation.hasTimedOut { return nil }
            throw SoupError.fromStore(error, file: options.path)
        }
    }

    /// Writes on the calling thread, which blocks while it waits for the writing connection.
    func writeBlocking<T>(at now: Int64?, _ body: (SQLiteTransaction) throws -> T) throws -> T {
        do {
            return try pool.writeWithoutTransaction { db in try runWrite(db, at: now, body) }
        } catch {
            throw SoupError.fromStore(error, file: options.path)
        }
    }

    /// Reads on the calling thread, which blocks while it waits for a reader.
    ///
    /// SQLite fixes a snapshot at the first query of a transaction, so a query precedes the body.
    func readBlocking<T>(_ flag: CancellationFlag, _ body: (SQLiteTransaction) throws -> T) throws -> T {
        try flag.check()
        slots.acquire()
        defer { slots.release() }
        do {
            return try pool.read { db in
                _ = try Row.fetchOne(db.cachedStatement(sql: "SELECT rootpage FROM sqlite_master LIMIT 1"))
                return try runRead(db, cancellation: ReadCancellation(flag: flag), body)
            }
        } catch {
            throw SoupError.fromStore(error, file: options.path)
        }
    }

    /// The time limit of a quick read; enough for a page of some thousand entries.
    private static var quickReadLimit: Duration { .milliseconds(10) }

    private func runRead<T>(
        _ db: Database, cancellation: ReadCancellation, _ body: (SQLiteTransaction) throws -> T
    ) throws -> T {
        let transaction = SQLiteTransaction(
            db, options: options, cache: cache, loadedKeys: loadedKeys, cancellation: cancellation)
        return try Self.$isInRead.withValue(true) { try cancellation.guarding(db) { try body(transaction) } }
    }

    private func runWrite<T>(
        _ db: Database, at now: Int64? = nil, _ body: (SQLiteTransaction) throws -> T
    ) throws -> T {
        let now = now ?? options.clock.milliseconds
        let transaction = SQLiteTransaction(
            db, options: options, cache: cache, loadedKeys: loadedKeys, date: dates.withLock { $0.next(at: now) })
        var result: T?
        var removed: Set<SoupName> = []
        do {
            try foreign.whileWriting(db) {
                try db.inTransaction(.immediate) {
                    if !activeLoads.isActive { try transaction.buildDeferredIndexes() }
                    result = try body(transaction)
                    if let failure = transaction.failure { throw failure }
                    removed = try transaction.mark(with: numbers)
                    foreignChanges.beginRemoval(of: removed)
                    return .commit
                }
            }
        } catch {
            foreignChanges.endRemoval(of: removed, isCommitted: false)
            throw SoupError.fromStore(error, file: options.path)
        }
        if let date = transaction.lastDate { dates.withLock { $0.note(date) } }
        report(transaction.changedSoups, removed: removed)
        guard let result else { throw CancellationError() }
        return result
    }

    // MARK: Changes

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> {
        let stream = observers.changes(in: soups) { [weak foreignChanges] in foreignChanges?.updateListening() }
        foreignChanges.updateListening()
        return stream
    }

    /// Notifies the observers of this process, and signals the other ones.
    private func report(_ changed: Set<SoupName>, removed: Set<SoupName>) {
        guard !changed.isEmpty else { return }
        foreignChanges.endRemoval(of: removed, isCommitted: true)
        observers.send(changed)
        signal.send()
    }

    // MARK: Long operations

    /// Adds the operation to the list, then performs it, within one access to the writing connection.
    ///
    /// Once the operation is in the list, it is performed, even if the task is cancelled, or by the next open if
    /// necessary. If it fails, it is removed from the list: the soup is unchanged, and no later open repeats an
    /// operation whose caller has already received the error. If it cannot be removed either, the error reports that
    /// the next open will perform it.
    func run(_ operation: LongOperation) async throws {
        try await ConnectionRequest.wait { request in
            self.pool.asyncWriteWithoutTransaction { db in
                request.perform {
                    let number = try self.runWrite(db) { try operation.begin(in: $0) }
                    try self.removingOnFailure(number, in: db) {
                        try self.finishOperations(before: number, on: operation.soup, in: db)
                        try self.runWrite(db) { try operation.finishForCaller(number, in: $0) }
                    }
                }
            }
        }
        // The operation wrote all of its changes to the log.
        await checkpoint()
    }

    /// Runs `work`; if it fails, removes the operation from the list.
    private func removingOnFailure(_ number: Int64, in db: Database, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch {
            do {
                try runWrite(db) { try LongOperation.remove(number, in: $0) }
            } catch let second {
                throw SoupError.stillPending(error, because: second)
            }
            throw error
        }
    }

    /// Performs the operations that another process has left in the list, so that the newest operation is applied last.
    private func finishOperations(before number: Int64, on soup: SoupName, in db: Database) throws {
        let older = try runWrite(db) { transaction in
            try LongOperation.pending(in: transaction).filter { $0.number < number && $0.operation.soup == soup }
        }
        for (number, operation) in older {
            do {
                _ = try runWrite(db) { try operation.finish(number, in: $0) }
            } catch  where SoupError.isPermanent(error) {
                // No caller waits for the result of an operation that cannot be performed.
                try runWrite(db) { try LongOperation.remove(number, in: $0) }
            }
        }
    }

    /// Performs interrupted operations; removes those that can never succeed.
    ///
    /// If the file or the disk currently rejects an operation, it stays in the list for a later open, and so do later
    /// operations on the same soup. Neither prevents the store from opening.
    func finishOperations() async throws {
        var waiting: Set<SoupName> = []
        for (number, operation) in try await read({ try LongOperation.pending(in: $0) })
        where !waiting.contains(operation.soup) {
            do {
                do {
                    _ = try await write { try operation.finish(number, in: $0) }
                } catch  where SoupError.isPermanent(error) {
                    try await write { try LongOperation.remove(number, in: $0) }
                }
            } catch  where !SoupError.isBusy(error) && !(error is CancellationError) {
                waiting.insert(operation.soup)
            }
        }
    }

    func close() async throws {
        defer { observers.finish() }
        let (pool, foreign, location, isReadOnly) = (pool, foreign, options.location, options.isReadOnly)
        // A read on a thread of Swift's pool would block there until the store is closed.
        slots.close()
        foreignChanges.close()
        do {
            // Closing blocks until all connections are free, so it runs on a thread where blocking is allowed.
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            try? foreign.close()
                            try pool.close()
                            // The store is closed; a remaining log does no harm.
                            if !isReadOnly { try? StoreFile.removeLog(of: location) }
                            location.close()
                        })
                }
            }
        } catch {
            throw SoupError.fromStore(error, file: options.path)
        }
    }

    // MARK: Loads

    /// The settings of the writing connection, in KiB: the length of the log after which SQLite copies it into the
    /// file, and the size of the page cache.
    ///
    /// A load writes to random places of the existing indexes, so both settings affect its speed.
    struct WriterSettings {
        var checkpoint: Int
        var cache: Int

        static let standard = WriterSettings(checkpoint: 8000, cache: 2000)
        static let load = WriterSettings(checkpoint: 128_000, cache: 16000)
    }

    /// Changes the number of active loads; completes even if the task is cancelled.
    func bulkLoad(_ active: Bool) async {
        let isLast = activeLoads.change(active)
        await Task {
            if active {
                await applyWriterSettings()
            } else if isLast {
                try? await finishLoads()
                await applyWriterSettings()
                await checkpoint()
            }
        }.value
    }

    /// Builds the indexes that loads have deferred; every write outside of a load calls this first.
    func finishLoads() async throws {
        let isWaiting = try await read { transaction in
            try transaction.catalog().tables.values.contains(where: \.indexesAreDeferred)
        }
        if isWaiting { try await write { _ in } }
    }

    /// Sets the settings for the loads that are active when the writing connection becomes available.
    private func applyWriterSettings() async {
        let (activeLoads, pageSize) = (activeLoads, options.location.pageSize)
        try? await withWriter { db in
            let settings = activeLoads.isActive ? WriterSettings.load : .standard
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(settings.checkpoint * 1024 / pageSize)")
            try db.execute(sql: "PRAGMA cache_size = -\(settings.cache)")
        }
    }

    /// Copies the log into the file, and releases the memory of the load.
    private func checkpoint() async {
        try? await withWriter { db in
            _ = try db.checkpoint(.passive)
            db.releaseMemory()
        }
    }

    func withWriter(_ work: @escaping @Sendable (Database) throws -> Void) async throws {
        try await ConnectionRequest.wait { request in
            self.pool.asyncWriteWithoutTransaction { db in
                request.perform { try self.foreign.whileWriting(db) { try work(db) } }
            }
        }
    }
}

/// The number of active loads.
final class ActiveLoads: Sendable {
    private let count = Mutex(0)

    var isActive: Bool { count.withLock { $0 > 0 } }

    /// Changes the number of loads by one; returns true if no load is left.
    func change(_ active: Bool) -> Bool {
        count.withLock { count in
            count = max(0, count + (active ? 1 : -1))
            return count == 0
        }
    }
}
