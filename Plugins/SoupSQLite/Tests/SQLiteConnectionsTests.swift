// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupCore
import Synchronization
import Testing

@Suite struct SQLiteConnectionsTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    @Test func `Concurrent readers see whole transactions`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string), IndexSpec("words", .fullText))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for round in 0..<15 {
                        let batch = RecordBatch(
                            try (0..<10).map { try JSONText(#"{"k":"\#(writer)-\#($0)","words":"w\#(round)"}"#) })
                        try await store.upsert(batch, matching: .path("k"))
                    }
                }
            }
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<30 {
                        let rows = try await store.rows("select count(*), count(distinct {s:k}) from {s}")
                        let pair = try JSONValue(parsing: rows[0]).arrayValue ?? []
                        #expect(pair.count == 2 && pair[0] == pair[1])
                        #expect((pair[0].intValue ?? -1) % 10 == 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try await store.rows("select count(*), count(distinct {s:k}), min({s:_soupEntryId}) from {s}") == [
                "[80,80,1]"
            ])
        let last = QuerySpec(.match(path: "words", key: "w14"), soup: "s", pageSize: 100)
        #expect(try await store.read { try $0.count(last) } == 80)
    }

    @Test func `A read sees every completed write`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        for number in 1...200 {
            try await store.upsert(try records(#"{"k":"a"}"#))
            #expect(try await store.read { try $0.count(.all("s")) } == number)
        }
    }

    @Test func `A transaction reads its own writes and rolls back`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        struct Stop: Error {}
        let seen = Mutex<[Int]>([])
        await #expect(throws: Stop.self) {
            try await store.write { writer in
                try writer.registerSoup("t", [IndexSpec("k", .string)])
                try writer.upsert(try records(#"{"k":"a"}"#), into: "t")
                try writer.upsert(try records(#"{"k":"a"}"#), into: "s")
                seen.withLock { $0 = [(try? writer.count(.all("t"))) ?? -1, (try? writer.count(.all("s"))) ?? -1] }
                throw Stop()
            }
        }
        #expect(seen.withLock { $0 } == [1, 1])
        #expect(try await store.read { try $0.soupNames() } == ["s"])
        #expect(try await store.dump() == [])
        try await store.write { try $0.registerSoup("u", [IndexSpec("other", .string)]) }
        #expect(try await store.read { try $0.indexSpecs(of: "u") } == [IndexSpec("other", .string)])
        #expect(await code { _ = try await store.rows("select {t:k} from {t}") } == .unknownSoup)
        let results = try await store.upsert(try records(#"{"k":"a"}"#))
        #expect(results == [UpsertResult(.inserted, id: 1, version: 1000)])
    }

    @Test func `A reader cannot write`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let refused = await code {
            _ = try await store.read { reader in
                let writer = try #require(reader as? any StoreWriter)
                try writer.upsert(try records(#"{"k":"a"}"#), into: "s")
            }
        }
        #expect(refused != nil)
        #expect(try await store.dump() == [])
    }

    @Test(.usesPlainFile) func `Two stores share one file`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let (begun, started) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let writing = Task {
            try await store.write { writer in
                try writer.upsert(try records(#"{"k":"first"}"#), into: "s")
                started.yield()
                gate.wait()
            }
        }
        for await _ in begun { break }
        let other = try await temporary.open()
        #expect(try await other.dump() == [])
        #expect(await code { try await other.upsert(try records(#"{"k":"second"}"#)) } == .storeUnusable)
        gate.signal()
        try await writing.value
        try await other.upsert(try records(#"{"k":"second"}"#))
        try await other.write { try $0.registerSoup("t", [IndexSpec("k", .string)]) }
        #expect(try await store.read { try $0.soupNames() } == ["s", "t"])
        #expect(try await store.dump() == [#"1@1000 {"k":"first"}"#, #"2@1000 {"k":"second"}"#])
    }

    @Test func `A waiting write can be cancelled`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let (begun, started) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let first = Task {
            try await store.write { writer in
                started.yield()
                gate.wait()
                return try writer.upsert(try records(#"{"k":"first"}"#), into: "s").count
            }
        }
        for await _ in begun { break }
        let second = Task { try await store.upsert(try records(#"{"k":"second"}"#)) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        // A body that has started runs to its end.
        first.cancel()
        gate.signal()
        #expect(try await first.value == 1)
        #expect(try await store.dump() == [#"1@1000 {"k":"first"}"#])
    }

    static let endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"

    @Test(arguments: [endless, "select {s:k} from {s}"])
    func `A running read can be cancelled`(_ sql: String) async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let gate = DispatchSemaphore(value: 0)
        let (othersBegun, otherStarted) = AsyncStream.makeStream(of: Void.self)
        let other = Task {
            try await store.read { reader in
                otherStarted.yield()
                gate.wait()
                return try reader.count(.all("s"))
            }
        }
        for await _ in othersBegun { break }

        let (begun, started) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            try await store.read { reader in
                started.yield()
                while true { _ = try reader.query(.smart(sql)) }
            }
        }
        for await _ in begun { break }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }

        // Neither a concurrent read nor a later one on the same connection is cancelled.
        gate.signal()
        #expect(try await other.value == 0)
        let count =
            "with recursive c(x) as (select 1 union all select x + 1 from c limit 100000) select count(*) from c"
        for _ in 0..<10 { #expect(try await store.rows(count) == ["[100000]"]) }
    }

    /// The body runs twice if the read is restarted.
    @Test func `A quick read that takes long is restarted`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let sql =
            "with recursive c(x) as (select 1 union all select x + 1 from c limit 3000000) select count(*) from c"
        let begun = Atomic(0)
        let found = try await store.quickRead { reader in
            begun.add(1, ordering: .relaxed)
            return try reader.query(.smart(sql)).rows.map(\.description)
        }
        #expect(found == ["[3000000]"])
        #expect(begun.load(ordering: .relaxed) == 2)
    }

    /// SQLite reads long texts in few steps of its virtual machine, which takes long.
    @Test func `A quick read of long texts is restarted`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let filler = String(repeating: "x", count: 50_000)
        try await store.upsert(RecordBatch(try (0..<2000).map { try JSONText("{\"f\":\"\(filler)\",\"n\":\($0)}") }))
        let begun = Atomic(0)
        let found = try await store.quickRead { reader in
            begun.add(1, ordering: .relaxed)
            return try reader.count(.exact("s", "n", equals: 7))
        }
        #expect(found == 1)
        #expect(begun.load(ordering: .relaxed) == 2)
    }

    /// When all readers are in use, further reads wait without blocking the threads of Swift's pool.
    @Test func `Quick reads wait for a reader without blocking threads`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let gate = DispatchSemaphore(value: 0)
        let (begun, started) = AsyncStream.makeStream(of: Void.self)
        // As many reads as the pool has readers.
        let others = (0..<5).map { _ in
            Task {
                try await store.read { reader in
                    started.yield()
                    gate.wait()
                    return try reader.count(.all("s"))
                }
            }
        }
        var waiting = 0
        for await _ in begun {
            waiting += 1
            if waiting == others.count { break }
        }
        // More than there are threads in Swift's pool: if the reads blocked them, no thread could open the gate.
        let quick = (0..<64).map { _ in Task { try await store.quickRead { try $0.count(.all("s")) } } }
        for _ in 0..<64 { await Task { await Task.yield() }.value }
        for _ in others { gate.signal() }
        for task in quick + others { #expect(try await task.value == 0) }
    }

    @Test func `A running quick read can be cancelled`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let (begun, started) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            try await store.quickRead { reader in
                started.yield()
                return try reader.query(.smart(Self.endless)).count
            }
        }
        for await _ in begun { break }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }
}
