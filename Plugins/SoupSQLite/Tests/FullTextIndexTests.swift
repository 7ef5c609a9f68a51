// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

@Suite struct FullTextIndexTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    func open() async throws -> SQLiteStore {
        let store = try await temporary.open(
            IndexSpec("title", .fullText), IndexSpec("k", .string), IndexSpec("body", .fullText))
        try await store.upsert(
            try records(
                #"{"k":"1","title":"The quick brown fox","body":"jumps over"}"#,
                #"{"k":"2","title":"brown quick","body":"The fox's den, don't"}"#,
                #"{"k":"3","title":["brown","bear"],"body":{"text":"quick"}}"#, #"{"k":"4"}"#))
        return store
    }

    func ids(_ key: String, at path: JSONPath?, in store: SQLiteStore) async throws -> [Int64] {
        let spec = QuerySpec(.match(path: path, key: key), soup: "s", orderPath: "_soupEntryId")
        return try await store.read { reader in
            let ids = try reader.query(spec).entries.map(\.id)
            #expect(try reader.count(spec) == ids.count)
            return ids
        }
    }

    @Test func `Words match in all fields and in one`() async throws {
        let store = try await open()
        #expect(try await ids("brown", at: nil, in: store) == [1, 2, 3])
        #expect(try await ids("quick AND brown", at: "title", in: store) == [1, 2])
        #expect(try await ids("quick", at: "body", in: store) == [3])
        #expect(try await ids("BROWN NOT bear", at: "title", in: store) == [1, 2])
        #expect(try await ids("(fox OR bear) AND brown", at: "title", in: store) == [1, 3])
        #expect(try await ids("qui*", at: "title", in: store) == [1, 2])
        #expect(try await ids("{s:title}:quick {s:body}:fox", at: nil, in: store) == [2])
        #expect(try await ids("brown {s:body}:fox", at: "title", in: store) == [2])
    }

    @Test func `Phrases match in one field`() async throws {
        let store = try await open()
        #expect(try await ids("\"quick brown\"", at: "title", in: store) == [1])
        #expect(try await ids("\"brown quick\" OR \"quick brown\"", at: "title", in: store) == [1, 2])
        #expect(try await ids("quick + brown", at: "title", in: store) == [1])
        #expect(try await ids("^brown", at: "title", in: store) == [2, 3])
        #expect(try await ids("NEAR(the fox, 2)", at: "title", in: store) == [1])
    }

    /// An expression of FTS5 matches in a field as it does without one if all words are in that field.
    @Test(arguments: [
        "quick +brown", "quick+ brown", "quick +brown +fox", "\"quick\" +\"brown fox\"", "quick\t+\n brown",
        "^ the +quick",
        "NEAR (quick fox)", "NEAR\t\n(quick fox, 1)", "NEAR (\"quick brown\" fox) AND the", "bear OR NEAR (fox the)",
        "quick +bro*", "brown NOT NEAR (quick fox)", "(NEAR (quick fox))",
    ])
    func `White space is allowed in phrases and NEAR groups`(_ key: String) async throws {
        let store = try await temporary.open(IndexSpec("title", .fullText), IndexSpec("body", .fullText))
        try await store.upsert(
            try records(
                #"{"title":"The quick brown fox"}"#, #"{"title":"brown quick"}"#, #"{"title":"brown bear"}"#,
                #"{"title":"the"}"#))
        let found = try await ids(key, at: nil, in: store)
        #expect(try await ids(key, at: "title", in: store) == found)
        #expect(!found.isEmpty)
        #expect(try await ids(key, at: "body", in: store) == [])
    }

    /// `NEAR` without a following parenthesis is a plain word.
    @Test func `NEAR can be a plain word`() async throws {
        let store = try await temporary.open(IndexSpec("title", .fullText), IndexSpec("body", .fullText))
        try await store.upsert(try records(#"{"title":"near here"}"#, #"{"title":"near","body":"here"}"#))
        #expect(try await ids("NEAR here", at: "title", in: store) == [1])
        #expect(try await ids("NEAR ", at: "title", in: store) == [1, 2])
        #expect(try await ids("NEAR AND (here)", at: "title", in: store) == [1])
    }

    @Test func `Prefixes and NEAR groups match`() async throws {
        let store = try await open()
        #expect(try await ids("f*", at: nil, in: store) == [1, 2])
        #expect(try await ids("\"jumps ov\" *", at: "body", in: store) == [1])
        #expect(try await ids("^ brown", at: "title", in: store) == [2, 3])
        #expect(try await ids("quick\tOR\nfox", at: "body", in: store) == [2, 3], "any white space separates words")
        #expect(try await ids("quick\nbrown", at: "body", in: store) == [])
        #expect(try await ids("row*", at: "title", in: store) == [], "a prefix is the start of a word")
        #expect(try await ids("NEAR(the fox, 1)", at: "title", in: store) == [])
        #expect(try await ids("NEAR(quick fox, 1)", at: "title", in: store) == [1])
        #expect(try await ids("NEAR(fox quick, 1)", at: "title", in: store) == [1], "in any order")
        #expect(try await ids("NEAR(brown quick, 0)", at: nil, in: store) == [1, 2])
        #expect(try await ids("NEAR(bear quick, 10)", at: nil, in: store) == [], "neighboring words are in one field")
    }

    @Test func `Letters of all scripts match`() async throws {
        let store = try await temporary.open(IndexSpec("text", .fullText))
        try await store.upsert(
            try records(
                #"{"text":"École élémentaire"}"#, "{\"text\":\"e\u{301}cole\"}", #"{"text":"\u00e9cole"}"#,
                #"{"text":"ΣΊΣΥΦΟΣ Война"}"#, #"{"text":"日本語 テスト"}"#, #"{"text":"smile😀face"}"#,
                #"{"text":"Straße"}"#))
        func found(_ key: String) async throws -> [Int64] { try await ids(key, at: "text", in: store) }
        #expect(try await found("ecole") == [1, 2, 3])
        #expect(try await found("ÉCOLE") == [1, 2, 3])
        #expect(try await found("e\u{301}cole") == [1, 2, 3])
        #expect(try await found("война") == [4])
        #expect(try await found("日本語") == [5])
        #expect(try await found("日本*") == [5])
        #expect(try await found("face") == [6])
        #expect(try await found("\"smile face\"") == [6])
        #expect(try await found("straße") == [7])
    }

    @Test func `Results are ranked over all fields and over one`() async throws {
        let store = try await temporary.open(
            IndexSpec("title", .fullText), IndexSpec("k", .string), IndexSpec("body", .fullText))
        let many = String(repeating: "word ", count: 40)
        try await store.upsert(
            try records(
                #"{"title":"\#(many) fox","body":"\#(many)"}"#, #"{"title":"fox fox","body":"none"}"#,
                #"{"title":"none","body":"fox fox fox"}"#, #"{"title":"none","body":"none"}"#,
                #"{"title":"none","body":"other"}"#, #"{"title":"else","body":"other"}"#))
        func ranked(_ path: JSONPath?, _ order: QuerySpec.Order) async throws -> [Int64] {
            let spec = QuerySpec(
                .match(path: path, key: "fox"), soup: "s", orderPath: JSONPath(EntryField.rank), order: order)
            return try await store.read { try $0.query(spec).entries.map(\.id) }
        }
        #expect(try await ranked(nil, .ascending) == [3, 2, 1])
        #expect(try await ranked(nil, .descending) == [1, 2, 3])
        #expect(try await ranked("title", .ascending) == [2, 1])
        #expect(try await ranked("body", .ascending) == [3])
        try await store.alterSoup(
            "s", to: [IndexSpec("body", .fullText), IndexSpec("k", .integer), IndexSpec("title", .fullText)],
            reIndex: true)
        #expect(try await ranked(nil, .ascending) == [3, 2, 1], "the order of the fields has no effect")
        #expect(try await ranked("title", .ascending) == [2, 1])
    }

    @Test func `Search keys are bound as arguments`() async throws {
        let store = try await open()
        #expect(try await ids("\"fox's den\"", at: "body", in: store) == [2])
        #expect(await code { _ = try await ids("don't", at: nil, in: store) } == .sql)
        #expect(await code { _ = try await ids("') or 1=1 --", at: nil, in: store) } == .sql)
        #expect(try await store.dump().count == 4)
    }

    @Test func `A search without an index is refused`() async throws {
        let store = try await open()
        #expect(await code { _ = try await ids("1", at: "k", in: store) } == .sql)
        #expect(await code { _ = try await ids("1", at: "none", in: store) } == .sql)
        #expect(await code { _ = try await ids("quick-brown", at: nil, in: store) } == .sql)
        #expect(await code { _ = try await ids("{no:title}:x", at: nil, in: store) } == .unknownSoup)
        try await store.write { try $0.registerSoup("plain", [IndexSpec("k", .string)]) }
        let spec = QuerySpec(.match(path: nil, key: "x"), soup: "plain")
        #expect(await code { _ = try await store.read { try $0.query(spec) } } == .sql)
    }

    @Test func `Every write updates the search index`() async throws {
        let store = try await open()
        try await store.upsert(
            try records(
                #"{"k":"1","title":"red","body":"jumps over"}"#, #"{"k":"5","title":"red"}"#,
                #"{"k":"5","title":"blue"}"#,
                #"{"k":"1","title":"blue"}"#),
            matching: .path("k"))
        #expect(try await ids("red", at: nil, in: store) == [])
        #expect(try await ids("fox OR jumps", at: nil, in: store) == [2])
        #expect(try await ids("blue", at: nil, in: store) == [1, 5])
        #expect(try await store.write { try $0.remove(matching: .exact("s", "k", equals: "1"), from: "s") } == 1)
        #expect(try await store.write { try $0.remove([5, 77], from: "s") } == [5])
        #expect(try await ids("blue", at: nil, in: store) == [])
        let stamp = EntryStamp(id: 2, stamp: RecordBatch.Stamp().setting("title", .string("green fox")))
        _ = try await store.write { try $0.stamp([stamp], in: "s") }
        #expect(try await ids("fox", at: "title", in: store) == [2])
        try await store.write { try $0.clearSoup("s") }
        #expect(try await ids("fox OR quick OR brown", at: nil, in: store) == [])
        try await store.upsert(try records(#"{"k":"9","title":"fox"}"#))
        #expect(try await ids("fox", at: nil, in: store) == [6])
        let broken = try records(#"{"k":"9","title":"wolf"}"#, #"{"title":"wolf"}"#)
        #expect(await code { try await store.upsert(broken, matching: .path("k")) } == .externalIdMissing)
        #expect(try await ids("wolf", at: nil, in: store) == [])
        #expect(try await ids("fox", at: nil, in: store) == [6])
    }

    @Test func `The text of an entry is stored once`() async throws {
        let store = try await open()
        #expect(
            try await store.rows(
                "select name from sqlite_schema where tbl_name = 'TABLE_1' and type = 'index' order by 1")
                == [#"["TABLE_1_1_idx"]"#, #"["TABLE_1_created_idx"]"#, #"["TABLE_1_lastModified_idx"]"#])
        #expect(
            try await store.rows("select count(*) from sqlite_schema where name = 'TABLE_1_fts_content'") == ["[0]"])
    }

    @Test func `The configuration chooses the tokenizer`() async throws {
        let options = FullTextOptions(tokenizer: "porter unicode61 tokenchars '-'", prefixes: [2, 3])
        let store = try await SQLiteStore.open(.init(path: temporary.path, fullText: options))
        try await store.write { writer in
            try writer.registerSoup("texts", [IndexSpec("text", .fullText)])
            _ = try writer.upsert(RecordBatch([try JSONText(["text": "two well-known runners"])]), into: "texts")
        }
        func count(_ key: String) async throws -> Int {
            try await store.read { try $0.count(QuerySpec(.match(path: nil, key: key), soup: "texts")) }
        }
        #expect(try await count("runner") == 1)
        #expect(try await count("known") == 0)
        #expect(try await count(#""well-known""#) == 1)
        #expect(try await count("ru*") == 1)
        // Other options apply when the indexes are altered; existing indexes keep theirs.
        let plain = try await SQLiteStore.open(.init(path: temporary.path))
        #expect(try await plain.read { try $0.count(QuerySpec(.match(path: nil, key: "runner"), soup: "texts")) } == 1)
    }

    @Test(arguments: [FullTextOptions(tokenizer: "klingon"), FullTextOptions(prefixes: [0])])
    func `Invalid full-text options are refused at the open`(_ options: FullTextOptions) async throws {
        await #expect {
            try await SQLiteStore.open(.init(path: temporary.path, fullText: options))
        } throws: { error in
            (error as? SoupError)?.code == .badConfiguration
                && (error as? SoupError)?.place?.path == "backend.fullText"
        }
    }
}
