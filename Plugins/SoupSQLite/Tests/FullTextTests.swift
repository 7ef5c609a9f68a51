// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

@Suite struct FullTextTests {
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

    func ids(_ store: SQLiteStore, _ path: JSONPath?, _ key: String) async throws -> [Int64] {
        let spec = QuerySpec(.match(path: path, key: key), soup: "s", orderPath: "_soupEntryId")
        return try await store.read { reader in
            let ids = try reader.query(spec).entries.map(\.id)
            #expect(try reader.count(spec) == ids.count)
            return ids
        }
    }

    @Test func `Words`() async throws {
        let store = try await open()
        #expect(try await ids(store, nil, "brown") == [1, 2, 3])
        #expect(try await ids(store, "title", "quick AND brown") == [1, 2])
        #expect(try await ids(store, "body", "quick") == [3])
        #expect(try await ids(store, "title", "BROWN NOT bear") == [1, 2])
        #expect(try await ids(store, "title", "(fox OR bear) AND brown") == [1, 3])
        #expect(try await ids(store, "title", "qui*") == [1, 2])
        #expect(try await ids(store, nil, "{s:title}:quick {s:body}:fox") == [2])
        #expect(try await ids(store, "title", "brown {s:body}:fox") == [2])
    }

    @Test func `Phrases survive a path`() async throws {
        let store = try await open()
        #expect(try await ids(store, "title", "\"quick brown\"") == [1])
        #expect(try await ids(store, "title", "\"brown quick\" OR \"quick brown\"") == [1, 2])
        #expect(try await ids(store, "title", "quick + brown") == [1])
        #expect(try await ids(store, "title", "^brown") == [2, 3])
        #expect(try await ids(store, "title", "NEAR(the fox, 2)") == [1])
    }

