// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore
internal import Synchronization

/// Ends one read when its task is cancelled, or when it takes too long for the thread that it is on; even in the middle
/// of a query, and no other read with it.
///
/// SQLite asks at every few hundred steps of a query whether to go on. Interrupting the connection instead would miss
/// a query that is just about to begin, and might hit the next read on the same connection.
final class ReadCancellation: Sendable {
    private let flag = Atomic(false)
    private let isLate = Atomic(false)
    private let deadline: ContinuousClock.Instant?

    /// How many steps of SQLite's machine lie between two questions.
    ///
    /// Most take some nanoseconds; those that read a long text or take it apart as JSON, a hundred microseconds and
    /// more.
    private static var steps: Int32 { 200 }

    /// - Parameter patience: after how long the read is given up; nil for a read that may take its time.
    init(patience: Duration? = nil) { deadline = patience.map { .now + $0 } }

    var isCancelled: Bool { flag.load(ordering: .relaxed) }
    /// Whether the read was given up.
    var isImpatient: Bool { isLate.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }

    /// - Throws: `CancellationError`.
    func check() throws {
        if !mayGoOn() { throw CancellationError() }
    }

    private func mayGoOn() -> Bool {
        if let deadline, .now >= deadline { isLate.store(true, ordering: .relaxed) }
        return !isCancelled && !isImpatient
    }

    /// Runs a read on a connection that asks this value whether to go on.
    func guarding<T>(_ db: Database, _ body: () throws -> T) throws -> T {
        let connection = db.sqliteConnection
        sqlite3_progress_handler(
            connection, Self.steps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ReadCancellation>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body() }
    }
}
