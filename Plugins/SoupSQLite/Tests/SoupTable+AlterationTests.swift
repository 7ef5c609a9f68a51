// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import SoupCore
import SoupTesting
import Testing

@testable import SoupSQLite

/// The parts of a soup that an alter does not change: the specs that are equal before and after it, in any order.
@Suite struct SoupTableAlterationTests {
    static let flag = JSONPath(EntryField.local)
    static let all = [
        IndexSpec("a", .string), IndexSpec("b", .integer), IndexSpec("e", .json1), IndexSpec("c.d", .fullText),
        IndexSpec(flag, .string), IndexSpec("a", .fullText),
    ]

    func filled(_ temporary: TemporaryStore, _ specs: [IndexSpec]) async throws -> SQLiteStore {
        var random = SeededRandom(seed: 1)
        let store = try await temporary.open()
        try await store.write { try $0.registerSoup("s", specs) }
        try await store.upsert(RecordBatch(try (0..<50).map { _ in try RandomSoup.record(&random) }))
        return store
    }

    /// The statements that an alter runs on the table of the soup and its indexes.
    func alterStatements(_ store: SQLiteStore, to specs: [IndexSpec]) async throws -> [String] {
        try await store.statements { try await store.alterSoup("s", to: specs, reIndex: true) }
            .filter { $0.contains("TABLE_1") && !$0.hasPrefix("INSERT INTO soup_index_map") }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `Reordered specs run no statements on the table`(seed: UInt64)
        async throws
    {
        var random = SeededRandom(seed: seed)
        let temporary = try TemporaryStore()
        let store = try await filled(temporary, Self.all)
        let (indexes, text) = (try await TableIndex.all(of: store), try await store.fullTextPage())
        let shuffled = Self.all.shuffled(using: &random)
        #expect(try await alterStatements(store, to: shuffled) == [])
        #expect(try await store.read { try $0.indexSpecs(of: "s") } == shuffled)
        #expect(try await TableIndex.all(of: store) == indexes)
        #expect(try await store.fullTextPage() == text)
        try await store.checkIntegrity()
    }

    @Test func `Only the column of a spec added in front is filled`() async throws {
        let temporary = try TemporaryStore()
        let store = try await filled(temporary, Self.all)
        let (indexes, text) = (try await TableIndex.all(of: store), try await store.fullTextPage())
        let statements = try await alterStatements(store, to: [IndexSpec("e", .string)] + Self.all)
        #expect(
            Set(statements) == [
                "ALTER TABLE TABLE_1 ADD COLUMN TABLE_1_6 TEXT",
                "SELECT id, soup, TABLE_1_6 FROM TABLE_1 WHERE id > ? ORDER BY id",
                "UPDATE TABLE_1 SET TABLE_1_6 = ? WHERE id = ?",
                "CREATE INDEX IF NOT EXISTS TABLE_1_6_idx ON TABLE_1 ( TABLE_1_6 )",
            ])
        #expect(try await TableIndex.all(of: store).filter { $0.name != "TABLE_1_6_idx" } == indexes)
        #expect(try await store.fullTextPage() == text)
    }

    @Test func `Dropping the first spec keeps the other columns`() async throws {
        let temporary = try TemporaryStore()
        let store = try await filled(temporary, Self.all)
        let (indexes, text) = (try await TableIndex.all(of: store), try await store.fullTextPage())
        let statements = try await alterStatements(store, to: Array(Self.all.dropFirst()))
        #expect(statements == ["DROP INDEX IF EXISTS TABLE_1_0_idx", "ALTER TABLE TABLE_1 DROP COLUMN TABLE_1_0"])
        #expect(try await TableIndex.all(of: store) == indexes.filter { $0.name != "TABLE_1_0_idx" })
        #expect(try await store.fullTextPage() == text)
    }

