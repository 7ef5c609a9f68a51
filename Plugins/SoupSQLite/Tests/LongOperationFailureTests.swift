// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import SoupCore
import Synchronization
import Testing

@testable import SoupSQLite

/// Operations that were written down and are refused by the disk, by the list itself, or taken over by another process.
@Suite struct LongOperationFailureTests {
    static let old = [IndexSpec("k", .string)]
    static let new = [IndexSpec("n", .integer), IndexSpec("text", .string), IndexSpec("k", .string)]

    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// A store with a soup whose alteration takes room.
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

    /// Leaves some free pages to the connection that writes.
    func fill(_ store: SQLiteStore, free: Int64) async throws {
        try await store.connections.withWriter { db in
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + free)")
        }
    }

    // MARK: The disk

    @Test func `What a disk refuses at an open is done by a later one`() async throws {
        let store = try await open()
        let number = try await begin(LongOperation(.alter(to: Self.new, reIndex: true), on: "s"), in: store)
        // It comes after the alter, and must not be done before it.
        let later = try await begin(LongOperation(.alter(to: [Self.new[0]], reIndex: true), on: "s"), in: store)
        try await store.write { try $0.registerSoup("t", Self.old) }
        let other = LongOperation(.alter(to: [IndexSpec("k", .integer)], reIndex: true), on: "t")
        _ = try await begin(other, in: store)
        let before = try await store.dump()
        try await fill(store, free: 2)
        // As an open does it.
        try await store.connections.finishOperations()
        #expect(try await listed(store) == ["[\(number)]", "[\(later)]"])
        #expect(try await specs(store) == Self.old)
        #expect(try await specs(store, "t") == [IndexSpec("k", .integer)], "what needs no room is done")
        #expect(try await store.dump() == before)

        // Whoever alters the soup meanwhile hears why he cannot, and what waits goes on waiting.
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

    @Test func `What can never be done is struck out`() async throws {
        let store = try await open()
        let before = try await store.world()
        _ = try await begin(LongOperation(.alter(to: Self.new, reIndex: true), on: "s"), in: store)
        try await store.connections.withWriter { db in
            try db.execute(
                sql: "UPDATE long_operations_status SET details = json_set(details, '$.newIndexSpecs', json('[]'))")
        }
        try await store.close()
        let again = try await temporary.open()
        #expect(try await listed(again) == [])
        #expect(try await again.world() == before)
    }

    @Test func `What lasts and what does not`() {
        func isForGood(_ code: Int32) -> Bool {
            let cause = DatabaseError(resultCode: ResultCode(rawValue: code))
            return SoupError.isForGood(SoupError.sqlite(code: code, message: "m", cause: cause))
        }
        // Error, constraint, too big; then busy, out of memory, read-only, cut off, I/O, damaged, full, no file,
        // protocol.
        #expect([1, 19, 18].allSatisfy(isForGood))
        #expect(![5, 7, 8, 9, 10, 11, 13, 14, 15].contains(where: isForGood))
        #expect(SoupError.isForGood(SoupError(.soupNotFound, "m")) && !SoupError.isForGood(CancellationError()))
    }

    // MARK: The list

    /// The work fails, and so does striking it out: the caller hears that it is not over.
    @Test func `What cannot be struck out is told`() async throws {
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
        #expect(error?.hint?.contains("the next open of the store tries again") == true)
        #expect(try await specs(store) == Self.old)
        #expect(try await listed(store).count == 1)
        try await store.close()
        let again = try await temporary.open()
        #expect(try await specs(again) == Self.new)
        #expect(try await listed(again) == [])
        #expect(try await again.dump() == before)
    }

    // MARK: Another process

    /// Lets another process empty the list before each transaction of the work.
    func robbed(_ store: SQLiteStore, _ work: () async throws -> Void) async throws {
        let other = try DatabaseQueue(path: temporary.path)
        try await store.tracing({ _, sql in
            guard sql.hasPrefix("BEGIN") else { return }
            try? other.write { db in try db.execute(sql: "DELETE FROM long_operations_status") }
        }) { try await work() }
        try other.close()
    }

    @Test func `An alter that another took and did not do is an error`() async throws {
        let store = try await open()
        let before = try await store.world()
        let error = await #expect(throws: SoupError.self) {
            try await robbed(store) { try await store.alterSoup("s", to: Self.new, reIndex: true) }
        }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message.contains("another process took over") == true)
        #expect(try await store.world() == before)
        try await store.alterSoup("s", to: Self.new, reIndex: true)
        #expect(try await specs(store) == Self.new)
    }

    @Test func `Indexing anew that another took is done all the same`() async throws {
        let store = try await open()
        try await store.connections.write { try $0.db.execute(sql: "UPDATE TABLE_1 SET TABLE_1_0 = 'stale'") }
        try await robbed(store) { try await store.reIndexSoup("s", paths: ["k"]) }
        #expect(try await store.rows("select count(*) from {s} where {s:k} = 'stale'") == ["[0]"])
    }

    @Test func `What another has done is done`() async throws {
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
