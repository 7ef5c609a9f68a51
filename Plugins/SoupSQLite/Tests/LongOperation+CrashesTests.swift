// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import GRDBSQLite
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSQLite

/// Alters and re-indexings that a kill or an error interrupts, at every statement that they run.
///
/// The files at a statement are those that a process killed at that point leaves.
@Suite struct LongOperationCrashesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var from: [IndexSpec]
        var to: [IndexSpec]?
        var testDescription: String { "\(from) to \(to ?? [])" }
    }

    static let mixed = [
        IndexSpec("a", .string), IndexSpec("b", .fullText), IndexSpec("c.d", .integer), IndexSpec("e", .json1),
    ]

    /// A case without `to` re-indexes the soup.
    static let cases = [
        Case(from: mixed, to: [mixed[3], mixed[1], mixed[0], mixed[2]]),
        Case(from: mixed, to: [IndexSpec("e", .floating)] + mixed),
        Case(from: mixed, to: [IndexSpec("c.d", .string), IndexSpec("a", .fullText), mixed[1]]),
        Case(from: mixed, to: [IndexSpec("b", .string)]),
        Case(from: mixed),
    ]

    /// A closed store; if the case re-indexes the soup, its columns contain stale values.
    func prepared(_ sample: Case) async throws -> TemporaryStore {
        var random = SeededRandom(seed: 5)
        let temporary = try TemporaryStore()
        let store = try await temporary.open()
        try await store.write { try $0.registerSoup("s", sample.from) }
        let long = String(repeating: "one ", count: 400)
        try await store.upsert(
            RecordBatch(
                try (0..<60).map { _ in
                    try JSONText("{\"long\":\"\(long)\"," + RandomSoup.record(&random).description.dropFirst())
                }))
        if sample.to == nil {
            try await store.connections.write { transaction in
                try transaction.db.execute(
                    sql: """
                        INSERT INTO TABLE_1_fts (TABLE_1_fts) VALUES ('delete-all');
                        UPDATE TABLE_1 SET TABLE_1_0 = 'stale', TABLE_1_1 = 'stale', TABLE_1_2 = NULL;
                        INSERT INTO TABLE_1_fts (TABLE_1_fts) VALUES ('rebuild');
                        """)
            }
        }
        try await store.close()
        return temporary
    }

    func run(_ sample: Case, on store: SQLiteStore) async throws {
        if let specs = sample.to {
            try await store.alterSoup("s", to: specs, reIndex: true)
        } else {
            try await store.reIndexSoup("s", paths: ["a", "b", "c.d", "e"])
        }
    }

    func copy(_ store: TemporaryStore) throws -> TemporaryStore {
        let copy = try TemporaryStore()
        try FileManager.default.copyItem(atPath: store.path, toPath: copy.path)
        return copy
    }

    /// Opens a closed store, checks it and returns its visible state.
    func state(_ temporary: TemporaryStore) async throws -> [String] {
        let store = try await temporary.open()
        let seen = try await RandomSoup.visibleState(store)
        try await store.checkIntegrity()
        #expect(try await store.rows("select count(*) from long_operations_status") == ["[0]"])
        try await store.close()
        return seen
    }

    @Test(arguments: cases) func `A kill at any statement leaves the old or the new state`(_ sample: Case) async throws
    {
        let start = try await prepared(sample)
        let before = try await state(try copy(start))
        let temporary = try copy(start)
        let store = try await temporary.open()
        // SQLite writes pages to the log long before the commit.
        try await store.connections.withWriter { db in try db.execute(sql: "PRAGMA cache_size = 5") }
        let snapshots = Mutex<[(file: Data, log: Data)]>([])
        @Sendable func takeSnapshot() {
            let files = (
                file: (try? Data(contentsOf: URL(filePath: temporary.path))) ?? Data(),
                log: (try? Data(contentsOf: URL(filePath: temporary.path + "-wal"))) ?? Data()
            )
            snapshots.withLock { if $0.last.map({ $0 != files }) ?? true { $0.append(files) } }
        }
        try await store.tracing({ _, _ in takeSnapshot() }) { try await run(sample, on: store) }
        takeSnapshot()
        try await store.close()
        let after = try await state(temporary)
        #expect(before != after)

        var states: [[String]] = []
        for files in snapshots.withLock({ $0 }) {
            let crashed = try TemporaryStore()
            try files.file.write(to: URL(filePath: crashed.path))
            try files.log.write(to: URL(filePath: crashed.path + "-wal"))
            states.append(try await state(crashed))
        }
        #expect(states.allSatisfy { $0 == before || $0 == after })
        // An operation that was recorded is finished; before that the store is unchanged.
        #expect(states.first == before && states.last == after)
        let begun = states.firstIndex(of: after) ?? states.count
        #expect(states[begun...].allSatisfy { $0 == after })
        #expect(states.count > 3, "the snapshots differ during the operation")
    }

    @Test(arguments: cases) func `An error at any statement leaves the old state`(_ sample: Case) async throws {
        let start = try await prepared(sample)
        let before = try await state(try copy(start))
        let whole = try copy(start)
        let count = Mutex(0)
        do {
            let store = try await whole.open()
            try await store.tracing({ _, _ in count.withLock { $0 += 1 } }) { try await run(sample, on: store) }
            try await store.close()
        }
        let (after, statements) = (try await state(whole), count.withLock { $0 })
        var failures = 0
        for number in stride(from: 0, to: statements, by: max(1, statements / 60)) {
            let temporary = try copy(start)
            let store = try await temporary.open()
            let begun = Mutex(0)
            var hasFailed = false
            do {
                try await store.tracing({ db, _ in
                    let current = begun.withLock { begun in
                        defer { begun += 1 }
                        return begun
                    }
                    if current == number { sqlite3_interrupt(db.sqliteConnection) }
                }) { try await run(sample, on: store) }
            } catch {
                hasFailed = true
            }
            failures += hasFailed ? 1 : 0
            let expected = hasFailed ? before : after
            #expect(try await RandomSoup.visibleState(store) == expected, "statement \(number) of \(statements)")
            #expect(try await store.rows("select count(*) from long_operations_status") == ["[0]"])
            try await store.close()
            #expect(try await state(temporary) == expected, "statement \(number) of \(statements)")
        }
        #expect(failures > 10)
    }

    /// Another process was killed before it performed its recorded operation; this process uses the same soup.
    @Test func `A pending operation of another process is done first`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("a", .string))
        try await store.upsert(try records(#"{"a":"x","b":"y"}"#))
        let other = LongOperation(
            .alter(to: [IndexSpec("a", .string), IndexSpec("b", .string)], reIndex: false), on: "s")
        _ = try await store.connections.write { try other.begin(in: $0) }
        try await store.reIndexSoup("s", paths: ["b"])
        #expect(try await store.rows("select {s:a}, {s:b} from {s}") == [#"["x","y"]"#])
        _ = try await store.connections.write { try other.begin(in: $0) }
        try await store.alterSoup("s", to: [IndexSpec("b", .integer)], reIndex: true)
        #expect(try await store.read { try $0.indexSpecs(of: "s") } == [IndexSpec("b", .integer)])
        #expect(try await store.rows("select count(*) from long_operations_status") == ["[0]"])
        try await store.close()
        #expect(try await temporary.open().read { try $0.indexSpecs(of: "s") } == [IndexSpec("b", .integer)])
    }

    @Test func `The next open finishes an interrupted re-indexing`() async throws {
        let temporary = try TemporaryStore()
        let specs = [IndexSpec("a", .string), IndexSpec("b", .string)]
        do {
            let store = try await temporary.open(specs[0])
            try await store.upsert(try records(#"{"a":"x","b":"y"}"#))
            try await store.alterSoup("s", to: specs, reIndex: false)
            _ = try await store.connections.write { try LongOperation(.reIndex(["b"]), on: "s").begin(in: $0) }
            #expect(try await store.rows("select {s:b} from {s}") == ["[null]"])
            try await store.close()
        }
        let store = try await temporary.open()
        #expect(try await store.rows("select {s:b} from {s}") == [#"["y"]"#])
        #expect(try await store.rows("select count(*) from long_operations_status") == ["[0]"])
    }
}
