// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import SoupCore
import Synchronization
import Testing

@testable import SoupSQLite

/// Recorded operations that fail because of the disk or of the list, or that another process takes over.
@Suite struct LongOperationFailuresTests {
    static let old = [IndexSpec("k", .string)]
    static let new = [IndexSpec("n", .integer), IndexSpec("text", .string), IndexSpec("k", .string)]

    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// A store with a soup whose alteration needs space on the disk.
    func open() async throws -> SQLiteStore {
        let store = try await temporary.open(Self.old[0])
        let text = String(repeating: "some text ", count: 100)
        let texts = try (0..<100).map { try JSONText(#"{"k":"\#($0)","n":\#($0),"text":"\#(text)"}"#) }
        try await store.upsert(RecordBatch(texts))
        return store
    }

    func begin(_ operation: LongOperation, in store: SQLiteStore) async throws -> Int64 {
        try await store.connections.write { try operation.begin(in: $0) }
    }

    func listed(_ store: SQLiteStore) async throws -> [String] {
        try await store.rows("select id from long_operations_status order by id")
    }

    func specs(_ store: SQLiteStore, _ soup: SoupName = "s") async throws -> [IndexSpec] {
        try await store.read { try $0.indexSpecs(of: soup) }
    }

    /// Limits the writing connection to some free pages.
    func fill(_ store: SQLiteStore, free: Int64) async throws {
        try await store.connections.withWriter { db in
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + free)")
        }
    }

    // MARK: The disk

    @Test func `A later open repeats an operation that the disk refused`() async throws {
        let store = try await open()
        let number = try await begin(LongOperation(.alter(to: Self.new, reIndex: true), on: "s"), in: store)
        // The second operation must not be performed before the first.
        let later = try await begin(LongOperation(.alter(to: [Self.new[0]], reIndex: true), on: "s"), in: store)
        try await store.write { try $0.registerSoup("t", Self.old) }
        let other = LongOperation(.alter(to: [IndexSpec("k", .integer)], reIndex: true), on: "t")
        _ = try await begin(other, in: store)
        let before = try await store.dump()
        try await fill(store, free: 2)
        // The call that an open makes.
        try await store.connections.finishOperations()
        #expect(try await listed(store) == ["[\(number)]", "[\(later)]"])
        #expect(try await specs(store) == Self.old)
        #expect(
            try await specs(store, "t") == [IndexSpec("k", .integer)], "an operation that needs no space is performed")
        #expect(try await store.dump() == before)

        // A caller that alters the soup now gets an error, and the pending operations stay pending.
        #expect(
            await code { try await store.alterSoup("s", to: [IndexSpec("text", .string)], reIndex: true) }
                == .storeUnusable)
        #expect(try await listed(store) == ["[\(number)]", "[\(later)]"])
        #expect(try await specs(store) == Self.old)
        try await store.close()

        let again = try await temporary.open()
        #expect(try await listed(again) == [])
        #expect(try await specs(again) == [Self.new[0]])
        #expect(try await again.dump() == before)
    }

    @Test func `An impossible operation is removed from the list`() async throws {
        let store = try await open()
        let before = try await store.wholeState()
        _ = try await begin(LongOperation(.alter(to: Self.new, reIndex: true), on: "s"), in: store)
        try await store.connections.withWriter { db in
            try db.execute(
                sql: "UPDATE long_operations_status SET details = json_set(details, '$.newIndexSpecs', json('[]'))")
        }
        try await store.close()
        let again = try await temporary.open()
        #expect(try await listed(again) == [])
        #expect(try await again.wholeState() == before)
    }

    @Test func `Errors are permanent or temporary`() {
        func isPermanent(_ code: Int32) -> Bool {
            let cause = DatabaseError(resultCode: ResultCode(rawValue: code))
            return SoupError.isPermanent(SoupError.sqlite(code: code, message: "m", cause: cause))
        }
        // Permanent: error, constraint, too big. Temporary: busy, out of memory, read-only, interrupted, I/O, damaged,
        // full, no file, protocol.
        #expect([1, 19, 18].allSatisfy(isPermanent))
        #expect(![5, 7, 8, 9, 10, 11, 13, 14, 15].contains(where: isPermanent))
        #expect(SoupError.isPermanent(SoupError(.soupNotFound, "m")) && !SoupError.isPermanent(CancellationError()))
    }

    // MARK: The list

    /// The operation fails, and so does its removal from the list; the error reports that it is still pending.
    @Test func `A failed removal from the list is reported`() async throws {
        let store = try await open()
        let before = try await store.dump()
        try await store.connections.withWriter { db in
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER stuck BEFORE DELETE ON main.long_operations_status
                    BEGIN SELECT RAISE(ABORT, 'stuck'); END
                    """)
        }
        let error = await #expect(throws: SoupError.self) {
            try await store.alterSoup("s", to: Self.new, reIndex: true)
        }
        #expect(error?.message.contains("could not be removed from the list of pending operations") == true)
        #expect(error?.hint?.hasPrefix("Open the store again to repeat the operation") == true)
        #expect(try await specs(store) == Self.old)
        #expect(try await listed(store).count == 1)
        try await store.close()
        let again = try await temporary.open()
        #expect(try await specs(again) == Self.new)
        #expect(try await listed(again) == [])
        #expect(try await again.dump() == before)
    }

    // MARK: Another process

    /// Runs the work while another process empties the list before each of its transactions.
    func withOperationsTaken(from store: SQLiteStore, perform work: () async throws -> Void) async throws {
        let other = try DatabaseQueue(path: temporary.path)
        try await store.tracing({ _, sql in
            guard sql.hasPrefix("BEGIN") else { return }
            try? other.write { db in try db.execute(sql: "DELETE FROM long_operations_status") }
        }) { try await work() }
        try other.close()
    }

    @Test(.usesPlainFile) func `An alter lost to another process is an error`() async throws {
        let store = try await open()
        let before = try await store.wholeState()
        let error = await #expect(throws: SoupError.self) {
            try await withOperationsTaken(from: store) { try await store.alterSoup("s", to: Self.new, reIndex: true) }
        }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message.contains("another process took over") == true)
        #expect(try await store.wholeState() == before)
        try await store.alterSoup("s", to: Self.new, reIndex: true)
        #expect(try await specs(store) == Self.new)
    }

    @Test(.usesPlainFile) func `A re-indexing lost to another process is still done`() async throws {
        let store = try await open()
        try await store.connections.write { try $0.db.execute(sql: "UPDATE TABLE_1 SET TABLE_1_0 = 'stale'") }
        try await withOperationsTaken(from: store) { try await store.reIndexSoup("s", paths: ["k"]) }
        #expect(try await store.rows("select count(*) from {s} where {s:k} = 'stale'") == ["[0]"])
    }

    @Test func `An alter done by another process succeeds`() async throws {
        let store = try await open()
        let operation = LongOperation(.alter(to: Self.new, reIndex: true), on: "s")
        let number = try await begin(operation, in: store)
        let other = try await temporary.open()
        #expect(try await specs(other) == Self.new)
        try await store.connections.write { try operation.finishForCaller(number, in: $0) }
        #expect(try await specs(store) == Self.new)
        try await store.write { try $0.removeSoup("s") }
        #expect(
            await code { try await store.connections.write { try operation.finishForCaller(number, in: $0) } }
                == .soupNotFound)
    }
}
