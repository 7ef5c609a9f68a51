// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSQLite

/// The search index compared with the rows after random writes.
@Suite struct FullTextIndexConsistencyTests {
    static let words = ["red", "green", "blue", "old", "new"]

    static func text(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            words[Int.random(in: 0..<words.count, using: &random)]
        }.joined(separator: " ")
    }

    static func records(_ count: Int, _ random: inout SeededRandom) throws -> RecordBatch {
        RecordBatch(
            try (0..<count).map { _ in
                var record: JSONObject = ["k": .string("\(Int.random(in: 0..<30, using: &random))")]
                if Int.random(in: 0..<5, using: &random) > 0 { record["title"] = .string(text(&random)) }
                if Int.random(in: 0..<5, using: &random) > 0 { record["body"] = .array([.string(text(&random))]) }
                return try JSONText(.object(record))
            })
    }

    /// Returns the IDs that a match query for one word must find, by a search through the entries themselves.
    static func expected(_ word: String, at path: JSONPath?, in entries: [SoupEntry]) -> [Int64] {
        entries.filter { entry in
            (path.map { [$0] } ?? ["title", "body"]).contains { path in
                let text = entry[path].map { $0.stringValue ?? $0.description } ?? ""
                return text.split { !$0.isLetter }.contains(Substring(word))
            }
        }.map(\.id)
    }

    func performRandomWrite(on store: SQLiteStore, using random: inout SeededRandom) async throws {
        let ids = (0..<3).map { _ in Int64.random(in: 0..<60, using: &random) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            let batch = try Self.records(Int.random(in: 1...8, using: &random), &random)
            try await store.upsert(batch, matching: .path("k"))
        case 4:
            let stamp = RecordBatch.Stamp().setting("title", .string(Self.text(&random)))
            _ = try await store.write { try $0.stamp(ids.map { EntryStamp(id: $0, stamp: stamp) }, in: "s") }
        case 5: _ = try await store.write { try $0.remove(ids, from: "s") }
        case 6:
            let key = "\(Int.random(in: 0..<3, using: &random))%"
            let spec = QuerySpec(.like(path: "k", key: key), soup: "s", orderPath: "_soupEntryId", pageSize: 4)
            _ = try await store.write { try $0.remove(matching: spec, from: "s") }
        case 7:
            let spec = QuerySpec(
                .match(path: "title", key: "red"), soup: "s", orderPath: "_soupEntryId", pageSize: 2)
            _ = try await store.write { try $0.remove(matching: spec, from: "s") }
        case 8:
            // A transaction that throws leaves nothing.
            let batch = try Self.records(4, &random)
            _ = try? await store.write { writer in
                _ = try writer.upsert(batch, into: "s", matching: .path("k"))
                _ = try writer.remove(ids, from: "s")
                throw SoupError("stopped", "the body throws")
            }
        default:
            if Int.random(in: 0..<4, using: &random) == 0 {
                try await store.write { try $0.clearSoup("s") }
            } else {
                try await store.reIndexSoup("s", paths: ["title"])
            }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>) func `Every write keeps the search index consistent`(seed: UInt64)
        async throws
    {
        var random = SeededRandom(seed: seed)
        let temporary = try TemporaryStore()
        let store = try await temporary.open(
            IndexSpec("title", .fullText), IndexSpec("k", .string), IndexSpec("body", .fullText))
        if seed % 2 == 1 { await store.bulkLoad(true) }
        try await store.upsert(try Self.records(120, &random))
        // Keeps one entry for each value of `k`.
        try await store.write { writer in
            let entries = try writer.query(.all("s", orderedBy: "_soupEntryId", pageSize: 200)).entries
            var seen: Set<JSONValue> = []
            let twice = entries.filter { entry in entry["k"].map { !seen.insert($0).inserted } ?? true }
            _ = try writer.remove(twice.map(\.id), from: "s")
        }
        await store.bulkLoad(false)
        for step in 0..<25 {
            try await performRandomWrite(on: store, using: &random)
            try await store.checkIntegrity()
            let entries = try await store.read {
                try $0.query(.all("s", orderedBy: "_soupEntryId", pageSize: 500)).entries
            }
            for (word, path) in zip(Self.words, [nil, "title", "body", nil, "title"] as [JSONPath?]) {
                let spec = QuerySpec(
                    .match(path: path, key: word), soup: "s", orderPath: "_soupEntryId", pageSize: 500)
                let found = try await store.read { try $0.query(spec).entries.map(\.id) }
                #expect(found == Self.expected(word, at: path, in: entries), "step \(step): \(word)")
            }
        }
    }
}
