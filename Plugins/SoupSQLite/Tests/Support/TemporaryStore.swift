// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupCore
import Synchronization
import SoupTestStores
import Testing

/// A temporary folder and the stores in it; the folder is removed with this object.
final class TemporaryStore: Sendable {
    let folder: String
    let clock = TestClock(1_000)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var path: String { folder + "/store.sqlite" }

    func open(booleanCompatibility: Bool = true) async throws -> SQLiteStore {
        try await SQLiteStore.open(
            .init(
                path: path, booleanCompatibility: booleanCompatibility, busyTimeout: .zero,
                encryption: .ofAllTests),
            clock: clock)
    }

    /// Opens a store with one soup `s`.
    func open(_ specs: IndexSpec...) async throws -> SQLiteStore {
        let store = try await open()
        try await store.write { try $0.registerSoup("s", specs) }
        return store
    }
}

extension Trait where Self == ConditionTrait {
    /// Excludes a test that uses the file without the store when all stores are encrypted.
    static var usesPlainFile: Self {
        .enabled(if: SQLiteStore.Encryption.ofAllTests == nil, "the test uses the file without the store")
    }
}

/// A clock that changes only when a test sets it or sleeps.
final class TestClock: SoupClock {
    private let time: Mutex<Int64>
    init(_ now: Int64) { time = Mutex(now) }
    var now: Date { Date(millisecondsSince1970: time.withLock { $0 }) }
    func set(_ now: Int64) { time.withLock { $0 = now } }
    func sleep(for duration: Duration) async throws { time.withLock { $0 += duration.milliseconds } }
}

/// Returns a batch of records written as JSON in the source of a test.
func records(_ texts: String...) throws -> RecordBatch { RecordBatch(try texts.map { try JSONText($0) }) }

extension SQLiteStore {
    /// Returns the whole soup as text, one entry per line: `id@version json`.
    func dump(_ soup: SoupName = "s") async throws -> [String] {
        try await read { reader in
            try reader.query(.all(soup, orderedBy: "_soupEntryId", pageSize: 1_000_000)).entries.map {
                "\($0.id)@\($0.version) \($0.stored)"
            }
        }
    }

    /// Returns the rows of a Smart SQL query, one per line.
    func rows(_ sql: String, _ arguments: JSONValue...) async throws -> [String] {
        try await read {
            try $0.query(.smart(sql, pageSize: 1000), page: 0, arguments: arguments).rows.map(\.description)
        }
    }

    /// Returns the content of all tables and indexes of the store, and the result of SQLite's integrity check.
    func wholeState() async throws -> [String] {
        let tables = try await rows("select name, sql from sqlite_schema where name not like 'long_op%' order by name")
        let names = try await rows("select name from sqlite_schema where type = 'table' and name like 'TABLE%'")
        // Without lastWrite, which contains a random number of the opened store.
        let soups = try await rows("select id, soupName, lastEntryId, indexesDeferred, specNumbers from soup_attrs")
        var state = tables + soups
        state += try await rows("select * from soup_index_map order by soupName, path")
        for name in names.sorted() where !name.contains("_fts_") {
            state += try await rows("select * from \(name.dropFirst(2).dropLast(2))").sorted()
        }
        return state + (try await rows("select * from pragma_integrity_check"))
    }

    func plan(of spec: QuerySpec, arguments: [JSONValue] = []) async throws -> [String] {
        try await read { try $0.plan(of: spec, arguments: arguments) }
    }

    @discardableResult
    func upsert(
        _ batch: RecordBatch, into soup: SoupName = "s", matching: UpsertMatch = .entryId,
        stamping: RecordBatch.Stamp = .none,
        guarding: WriteGuard = .none
    ) async throws -> [UpsertResult] {
        try await write {
            try $0.upsert(batch, into: soup, matching: matching, stamping: stamping, guarding: guarding)
        }
    }
}

/// Returns the code of the error that the work throws; nil if it throws none.
func code(_ work: () async throws -> Void) async -> SoupError.Code? {
    do {
        try await work()
        return nil
    } catch {
        return (error as? SoupError)?.code ?? SoupError.Code(rawValue: "not a SoupError: \(error)")
    }
}
