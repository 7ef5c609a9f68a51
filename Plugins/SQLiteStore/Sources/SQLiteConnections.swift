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
    private let activeLoads: ActiveLoads
    private let seats: ReaderSeats

    init(pool: DatabasePool, options: SQLiteOptions, activeLoads: ActiveLoads) {
        self.pool = pool
        self.options = options
        self.activeLoads = activeLoads
        seats = ReaderSeats(pool.configuration.maximumReaderCount)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) throws -> T) async throws -> T {
        try await Turn.wait { turn in
            self.pool.asyncWriteWithoutTransaction { db in
                turn.take { try self.runWrite(db, body) }
            }
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) throws -> T) async throws -> T {
        let cancellation = ReadCancellation()
        return try await Turn.wait(telling: cancellation) { turn in
            self.seats.enter()
            self.pool.asyncRead { database in
                defer { self.seats.leave() }
                turn.take {
                    do {
                        return try self.runRead(try database.get(), cancellation, body)
                    } catch {
                        throw SoupError.fromStore(error, file: self.options.path)
                    }
                }
            }
        }
    }

    /// Reads on the calling thread, which spares a short query two changes of threads: most of its time, and all of its
    /// delays while another thread is busy with a load.
    ///
    /// The thread is one of the few of Swift's pool, so that the read neither waits for a reader nor takes long here:
    /// then it begins anew elsewhere.
    func quickRead<T: Sendable>(_ body: @escaping @Sendable (SQLiteTransaction) throws -> T) async throws -> T {
        try Task.checkCancellation()
        if let result = try readHere(body) { return result }
        return try await read(body)
    }

    /// Whether the body of a read calls: synchronous forms can, and a thread may enter no second reader.
    @TaskLocal private static var isInRead = false

    /// Nil when there is no reader left, or when the read takes too long.
    private func readHere<T>(_ body: (SQLiteTransaction) throws -> T) throws -> T? {
        guard !Self.isInRead, seats.tryEnter() else { return nil }
        defer { seats.leave() }
        let cancellation = ReadCancellation(patience: Self.patience)
        do {
            let result = try pool.read { db in try runRead(db, cancellation, body) }
            return cancellation.isImpatient ? nil : result
        } catch {
            if cancellation.isImpatient { return nil }
            throw SoupError.fromStore(error, file: options.path)
        }
    }

    /// Long enough for a page of some thousand entries.
    private static var patience: Duration { .milliseconds(10) }

    private func runRead<T>(
        _ db: Database, _ cancellation: ReadCancellation, _ body: (SQLiteTransaction) throws -> T
    ) throws -> T {
        let transaction = SQLiteTransaction(
            db, options: options, cache: cache, loadedKeys: loadedKeys, cancellation: cancellation)
        return try Self.$isInRead.withValue(true) { try cancellation.guarding(db) { try body(transaction) } }
    }

    private func runWrite<T>(_ db: Database, _ body: (SQLiteTransaction) throws -> T) throws -> T {
        let transaction = SQLiteTransaction(db, options: options, cache: cache, loadedKeys: loadedKeys)
        var result: T?
        do {
            try db.inTransaction(.immediate) {
                if !activeLoads.isActive { try transaction.buildDeferredIndexes() }
                result = try body(transaction)
                if let failure = transaction.failure { throw failure }
                return .commit
            }
        } catch {
            throw SoupError.fromStore(error, file: options.path)
        }
        observers.send(transaction.changedSoups)
        guard let result else { throw CancellationError() }
        return result
    }

    // MARK: Long operations

    /// Writes the operation down, then does it, in one turn at the connection: once it is written down it is done, also
    /// in a task that is cancelled, or by the next open if need be.
    ///
    /// One that fails is struck out: the soup stays as it was, and no later open tries again what nobody waits for. The
    /// error of one that cannot even be struck out says that the next open will do it.
    func run(_ operation: LongOperation) async throws {
        try await Turn.wait { turn in
            self.pool.asyncWriteWithoutTransaction { db in
                turn.take {
                    let number = try self.runWrite(db) { try operation.begin(in: $0) }
                    try self.strikingOut(number, db) {
                        try self.finishOperations(before: number, on: operation.soup, db)
                        try self.runWrite(db) { try operation.finishForCaller(number, in: $0) }
                    }
                }
            }
        }
        // All of it has gone through the log.
        await checkpoint()
    }

    /// Does some work; an operation whose work fails is struck out.
    private func strikingOut(_ number: Int64, _ db: Database, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch {
            do {
                try runWrite(db) { try LongOperation.strikeOut(number, in: $0) }
            } catch let second {
                throw SoupError.stillListed(error, second)
            }
            throw error
        }
    }

    /// Does what another process has left over, so that the newest operation is the last.
    private func finishOperations(before number: Int64, on soup: SoupName, _ db: Database) throws {
        let older = try runWrite(db) { transaction in
            try LongOperation.pending(in: transaction).filter { $0.number < number && $0.operation.soup == soup }
        }
        for (number, operation) in older {
            do {
                _ = try runWrite(db) { try operation.finish(number, in: $0) }
            } catch  where SoupError.isForGood(error) {
                // Nobody waits to hear what cannot be done.
                try runWrite(db) { try LongOperation.strikeOut(number, in: $0) }
            }
        }
    }

    /// Does what was cut off; what can never be done is struck out.
    ///
    /// What the file or the disk refuses for now stays listed for a later open, and so does what comes after it for the
    /// same soup; neither keeps the store closed.
    func finishOperations() async throws {
        var waiting: Set<SoupName> = []
        for (number, operation) in try await read({ try LongOperation.pending(in: $0) })
        where !waiting.contains(operation.soup) {
            do {
                do {
                    _ = try await write { try operation.finish(number, in: $0) }
                } catch  where SoupError.isForGood(error) {
                    try await write { try LongOperation.strikeOut(number, in: $0) }
                }
            } catch  where !SoupError.isBusy(error) && !(error is CancellationError) {
                waiting.insert(operation.soup)
            }
        }
    }

    func close() async throws {
        defer { observers.finish() }
        let (pool, path, isReadOnly) = (pool, options.path, options.isReadOnly)
        // A read on a thread of Swift's pool would wait for the closing there.
        seats.close()
        do {
            // It waits for connections in use; a thread of its own may.
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            try pool.close()
                            // The store is closed; a log that stays is no loss.
                            if !isReadOnly { try? StoreFile.takeLogAway(path) }
                        })
                }
            }
        } catch {
            throw SoupError.fromStore(error, file: options.path)
        }
    }

    // MARK: Loads

    /// How the writing connection works: the log pages after which SQLite copies them into the file, and the KiB of
    /// pages that it keeps in memory.
    ///
    /// A load writes all over the indexes that are there, so that both pay for it.
    struct Pace {
        var checkpoint: Int
        var cache: Int

        static let usual = Pace(checkpoint: 1000, cache: 2000)
        static let load = Pace(checkpoint: 16000, cache: 16000)
    }

    /// Counts a load in or out; runs to its end, also in a task that was cancelled.
    func bulkLoad(_ active: Bool) async {
        let isLast = activeLoads.change(active)
        await Task {
            if active {
                await setPace()
            } else if isLast {
                try? await finishLoads()
                await setPace()
                await checkpoint()
            }
        }.value
    }

    /// Any write outside of a load begins by building the indexes that loads have left out.
    func finishLoads() async throws {
        let isWaiting = try await read { transaction in
            try transaction.catalog().tables.values.contains(where: \.indexesAreDeferred)
        }
        if isWaiting { try await write { _ in } }
    }

    /// Sets the pace for the loads that are active when the writing connection gets to it.
    private func setPace() async {
        let activeLoads = activeLoads
        try? await withWriter { db in
            let pace = activeLoads.isActive ? Pace.load : .usual
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(pace.checkpoint)")
            try db.execute(sql: "PRAGMA cache_size = -\(pace.cache)")
        }
    }

    /// Copies the log into the file, and lets go of the memory that the load took.
    private func checkpoint() async {
        try? await withWriter { db in
            _ = try db.checkpoint(.passive)
            db.releaseMemory()
        }
    }

    func withWriter(_ work: @escaping @Sendable (Database) throws -> Void) async throws {
        try await Turn.wait { turn in
            self.pool.asyncWriteWithoutTransaction { db in turn.take { try work(db) } }
        }
    }
}

/// How many loads are active.
final class ActiveLoads: Sendable {
    private let count = Mutex(0)

    var isActive: Bool { count.withLock { $0 > 0 } }

    /// Counts a load in or out; true when none is left.
    func change(_ active: Bool) -> Bool {
        count.withLock { count in
            count = max(0, count + (active ? 1 : -1))
            return count == 0
        }
    }
}
