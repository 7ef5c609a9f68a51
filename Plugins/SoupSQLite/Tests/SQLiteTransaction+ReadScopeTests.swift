// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// The tables that queries of apps can read, and the functions that they can call.
@Suite struct SQLiteTransactionReadScopeTests {
    private let temporary: TemporaryStore
    private let store: SQLiteStore

    init() async throws {
        temporary = try TemporaryStore()
        store = try await temporary.open()
        try await store.write { writer in
            try writer.registerSoup("s", [IndexSpec("k", .string), IndexSpec("__local__", .string)])
            try writer.registerSoup("notes", [IndexSpec("t", .fullText), IndexSpec("k", .string)])
            try writer.upsert(try records(#"{"k":"a"}"#, #"{"k":"b"}"#), into: "s")
            try writer.upsert(try records(#"{"t":"red wine","k":"a"}"#), into: "notes")
        }
    }

    private func refusal(_ sql: String, _ arguments: JSONValue...) async throws -> SoupError? {
        do {
            _ = try await store.read { try $0.query(.smart(sql, pageSize: 10), page: 0, arguments: arguments) }
        } catch let error as SoupError {
            return error
        }
        return nil
    }

    @Test(arguments: [
        "select * from synced_copies", "select 1 from SYNCED_COPIES", "select count(*) from synced_copies",
        "select {s:k}, (select count(*) from synced_copies) from {s}", "select * from TABLE_2_fts_data",
        "select * from TABLE_2_fts_config", "select * from dbstat", "select * from sqlite_dbpage",
        "select * from pragma_database_list", "select file from pragma_database_list",
        "with x as (select * from synced_copies) select count(*) from x", "select * from fsdir('/')",
        "select * from pragma_module_list",
    ])
    func `Tables other than those of soups are refused`(_ sql: String) async throws {
        #expect(try await refusal(sql)?.code == .sql)
    }

    /// The set of readable tables is cached until soups change, also on connections that were open before.
    @Test func `New and removed soups change the scope`() async throws {
        #expect(try await refusal("select count(*) from {s}") == nil)
        #expect(try await refusal("select count(*) from TABLE_3") != nil)
        try await store.write { try $0.registerSoup("later", [IndexSpec("k", .fullText)]) }
        for sql in ["{later}", "TABLE_3", "TABLE_3_fts", "{s}, {later}"] {
            #expect(try await refusal("select count(*) from \(sql)") == nil, "\(sql)")
        }
        try await store.write { writer in
            try writer.registerSoup("inside", [IndexSpec("k", .string)])
            _ = try writer.query(.smart("select count(*) from {inside}", pageSize: 10), page: 0, arguments: [])
            try writer.removeSoup("later")
            #expect(throws: SoupError.self) {
                try writer.query(.smart("select count(*) from TABLE_3", pageSize: 10), page: 0, arguments: [])
            }
        }
        #expect(try await refusal("select count(*) from TABLE_3") != nil)
        #expect(try await refusal("select count(*) from {inside}") == nil)
    }

    @Test func `The error names the table and its place`() async throws {
        let error = try await refusal("select *\nfrom synced_copies")
        #expect(error?.message == "the Smart SQL was refused: synced_copies is not a table of a soup")
        #expect(error?.place == SoupError.Place(line: 2, column: 6, excerpt: "synced_copies"))
        #expect(error?.hint == "Read only soups, soup_attrs and soup_index_map, and write soups in braces: {soup}.")
    }

    @Test(arguments: [
        "select count(*) from {s}", "select 1 from {s}", "with x as (select {s:k} from {s}) select count(*) from x",
        "with x(a) as (select 1 union all select a + 1 from x where a < 3) select 1 from x",
        "select value from {s}, json_each({s}.{s:_soup})", "select soupName from soup_attrs",
        "select rowid from {notes}_fts where {notes}_fts match '{notes:t}:red'",
        "select {s:k} from {s} join {notes} on {notes:k} = {s:k}", "select * from TABLE_1", "select 1",
        "select name from sqlite_schema", "select * from (select {s:k} as secret from {s}) as synced",
    ])
    func `Soups and their lists can be read`(_ sql: String) async throws { #expect(try await refusal(sql) == nil) }

    /// The first search of a connection opens the search index, which reads tables of its own.
    @Test func `Full-text specs work on every connection`() async throws {
        let specs: [QuerySpec] = [
            .match("notes", "t", expression: "red"), .match("notes", nil, expression: "wine", orderedBy: "_soupRank"),
            .match("notes", "t", expression: "red", orderedBy: "k", selecting: ["k"]),
        ]
        for again in 0..<2 {
            for spec in specs {
                #expect(try await store.read { try $0.query(spec).count } == 1, "\(again) \(spec)")
                #expect(try await store.read { try $0.count(spec) } == 1)
                let page = try await store.read { try $0.query(spec, after: nil, arguments: []).page }
                #expect(page.count == 1)
            }
            try await store.write { try $0.registerSoup(SoupName("other\(again)"), [IndexSpec("t", .fullText)]) }
        }
        #expect(try await store.write { try $0.remove(matching: specs[0], from: "notes") } == 1)
    }

    @Test(arguments: [
        "select fts3_tokenizer('simple')", "select hex(fts3_tokenizer(?))", "select FTS3_TOKENIZER('porter', x'00')",
        "select load_extension('x')", "select load_extension('x', 'y')", "select readfile('/etc/passwd')",
        "select writefile('/tmp/x', 'y')", "select edit('x')", "select \"fts3_tokenizer\"('simple')",
    ])
    func `Dangerous functions are refused`(_ sql: String) async throws {
        let arguments: [JSONValue] = sql.contains("?") ? ["simple"] : []
        let error = await #expect(throws: SoupError.self) {
            try await store.read { try $0.query(.smart(sql, pageSize: 10), page: 0, arguments: arguments) }
        }
        #expect(error?.code == .sql)
        // A spec cannot call them either, because no part of it is SQL.
        let path = JSONPath(sql)
        let rows = try await store.read { try $0.query(.all("s", selecting: [path])).rows.map(\.description) }
        #expect(rows == ["[null]", "[null]"])
    }

    // MARK: Messages

    @Test func `A search without a full_text index is refused`() async throws {
        for spec in [QuerySpec.match("s", nil, expression: "a"), .match("s", "k", expression: "a")] {
            let error = await #expect(throws: SoupError.self) { try await store.read { try $0.query(spec) } }
            #expect(error?.message == "soup \"s\" has no full_text index to search")
            #expect(error?.hint?.hasPrefix("Add a full_text index on one of its paths") == true)
        }
        let sql = "select {s:k} from {s} where {s:_soupEntryId} in (select rowid from {s}_fts where {s}_fts match 'a')"
        let error = try await refusal(sql)
        #expect(error?.message == "soup \"s\" has no full_text index to search")
        #expect(error?.place?.line == 1)
    }

    @Test func `A match key with a path of another soup is refused`() async throws {
        let error = await #expect(throws: SoupError.self) {
            try await store.read { try $0.query(.match("notes", "t", expression: "red OR {s:k}:a")) }
        }
        #expect(error?.code == .badReference)
        #expect(error?.message == "the matchKey names {s:k}, but the query searches soup \"notes\"")
        #expect(error?.place?.path == "matchKey")
        let smart = try await refusal(
            "select rowid from {notes}_fts where {notes}_fts match '{s:k}:a'")
        #expect(smart?.message == "{s:k} is not a full_text path of the soup that the MATCH searches")
        #expect(smart?.place?.column == 56)
    }

    @Test func `Ambiguous paths of a join are refused`() async throws {
        let error = try await refusal("select {s:x}, {notes:y} from {s}, {notes}")
        #expect(error?.message == "the Smart SQL was refused: ambiguous column name: {s:x}")
        #expect(
            error?.hint
                == "Write the soup or its alias before the reference, as in {s}.{s:x}.")
        #expect(try await refusal("select {s}.{s:x}, {notes}.{notes:y} from {s}, {notes}") == nil)
    }
}
