// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupTestStores
import SoupSQLite
import SoupCore
import SoupTesting
import Testing

/// First loads, which compare keys in memory; writes between their pages must not make them miss a key.
@Suite struct FirstLoadTests {
    @Test(arguments: 0..<24 as Range<UInt64>) func `Writes between the pages of a load are respected`(_ seed: UInt64)
        async throws
    {
        let stores = try await StoresUnderTest()
        var random = RandomOperations(seed: seed)
        let specs = [IndexSpec("k", .string), IndexSpec("n", random.kind()), IndexSpec("__local__", .string)]
        let register = Operation.Step("register") { writer in
            try writer.registerSoup("s", specs)
            return ""
        }
        _ = await stores.run(.transaction([register], ending: .returning))
        // For the file, a second store is the same as another process.
        let other = try await SQLiteStore.open(.test(path: stores.sqlite.url.path), clock: stores.clock)
        let loading = [stores.memory as any StoreBackend, stores.sqlite, other]
        for store in loading { await store.bulkLoad(true) }
        for _ in 0..<6 {
            let page = random.page()
            try await expectSameResult(of: page, on: stores, seed: seed)
            for _ in 0..<random.pick([0, 0, 1, 2]) {
                let between = random.between()
                if random.chance(4) {
                    // The two stores do not know the dates of each other.
                    stores.clock.move(by: 1000)
                    defer { stores.clock.move(by: 1000) }
                    let memory = await between.run(on: stores.memory)
                    let sqlite = await between.run(on: other)
                    #expect(memory == sqlite, "seed \(seed), other store: \(between)")
                } else {
                    try await expectSameResult(of: between, on: stores, seed: seed)
                }
            }
        }
        for store in loading { await store.bulkLoad(false) }
        try await expectSameResult(of: .dump, on: stores, seed: seed)
        try await other.close()
    }

    @Test func `A load finds the entries of another process`() async throws {
        let stores = try await StoresUnderTest()
        let (first, other) = (stores.sqlite, try await SQLiteStore.open(.test(path: stores.sqlite.url.path)))
        try await first.write { try $0.registerSoup("s", [IndexSpec("k", .string)]) }
        await first.bulkLoad(true)
        await other.bulkLoad(true)
        @Sendable func upsert(_ keys: [String], _ store: SQLiteStore) async throws -> [UpsertResult.Outcome] {
            let batch = RecordBatch(try keys.map { try JSONText("{\"k\":\"\($0)\"}") })
            return try await store.write { try $0.upsert(batch, into: "s", matching: .path("k")) }.map(\.outcome)
        }
        _ = try await upsert((0..<100).map(String.init), first)
        #expect(try await upsert(["x"], other) == [.inserted])
        #expect(try await upsert(["x", "y", "7"], first) == [.unchanged, .inserted, .unchanged])
        #expect(try await upsert(["x", "y", "z"], other) == [.unchanged, .unchanged, .inserted])
        #expect(try await upsert(["x", "y", "z"], first) == [.unchanged, .unchanged, .unchanged])
        await first.bulkLoad(false)
        await other.bulkLoad(false)
        #expect(try await first.read { try $0.count(.all("s")) } == 103)
        try await other.close()
    }

    /// A lookup at a path with two indexes uses one of them.
    @Test func `A load builds both indexes of its path for lookups`() async throws {
        let stores = try await StoresUnderTest()
        try await stores.sqlite.write { try $0.registerSoup("s", [IndexSpec("k", .json1), IndexSpec("k", .string)]) }
        await stores.sqlite.bulkLoad(true)
        let batch = RecordBatch(try (0..<200).map { try JSONText("{\"k\":\"\($0 % 150)\"}") })
        _ = try await stores.sqlite.write { try $0.upsert(batch, into: "s", matching: .path("k")) }
        let plan = try await stores.sqlite.read { try $0.plan(of: .exact("s", "k", equals: "7"), arguments: []) }
        #expect(plan.contains { $0.contains("USING INDEX") }, "\(plan)")
        #expect(try await stores.sqlite.read { try $0.count(.all("s")) } == 150)
        await stores.sqlite.bulkLoad(false)
    }

