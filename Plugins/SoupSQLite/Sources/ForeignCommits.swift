// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore
internal import Synchronization

/// Counts the changes that other connections than those of the store have committed.
///
/// SQLite's `data_version` of a connection changes if any other connection has committed. One connection, which never
/// writes, notices all commits. The writing connection does not notice its own ones: if its version is the same before
/// and after a write, all commits in between are those of the write.
///
/// The connection is opened at the first call of ``count()``, and costs nothing before.
final class ForeignCommits: Sendable {
    private struct State {
        var watch: DatabaseQueue?
        var isClosed = false
        /// The version of the watching connection that is included in the count.
        var version: Int64 = 0
        var count: Int64 = 0
        /// The writing connection's version when the write in progress began; nil if the commits are not watched.
        var versionOfWriter: Int64?
        var isWriting = false
    }

    private let state = Mutex(State())
    private let open: @Sendable () throws -> DatabaseQueue

    /// - Parameter open: opens a connection that only reads.
    init(open: @escaping @Sendable () throws -> DatabaseQueue) { self.open = open }

    /// Returns the number of the changes; nil while a write of this store is in progress whose commit cannot be
    /// distinguished from others.
    func count() throws -> Int64? {
        try state.withLock { state in
            if state.isClosed { throw SoupError.storeClosed }
            guard let watch = state.watch else {
                // A write in progress began without recording its version.
                if state.isWriting { return nil }
                let watch = try open()
                state.version = try Self.version(of: watch)
                state.watch = watch
                return state.count
            }
            let version = try Self.version(of: watch)
            if version == state.version { return state.count }
            return state.isWriting ? nil : Self.note(version, in: &state)
        }
    }

    /// Runs work that may commit changes on the writing connection.
    func whileWriting<T>(_ db: Database, _ work: () throws -> T) rethrows -> T {
        begin(db)
        defer { end(db) }
        return try work()
    }

    private func begin(_ db: Database) {
        state.withLock { state in
            state.isWriting = true
            guard let watch = state.watch else { return }
            // In this order: a foreign commit between the two is counted now or at the end.
            guard let before = try? Self.version(of: db), let version = try? Self.version(of: watch) else { return }
            state.versionOfWriter = before
            if version != state.version { Self.note(version, in: &state) }
        }
    }

    private func end(_ db: Database) {
        state.withLock { state in
            state.isWriting = false
            guard let watch = state.watch, let before = state.versionOfWriter else { return }
            state.versionOfWriter = nil
            // In this order: a foreign commit between the two is counted now or by the next call. If a version cannot
            // be read, the next call counts the commit of this write as a foreign one, which is safe.
            guard let version = try? Self.version(of: watch), let after = try? Self.version(of: db) else { return }
            if after != before { state.count += 1 }
            state.version = version
        }
    }

    func close() throws {
        let watch = state.withLock { state in
            defer { state.watch = nil }
            state.isClosed = true
            return state.watch
        }
        try watch?.close()
    }

    @discardableResult private static func note(_ version: Int64, in state: inout State) -> Int64 {
        state.version = version
        state.count += 1
        return state.count
    }

    private static func version(of watch: DatabaseQueue) throws -> Int64 {
        try watch.unsafeRead { db in try version(of: db) }
    }

    static func version(of db: Database) throws -> Int64 {
        let statement = try RawStatement(db, "PRAGMA data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
