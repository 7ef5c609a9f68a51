// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore
internal import Synchronization

/// Ends one read, even during a query, if its task is cancelled or if it takes too long for its thread.
///
/// Other reads are not affected.
///
/// SQLite asks every few hundred steps of a query whether to continue. Interrupting the connection instead would miss a
/// query that is about to begin, and could interrupt the next read on the same connection.
final class ReadCancellation: Sendable {
    private let flag: CancellationFlag
    private let timedOut = Atomic(false)
    private let deadline: ContinuousClock.Instant?

    /// The number of steps of SQLite's virtual machine between two checks.
    ///
    /// Most steps take some nanoseconds. Steps that read a long text or parse it as JSON take a hundred microseconds
    /// and more.
    private static var steps: Int32 { 200 }

    /// - Parameters:
    ///   - timeLimit: the time after which the read is ended; nil for a read without a limit.
    ///   - flag: the flag that also ends the read.
    init(timeLimit: Duration? = nil, flag: CancellationFlag = CancellationFlag()) {
        self.flag = flag
        deadline = timeLimit.map { .now + $0 }
    }

    var isCancelled: Bool { flag.isSet }
    /// Whether the read was ended because it took too long.
    var hasTimedOut: Bool { timedOut.load(ordering: .relaxed) }

    func cancel() { flag.set() }

    /// - Throws: `CancellationError`.
    func check() throws {
        if !shouldContinue() { throw CancellationError() }
    }

    private func shouldContinue() -> Bool {
        if let deadline, .now >= deadline { timedOut.store(true, ordering: .relaxed) }
        return !isCancelled && !hasTimedOut
    }

    /// Runs a read on a connection that checks this value periodically.
    func guarding<T>(_ db: Database, _ body: () throws -> T) throws -> T {
        let connection = db.sqliteConnection
        sqlite3_progress_handler(
            connection, Self.steps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ReadCancellation>.fromOpaque(context).takeUnretainedValue().shouldContinue() ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body() }
    }
}