    /// Everything that FTS5 reads means in a field what it means without one, where all words are in that field.
    @Test(arguments: [
        "quick +brown", "quick+ brown", "quick +brown +fox", "\"quick\" +\"brown fox\"", "quick\t+\n brown",
        "^ the +quick",
        "NEAR (quick fox)", "NEAR\t\n(quick fox, 1)", "NEAR (\"quick brown\" fox) AND the", "bear OR NEAR (fox the)",
        "quick +bro*", "brown NOT NEAR (quick fox)", "(NEAR (quick fox))",
    ])
    func `Blanks in phrases and neighbours`(_ key: String) async throws {
        let store = try await temporary.open(IndexSpec("title", .fullText), IndexSpec("body", .fullText))
        try await store.upsert(
            try records(
                #"{"title":"The quick brown fox"}"#, #"{"title":"brown quick"}"#, #"{"title":"brown bear"}"#,
                #"{"title":"the"}"#))
        let found = try await ids(store, nil, key)
        #expect(try await ids(store, "title", key) == found)
        #expect(!found.isEmpty)
        #expect(try await ids(store, "body", key) == [])
    }

    /// `NEAR` is a word like any other where no parenthesis follows it.
    @Test func `Near as a word`() async throws {
        let store = try await temporary.open(IndexSpec("title", .fullText), IndexSpec("body", .fullText))
        try await store.upsert(try records(#"{"title":"near here"}"#, #"{"title":"near","body":"here"}"#))
        #expect(try await ids(store, "title", "NEAR here") == [1])
        #expect(try await ids(store, "title", "NEAR ") == [1, 2])
        #expect(try await ids(store, "title", "NEAR AND (here)") == [1])
    }

    @Test func `Prefixes and neighbours`() async throws {
        let store = try await open()
        #expect(try await ids(store, nil, "f*") == [1, 2])
        #expect(try await ids(store, "body", "\"jumps ov\" *") == [1])
        #expect(try await ids(store, "title", "^ brown") == [2, 3])
        #expect(try await ids(store, "body", "quick\tOR\nfox") == [2, 3], "between words stands any white space")
        #expect(try await ids(store, "body", "quick\nbrown") == [])
        #expect(try await ids(store, "title", "row*") == [], "a prefix is the beginning of a word")
        #expect(try await ids(store, "title", "NEAR(the fox, 1)") == [])
        #expect(try await ids(store, "title", "NEAR(quick fox, 1)") == [1])
        #expect(try await ids(store, "title", "NEAR(fox quick, 1)") == [1], "in any order")
        #expect(try await ids(store, nil, "NEAR(brown quick, 0)") == [1, 2])
        #expect(try await ids(store, nil, "NEAR(bear quick, 10)") == [], "neighbours are in one field")
    }

    @Test func `Letters of all scripts`() async throws {
        let store = try await temporary.open(IndexSpec("text", .fullText))
        try await store.upsert(
            try records(
                #"{"text":"École élémentaire"}"#, "{\"text\":\"e\u{301}cole\"}", #"{"text":"\u00e9cole"}"#,
                #"{"text":"ΣΊΣΥΦΟΣ Война"}"#, #"{"text":"日本語 テスト"}"#, #"{"text":"smile😀face"}"#,
                #"{"text":"Straße"}"#))
        func found(_ key: String) async throws -> [Int64] { try await ids(store, "text", key) }
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

    @Test func `The best matches come first over all fields and over one`() async throws {
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
        #expect(try await ranked(nil, .ascending) == [3, 2, 1], "fields that change places change nothing")
        #expect(try await ranked("title", .ascending) == [2, 1])
    }

    @Test func `Keys are bound and not pasted`() async throws {
        let store = try await open()
        #expect(try await ids(store, "body", "\"fox's den\"") == [2])
        #expect(await code { _ = try await ids(store, nil, "don't") } == .sql)
        #expect(await code { _ = try await ids(store, nil, "') or 1=1 --") } == .sql)
        #expect(try await store.dump().count == 4)
    }

    @Test func `What cannot be searched`() async throws {
        let store = try await open()
        #expect(await code { _ = try await ids(store, "k", "1") } == .sql)
        #expect(await code { _ = try await ids(store, "none", "1") } == .sql)
        #expect(await code { _ = try await ids(store, nil, "quick-brown") } == .sql)
        #expect(await code { _ = try await ids(store, nil, "{no:title}:x") } == .unknownSoup)
        try await store.write { try $0.registerSoup("plain", [IndexSpec("k", .string)]) }
        let spec = QuerySpec(.match(path: nil, key: "x"), soup: "plain")
        #expect(await code { _ = try await store.read { try $0.query(spec) } } == .sql)
    }

    @Test func `Stays in step with every write`() async throws {
        let store = try await open()
        try await store.upsert(
            try records(
                #"{"k":"1","title":"red","body":"jumps over"}"#, #"{"k":"5","title":"red"}"#,
                #"{"k":"5","title":"blue"}"#,
                #"{"k":"1","title":"blue"}"#),
            matching: .path("k"))
        #expect(try await ids(store, nil, "red") == [])
        #expect(try await ids(store, nil, "fox OR jumps") == [2])
        #expect(try await ids(store, nil, "blue") == [1, 5])
        #expect(try await store.write { try $0.remove(matching: .exact("s", "k", equals: "1"), from: "s") } == 1)
        #expect(try await store.write { try $0.remove([5, 77], from: "s") } == [5])
        #expect(try await ids(store, nil, "blue") == [])
        let stamp = EntryStamp(id: 2, stamp: Stamp().setting("title", .string("green fox")))
        _ = try await store.write { try $0.stamp([stamp], in: "s") }
        #expect(try await ids(store, "title", "fox") == [2])
        try await store.write { try $0.clearSoup("s") }
        #expect(try await ids(store, nil, "fox OR quick OR brown") == [])
        try await store.upsert(try records(#"{"k":"9","title":"fox"}"#))
        #expect(try await ids(store, nil, "fox") == [6])
        let broken = try records(#"{"k":"9","title":"wolf"}"#, #"{"title":"wolf"}"#)
        #expect(await code { try await store.upsert(broken, matching: .path("k")) } == .externalIdMissing)
        #expect(try await ids(store, nil, "wolf") == [])
        #expect(try await ids(store, nil, "fox") == [6])
    }

    @Test func `The text is kept once`() async throws {
        let store = try await open()
        #expect(
            try await store.rows(
                "select name from sqlite_schema where tbl_name = 'TABLE_1' and type = 'index' order by 1")
                == [#"["TABLE_1_1_idx"]"#, #"["TABLE_1_created_idx"]"#, #"["TABLE_1_lastModified_idx"]"#])
        #expect(
            try await store.rows("select count(*) from sqlite_schema where name = 'TABLE_1_fts_content'") == ["[0]"])
    }

    @Test func `The tokenizer is chosen`() async throws {
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
        // Another choice goes with indexes that are altered; the same indexes stay as they are.
        let plain = try await SQLiteStore.open(.init(path: temporary.path))
        #expect(try await plain.read { try $0.count(QuerySpec(.match(path: nil, key: "runner"), soup: "texts")) } == 1)
    }

    @Test(arguments: [FullTextOptions(tokenizer: "klingon"), FullTextOptions(prefixes: [0])])
    func `What SQ lite does not take is refused at once`(_ options: FullTextOptions) async throws {
        await #expect {
            try await SQLiteStore.open(.init(path: temporary.path, fullText: options))
        } throws: { error in
            (error as? SoupError)?.code == .badConfiguration
                && (error as? SoupError)?.place?.path == "backend.fullText"
        }
    }
}