    private func expectSameResult(of operation: Operation, on stores: StoresUnderTest, seed: UInt64) async throws {
        let results = await stores.run(operation)
        let states = await stores.run(.dump)
        let (memory, sqlite) = (results.memory + states.memory, results.sqlite + states.sqlite)
        let isSame = memory == sqlite
        try #require(
            isSame,
            """
            seed \(seed): \(operation)
            memory \(memory.filter { !sqlite.contains($0) }.joined(separator: "\n    "))
            sqlite \(sqlite.filter { !memory.contains($0) }.joined(separator: "\n    "))
            """)
    }
}

extension RandomOperations {
    /// Returns a write of one page with mostly new records.
    fileprivate mutating func page() -> Operation {
        let texts = several(100...130) { random in
            let number = Int.random(in: 0..<random.pick([3000, 100_000, 100_000]), using: &random.random)
            let key = random.pick([
                "\"\(number)\"", "\"\(number)\"", "\"\(number)\"", "\(number)", "\"\\u0061\(number)\"",
            ])
            return "{\"k\":\(random.chance(400) ? "1.5" : key),\"n\":\(random.scalar())}"
        }
        let batch = RecordBatch(texts.compactMap { try? JSONText($0) })
        let stamp = chance(3) ? RecordBatch.Stamp.synced(by: 1) : .none
        return .transaction(
            [
                Operation.Step("page of \(batch.count)") { writer in
                    let results = try writer.upsert(
                        batch, into: "s", matching: .path("k"), stamping: stamp, guarding: .dirty)
                    return results.map { "\($0.outcome) \($0.id)" }.joined(separator: ",")
                }
            ], ending: pick([.returning, .returning, .returning, .throwing]))
    }

    /// Returns a write of an app or of another sync between two pages.
    fileprivate mutating func between() -> Operation {
        let ids = several(1...4) { random in Int64.random(in: 1...150, using: &random.random) }
        let key = "\(Int.random(in: 0..<3000, using: &random))"
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            return step("stamp \(ids) with \(key)") { writer in
                let stamp = RecordBatch.Stamp([.init("k", try JSONText("\"\(key)\""))])
                return "\(try writer.stamp(ids.prefix(1).map { EntryStamp(id: $0, stamp: stamp) }, in: "s"))"
            }
        case 1:
            return step("delete \(ids)") { "\(try $0.remove(ids.map { EntryRemoval(id: $0) }, from: "s"))" }
        case 2:
            return step("create \(key)") { writer in
                let record = RecordBatch([try JSONText("{\"k\":\"\(key)\",\"n\":1}")])
                return "\(try writer.upsert(record, into: "s", matching: .entryId).map(\.id))"
            }
        case 3:
            return step("edit \(ids)") { writer in
                let records = try ids.prefix(1).map { try JSONText("{\"_soupEntryId\":\($0),\"k\":\"\(key)\"}") }
                return "\(try writer.upsert(RecordBatch(records), into: "s", matching: .entryId).map(\.outcome))"
            }
        case 4:
            return step("number 1.5 and its text") { writer in
                let records = RecordBatch([try JSONText(#"{"k":1.5}"#), try JSONText(#"{"k":"1.5"}"#)])
                return "\(try writer.upsert(records, into: "s", matching: .path("k")).map(\.outcome))"
            }
        case 5:
            return Operation("alter") { store in
                let specs = [IndexSpec("n", .string), IndexSpec("__local__", .string), IndexSpec("k", .string)]
                try await store.alterSoup("s", to: specs, reIndex: true)
                return ["altered"]
            }
        default:
            return step("clear") { writer in
                try writer.clearSoup("s")
                return "cleared"
            }
        }
    }

    private func step(
        _ description: String, _ perform: @escaping @Sendable (any StoreWriter) throws -> String
    ) -> Operation { .transaction([Operation.Step(description, perform)], ending: .catching) }
}