    /// Random alters, one after another: an alter does not rebuild the columns and indexes of the specs it keeps.
    @Test(arguments: 0..<30 as Range<UInt64>) func `Unchanged specs keep their columns and indexes`(seed: UInt64)
        async throws
    {
        var random = SeededRandom(seed: seed)
        let temporary = try TemporaryStore()
        var specs = RandomSoup.specs(&random)
        let store = try await filled(temporary, specs)
        for _ in 0..<4 {
            let (indexes, text) = (try await TableIndex.all(of: store), try await store.fullTextPage())
            let next = RandomSoup.specs(&random)
            let (old, wanted) = (specs, next)
            let statements = try await alterStatements(store, to: next)
            let now = Set(try await TableIndex.all(of: store))
            for (definition, before) in Dictionary(grouping: indexes, by: \.definition) {
                let after = now.filter { $0.definition == definition }
                #expect(now.intersection(before).count == min(before.count, after.count), "\(old) became \(wanted)")
            }
            let paths = [specs, next].map { $0.filter { $0.kind == .fullText }.map(\.path.rawValue).sorted() }
            if paths[0] == paths[1] { #expect(try await store.fullTextPage() == text, "\(old) became \(wanted)") }
            if next.allSatisfy({ $0.kind == .json1 || specs.contains($0) }), next.count <= specs.count {
                #expect(!statements.contains { $0.hasPrefix("UPDATE TABLE_1") }, "\(old) became \(wanted)")
            }
            specs = next
        }
        try await store.checkIntegrity()
    }

    /// Connections that have already cached the soups must see the new order of the specs.
    @Test func `All connections see reordered specs`() async throws {
        let temporary = try TemporaryStore()
        let specs = [IndexSpec("a", .string), IndexSpec("b", .string)]
        let store = try await filled(temporary, specs)
        let other = try await temporary.open()
        #expect(try await other.read { try $0.indexSpecs(of: "s") } == specs)
        try await store.alterSoup("s", to: specs.reversed(), reIndex: false)
        for reader in [store, other] {
            #expect(try await reader.read { try $0.indexSpecs(of: "s") } == specs.reversed())
        }
        try await other.upsert(try records(#"{"a":"left","b":"right"}"#))
        #expect(
            try await store.rows("select {s:a}, {s:b} from {s} where {s:b} = 'right'") == [#"["left","right"]"#])
    }

    @Test func `Deferred indexes get the names of their columns`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("a", .json1), IndexSpec("b", .string), IndexSpec("e", .json1))
        await store.bulkLoad(true)
        try await store.upsert(RecordBatch(try (0..<200).map { try JSONText(#"{"a":\#($0),"b":"x","e":\#(-$0)}"#) }))
        let specs = [IndexSpec("e", .json1), IndexSpec("n", .integer), IndexSpec("a", .json1)]
        try await store.alterSoup("s", to: specs, reIndex: true)
        await store.bulkLoad(false)
        let indexes = try await TableIndex.all(of: store)
        #expect(
            indexes.map { "\($0.name) \($0.definition)" } == [
                "TABLE_1_0_idx ( json_extract(soup, '$.a') )", "TABLE_1_1_idx ( {n integer} )",
                "TABLE_1_2_idx ( json_extract(soup, '$.e') )", "TABLE_1_created_idx ( created )",
                "TABLE_1_lastModified_idx ( lastModified )",
            ])
    }

    @Test(arguments: 1...4) func `A store of an earlier layout is upgraded`(_ layout: Int) async throws {
        let temporary = try TemporaryStore()
        let specs = [IndexSpec("a", .string), IndexSpec("e", .json1)]
        do {
            let store = try await filled(temporary, specs)
            try await store.connections.withWriter { db in
                if layout == 1 { try db.execute(sql: "ALTER TABLE soup_attrs DROP COLUMN specNumbers") }
                if layout < 3 { try db.execute(sql: "DROP TABLE synced_copies") }
                if layout < 4 { try db.execute(sql: "DROP TABLE store_identity") }
                try db.execute(
                    sql: "ALTER TABLE soup_attrs DROP COLUMN lastWrite; PRAGMA user_version = \(layout)")
            }
            try await store.close()
        }
        let store = try await temporary.open()
        let before = try await RandomSoup.visibleState(store)
        #expect(try await store.read { try $0.indexSpecs(of: "s") } == specs)
        try await store.alterSoup("s", to: specs.reversed(), reIndex: true)
        try await store.alterSoup("s", to: specs, reIndex: true)
        #expect(try await RandomSoup.visibleState(store) == before)
        try await store.close()
        #expect(try await RandomSoup.visibleState(try await temporary.open()) == before)
    }

    @Test func `Re-indexing writes only rows with stale values`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("a", .string), IndexSpec("b", .integer))
        try await store.upsert(RecordBatch(try (0..<50).map { try JSONText(#"{"a":"a\#($0)","b":\#($0)}"#) }))
        try await store.connections.write { try $0.statement("UPDATE TABLE_1 SET TABLE_1_1 = 99 WHERE id = 7").run() }
        let run = try await store.statements { try await store.reIndexSoup("s", paths: ["a", "b"]) }
        #expect(run.filter { $0.hasPrefix("UPDATE TABLE_1") }.count == 1)
        #expect(try await store.rows("select {s:_soupEntryId} from {s} where {s:b} = 99") == [])
    }
}
