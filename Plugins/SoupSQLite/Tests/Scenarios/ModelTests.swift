// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// Random sequences of writes to a store and to a naive model; after each write both must have the same content.
@Suite struct ModelTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    static let specs = [
        IndexSpec("Id", .string), IndexSpec("n", .integer), IndexSpec("words", .fullText),
        IndexSpec("__local__", .string), IndexSpec("a.b", .json1), IndexSpec("__sync_id__", .integer),
    ]

    @Test(arguments: 0..<12) func `A store equals a naive model after random writes`(_ seed: UInt64) async throws {
        var random = Randomness(seed: seed &* 7919 &+ 17)
        var store = try await temporary.open()
        try await store.write { try $0.registerSoup("s", Self.specs) }
        var model = SoupModel()
        for step in 0..<60 {
            temporary.clock.set(1000 + Int64(step / 2))
            let loads = random.next(5) == 0
            if loads { await store.bulkLoad(true) }
            try await performRandomWrite(on: store, and: &model, using: &random)
            if loads, random.next(3) > 0 { await store.bulkLoad(false) }
            try await expectContent(of: store, toEqual: model, "step \(step)")
            if random.next(15) == 0 {
                store = try await temporary.open()
                model.lastDate = 0
            }
        }
    }

    private func performRandomWrite(
        on store: SQLiteStore, and model: inout SoupModel, using random: inout Randomness
    ) async throws {
        switch random.next(10) {
        case 0...4:
            let count = random.next(4) == 0 ? 120 : 1 + random.next(6)
            let made = (0..<count).map { _ in Record.random(&random) }
            let match: UpsertMatch = random.next(3) == 0 ? .entryId : .path("Id")
            let stamp = random.next(2) == 0 ? RecordBatch.Stamp.none : .synced(by: Int64(1 + random.next(2)))
            let guarding = [WriteGuard.none, .dirty, .dirtySince(temporary.clock.milliseconds - 3)][random.next(3)]
            let expected = model.upsert(
                made, matching: match, stamping: stamp, guarding: guarding, now: temporary.clock.milliseconds)
            let results = try? await store.upsert(
                RecordBatch(made.map(\.text)), matching: match, stamping: stamp, guarding: guarding)
            #expect(results == expected)
        case 5, 6:
            let ids = (0..<3).map { _ in Int64(1 + random.next(12)) }
            let versions = ids.map { random.next(2) == 0 ? nil : model.rows[$0]?.lastModified ?? 1 }
            let stamps = zip(ids, versions).map {
                EntryStamp(
                    id: $0,
                    stamp: RecordBatch.Stamp().setting("__local__", .true).setting("n", .integer(random.next(5))),
                    ifVersion: $1, otherwise: RecordBatch.Stamp().setting("words", .string("red")))
            }
            let expected = model.stamp(stamps, now: temporary.clock.milliseconds)
            #expect(try await store.write { try $0.stamp(stamps, in: "s") } == expected)
        case 7, 8:
            let removals = (0..<2).map { _ in
                let id = Int64(1 + random.next(12))
                return EntryRemoval(id: id, ifVersion: random.next(2) == 0 ? nil : model.rows[id]?.lastModified ?? 1)
            }
            let expected = model.remove(removals)
            #expect(try await store.write { try $0.remove(removals, from: "s") } == expected)
        default:
            if random.next(4) == 0 {
                try await store.write { try $0.clearSoup("s") }
                model.rows = [:]
            }
        }
    }

    private func expectContent(
        of store: SQLiteStore, toEqual model: SoupModel, _ comment: Comment
    ) async throws {
        #expect(try await store.dump() == model.dump, comment)
        let rows = model.rows.sorted { $0.key < $1.key }
        let found = try await store.read { reader in
            let words = try Record.words.map { word in
                try reader.query(
                    QuerySpec(.match(path: "words", key: word), soup: "s", orderPath: "_soupEntryId", pageSize: 5000)
                ).entries.map(\.id)
            }
            let numbers = try (0..<5).map { number in
                try reader.query(
                    .exact("s", "n", equals: .int(Int64(number)), orderedBy: "_soupEntryId", pageSize: 5000)
                ).entries.map(\.id)
            }
            let clean = try reader.cleanValues(at: "Id", in: "s", writtenBy: 1)
            return (words, numbers, try reader.dirtyIds(in: "s"), clean.map(\.id))
        }
        #expect(
            found.0
                == Record.words.map { word in
                    rows.filter {
                        $0.value.value["words"]?.stringValue?.split(separator: " ").contains { $0 == word } == true
                    }
                    .map(\.key)
                }, comment)
        #expect(
            found.1 == (0..<5).map { number in rows.filter { $0.value.value["n"] == .int(Int64(number)) }.map(\.key) },
            comment)
        #expect(found.2 == rows.filter { $0.value.isDirty }.map(\.key), comment)
        #expect(
            found.3
                == rows.filter { $0.value.value["__local__"] == false && $0.value.value["__sync_id__"] == 1 }
                .map(\.key), comment)
    }
}
