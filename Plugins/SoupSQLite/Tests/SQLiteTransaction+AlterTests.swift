// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSQLite

/// Changes of the index specs of soups that contain entries.
@Suite struct SQLiteTransactionAlterTests {
    @Test(arguments: 0..<60) func `An altered soup equals one registered with those specs`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let temporary = try TemporaryStore()
        let store = try await temporary.open()
        let first = RandomSoup.specs(&random)
        try await store.write { try $0.registerSoup("s", first) }
        let before = RecordBatch(try (0..<20).map { _ in try RandomSoup.record(&random) })
        let after = RecordBatch(try (0..<5).map { _ in try RandomSoup.record(&random) })
        try await store.upsert(before)
        var specs = first
        for _ in 0..<3 {
            specs = RandomSoup.specs(&random)
            try await store.alterSoup("s", to: specs, reIndex: true)
        }
        try await store.upsert(after)

        let other = try TemporaryStore()
        let fresh = try await other.open()
        let last = specs
        try await fresh.write { try $0.registerSoup("s", last) }
        try await fresh.upsert(before)
        try await fresh.upsert(after)
        #expect(
            try await RandomSoup.visibleState(store) == (try await RandomSoup.visibleState(fresh)),
            "\(first) became \(last)")
        try await store.checkIntegrity()
    }

    @Test func `Without re-indexing new paths have no values`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("a", .string))
        try await store.upsert(try records(#"{"a":"x","b":"y"}"#))
        try await store.alterSoup("s", to: [IndexSpec("b", .string), IndexSpec("a", .string)], reIndex: false)
        #expect(try await store.rows("select {s:a}, {s:b} from {s}") == [#"["x",null]"#])
        try await store.reIndexSoup("s", paths: ["b", "nothing"])
        #expect(try await store.rows("select {s:a}, {s:b} from {s}") == [#"["x","y"]"#])
        #expect(try await store.dump() == [#"1@1000 {"a":"x","b":"y"}"#])
    }

    @Test func `An alter that is refused changes nothing`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("a", .string))
        try await store.upsert(try records(#"{"a":"x"}"#))
        let before = try await RandomSoup.visibleState(store)
        #expect(await code { try await store.alterSoup("s", to: [], reIndex: true) } == .noIndexSpecs)
        #expect(
            await code { try await store.alterSoup("t", to: [IndexSpec("a", .string)], reIndex: true) } == .soupNotFound
        )
        #expect(await code { try await store.reIndexSoup("t", paths: ["a"]) } == .soupNotFound)
        #expect(try await RandomSoup.visibleState(store) == before)
        #expect(try await store.rows("select count(*) from long_operations_status") == ["[0]"])
    }

    @Test func `An alter does not reuse entry IDs`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("a", .string))
        try await store.upsert(try records("{}", "{}", "{}"))
        _ = try await store.write { try $0.remove([2, 3], from: "s") }
        try await store.alterSoup("s", to: [IndexSpec("b", .string)], reIndex: true)
        #expect(try await store.upsert(try records("{}")).map(\.id) == [4])
    }

    /// The process ends after the operation was recorded and before it was performed.
    @Test func `The next open finishes an interrupted alter`() async throws {
        let temporary = try TemporaryStore()
        let specs = [IndexSpec("b", .string), IndexSpec("a", .fullText)]
        do {
            let store = try await temporary.open(IndexSpec("a", .string))
            try await store.upsert(try records(#"{"a":"x","b":"y"}"#))
            let operation = LongOperation(.alter(to: specs, reIndex: true), on: "s")
            _ = try await store.connections.write { try operation.begin(in: $0) }
            #expect(try await store.read { try $0.indexSpecs(of: "s") } == [IndexSpec("a", .string)])
            try await store.close()
        }
        let store = try await temporary.open()
        #expect(try await store.read { try $0.indexSpecs(of: "s") } == specs)
        #expect(try await store.rows("select {s:a}, {s:b} from {s}") == [#"["x","y"]"#])
        #expect(try await store.rows("select count(*) from long_operations_status") == ["[0]"])
        #expect(
            try await store.read { try $0.count(QuerySpec(.match(path: "a", key: "x"), soup: "s")) } == 1)
    }

    @Test func `A failed alter is not repeated`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("a", .string))
        try await store.upsert(try records(#"{"a":"1"}"#))
        // SQLite accepts no statement that contains this character. A version that did not check paths recorded such
        // specs.
        let bad = [IndexSpec("a", .string), IndexSpec("b\u{0}c", .json1)]
        #expect(await code { try await store.alterSoup("s", to: bad, reIndex: true) } != nil)
        #expect(try await store.rows("select count(*) from long_operations_status") == ["[0]"])

        // The state after a process was killed before the operation failed.
        let good = [bad[0], IndexSpec("b", .json1)]
        _ = try await store.connections.write { transaction in
            _ = try LongOperation(.alter(to: good, reIndex: true), on: "s").begin(in: transaction)
            let select = try transaction.statement(
                #"UPDATE long_operations_status SET details = replace(details, '"b"', '"b\u0000c"')"#)
            try select.run()
        }
        try await store.close()
        let again = try await temporary.open()
        #expect(try await again.read { try $0.indexSpecs(of: "s") } == [IndexSpec("a", .string)])
        #expect(try await again.rows("select count(*) from long_operations_status") == ["[0]"])
        #expect(try await again.rows("select {s:a} from {s}") == [#"["1"]"#])
    }

    @Test func `An operation on a replaced soup is discarded`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("a", .string))
        try await store.connections.write { transaction in
            _ = try LongOperation(.alter(to: [IndexSpec("b", .string)], reIndex: true), on: "s").begin(in: transaction)
            try transaction.removeSoup("s")
            try transaction.registerSoup("s", [IndexSpec("x", .string)])
        }
        try await store.close()
        let again = try await temporary.open()
        #expect(try await again.read { try $0.indexSpecs(of: "s") } == [IndexSpec("x", .string)])
    }

    @Test func `An unknown operation is kept and refuses the open`() async throws {
        let temporary = try TemporaryStore()
        do {
            let store = try await temporary.open(IndexSpec("a", .string))
            try await store.connections.write { transaction in
                try transaction.statement("INSERT INTO long_operations_status (type, details) VALUES ('Fold', '{}')")
                    .run()
            }
            try await store.close()
        }
        #expect(await code { _ = try await temporary.open() } == .storeUnusable)
    }
}
