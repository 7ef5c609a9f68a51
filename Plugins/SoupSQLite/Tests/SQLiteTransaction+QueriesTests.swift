// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

@Suite struct SQLiteTransactionQueriesTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    func open() async throws -> SQLiteStore {
        let store = try await temporary.open(
            IndexSpec("k", .string), IndexSpec("n", .integer), IndexSpec("j.x", .json1))
        try await store.upsert(
            try records(
                #"{"k":"a","n":1,"j":{"x":"p"},"f":1.5}"#, #"{"k":"b","n":2,"j":{"x":"q"},"o":{"x":[1,2]}}"#,
                #"{"k":"","n":null}"#))
        return store
    }

    func failure(_ sql: String, _ arguments: JSONValue..., on store: SQLiteStore) async -> String {
        do {
            let rows = try await store.read { try $0.query(.smart(sql), page: 0, arguments: arguments).rows }
            return "\(rows)"
        } catch let error as SoupError {
            return "\(error.code)" + (error.place.map { " at \($0.line ?? 0):\($0.column ?? 0)" } ?? "")
        } catch {
            return "\(error)"
        }
    }

    @Test func `Only SELECT statements are accepted`() async throws {
        let store = try await open()
        let before = try await store.dump()
        for sql in [
            "delete from {s}", " UPDATE {s} set soup = 1", "-- a select\ninsert into {s} values (1)", "drop table {s}",
            "pragma user_version = 7", "replace into {s} values (1)", "values (1)", "explain select 1", "vacuum", "",
            "/* select */", "(select 1)", "select 1; delete from {s}", "select 1; select 2",
            "with x as (select 1) delete from {s}", "with x as (select 1) insert into {s} select 1",
            "with x as (select 1)", "attach 'x' as y", "begin",
        ] {
            #expect(await failure(sql, on: store).hasPrefix("onlySelect at "), "\(sql)")
        }
        for sql in ["select 1) ; delete from {s} where (1", "select * from (delete from {s} returning id)"] {
            let refused = await failure(sql, on: store)
            #expect(refused.hasPrefix("onlySelect at ") || refused.hasPrefix("sql at "), "\(sql) gave \(refused)")
        }
        #expect(try await store.dump() == before)
        #expect(
            await failure("select k from (select {s:k} as k from {s} where {s:n} = 1);  ", on: store) == #"[["a"]]"#)
        #expect(
            await failure(
                "with t as (select {s:k} as k from {s} where {s:n} = 1) select replace(k, 'a', 'z') from t -- end",
                on: store)
                == #"[["z"]]"#)
    }

    @Test func `The number of arguments must match the parameters`() async throws {
        let store = try await open()
        #expect(await failure("select {s:n} from {s} where {s:k} = ?", on: store) == "sql")
        #expect(await failure("select {s:n} from {s} where {s:k} = ?", "a", "b", on: store) == "sql")
        #expect(await failure("select {s:n} from {s} where {s:k} = ?", "b", on: store) == "[[2]]")
        #expect(
            await failure("select ?, ?, ?, ?, ?", nil, true, 1.5, ["a", 1], "x", on: store)
                == #"[[null,1,1.5,"[\"a\",1]","x"]]"#)
        let spec = QuerySpec.all("s")
        #expect(
            await code { _ = try await store.read { try $0.query(spec, page: 0, arguments: [1]) } }
                == .whereArgsNotSupported)
        #expect(
            await code { _ = try await store.read { try $0.count(spec, arguments: [1]) } } == .whereArgsNotSupported)
    }

    /// In Swift a quote and a following combining mark are one character; in SQLite the quote ends the text.
    @Test func `A combining mark after a quote does not end a path`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.upsert(try records(#"{"k":"a","x'́y":1}"#))
        #expect(try await store.rows("select {s:x'\u{301}y} from {s}") == ["[1]"])
        #expect(try await store.rows("select {s:x'\u{301}), 'planted', ('} from {s}") == ["[null]"])
        let planted = IndexSpec(JSONPath("x'\u{301}), random(), ('"), .json1)
        await #expect(throws: Never.self) { try await store.alterSoup("s", to: [planted], reIndex: true) }
        #expect(try await store.rows("select {s:k} from {s}") == [#"["a"]"#])
    }

    @Test func `Rows contain the values of their columns`() async throws {
        let store = try await open()
        #expect(
            try await store.rows(
                "select {s:k}, {s:n}, {s:j.x}, {s:f}, {s:o}, {s:o.x[1]} from {s} order by {s:_soupEntryId}")
                == [
                    #"["a",1,"p",1.5,null,null]"#, #"["b",2,"q",null,"{\"x\":[1,2]}",2]"#,
                    #"["",null,null,null,null,null]"#,
                ])
        #expect(try await store.rows("select x'00ff', 'q\"'") == [#"["00ff","q\""]"#])
        #expect(
            try await store.rows("select 1e999, -1e999")
                == ["[1.7976931348623157e+308,-1.7976931348623157e+308]"])
        #expect(try await store.rows(#"select {s:n} from {s} where {s:k} = """#) == ["[null]"])
        #expect(try await store.rows("select {s:k} from {s} where {s:n} is null") == [#"[""]"#])
        #expect(
            try await store.rows("select soupName, columnName from soup_index_map limit 1") == [#"["s","TABLE_1_0"]"#])
    }

    @Test func `Rows can contain whole entries`() async throws {
        let store = try await open()
        let entry = #"{"k":"a","n":1,"j":{"x":"p"},"f":1.5,"_soupEntryId":1,"_soupLastModifiedDate":1000}"#
        let text = JSONEscapes.quoted(entry)
        #expect(try await store.rows("select {s:_soup}, {s:_soup} from {s} limit 1") == ["[\(entry),\(entry)]"])
        #expect(try await store.rows("select e.{s:_soup}, 5 from {s} e limit 1") == ["[\(entry),5]"])
        #expect(
            try await store.rows("select * from (select {s:_soup} from {s} order by {s:n} desc) limit 1 offset 1") == [
                "[\(entry)]"
            ])
        #expect(
            try await store.rows("select * from {s} limit 1") == ["[1,\(entry),1000,1000,\"a\",1]"])
        #expect(try await store.rows("select {s:_soup} as x from {s} limit 1") == ["[\(text)]"])
        #expect(try await store.rows("select json_extract({s:_soup}, '$._soupEntryId') from {s} limit 1") == ["[1]"])
        #expect(
            try await store.rows("select a.{s:_soup}, b.{s:_soup} from {s} a, {s} b where a.{s:n} = 1 and b.{s:n} = 1")
                == ["[\(entry),\(entry)]"])
        let spec = QuerySpec.all("s", orderedBy: "_soupEntryId", selecting: ["_soup", "_soupEntryId"], pageSize: 1)
        #expect(try await store.read { try $0.query(spec).rows.map(\.description) } == ["[\(entry),1]"])
    }

    @Test func `Soups can have many columns and unusual paths`() async throws {
        let store = try await open()
        let specs = (0..<70).map { IndexSpec(JSONPath("c\($0)"), .integer) }
        try await store.write { try $0.registerSoup("wide", [IndexSpec("k", .string)] + specs) }
        func record(_ value: Int, _ changed: Int) throws -> RecordBatch {
            let members = (0..<70).map { "\"c\($0)\":\($0 == changed ? value : 0)" }.joined(separator: ",")
            return try records("{\"k\":\"a\",\(members)}")
        }
        for column in [0, 5, 61, 62, 63, 64, 69] {
            try await store.upsert(try record(7, column), into: "wide", matching: .path("k"))
            for other in [0, 5, 61, 62, 63, 64, 69] {
                #expect(
                    try await store.read { try $0.query(.exact("wide", JSONPath("c\(other)"), equals: 7)).count }
                        == (other == column ? 1 : 0))
            }
        }
        for path in ["a[", "a[x]", "a[1", "[1]", "a[1]b", "a..b", ".a", "a.", "\"a", ""] {
            #expect(
                await code { try await store.write { try $0.registerSoup("odd", [IndexSpec(JSONPath(path), .json1)]) } }
                    == .badPath)
        }
        #expect(try await store.read { try $0.soupNames() } == ["s", "wide"])
        let good = ["a[0]", "a[#]", "a[#-1].b", "a-b", "a b", "a\"b", "it's"].map { IndexSpec(JSONPath($0), .json1) }
        try await store.write { try $0.registerSoup("odd", good) }
        try await store.upsert(try records(#"{"a":[{"b":1}],"a-b":2,"a b":3,"it's":4,"a\"b":5}"#), into: "odd")
        #expect(
            try await store.rows("select {odd:a[0]}, {odd:a[#-1].b}, {odd:a-b}, {odd:a b}, {odd:it's} from {odd}")
                == [#"["{\"b\":1}",1,2,3,4]"#])
    }

    @Test func `Queries return pages`() async throws {
        let store = try await open()
        func page(_ page: Int, _ size: Int) async throws -> [Int64] {
            try await store.read {
                try $0.query(.all("s", orderedBy: "k", order: .descending, pageSize: size), page: page).entries.map(
                    \.id)
            }
        }
        #expect(try await page(0, 2) == [2, 1])
        #expect(try await page(1, 2) == [3])
        #expect(try await page(2, 2) == [])
        #expect(try await page(.max, 2) == [])
        #expect(
            try await store.read { try $0.count(.smart("select {s:n} from {s} group by {s:n} order by 1 -- x")) } == 3)
    }

    @Test func `Entries can be removed by query`() async throws {
        let store = try await open()
        func delete(_ sql: String) async -> SoupError.Code? {
            await code { _ = try await store.write { try $0.remove(matching: .smart(sql), from: "s") } }
        }
        for sql in [
            "select {s:k} from {s}", "select {s:n}, {s:_soupEntryId} from {s}", "select {s:_soupEntryId} + 1 from {s}",
            "select count({s:_soupEntryId}) from {s}", "select 1", "select {s:_soupEntryId} || '' from {s}",
        ] {
            #expect(await delete(sql) == .badQuerySpec, "\(sql)")
        }
        try await store.write { try $0.registerSoup("t", [IndexSpec("k", .string)]) }
        #expect(await delete("select {t:_soupEntryId} from {t}") == .badQuerySpec)
        #expect(
            await code { _ = try await store.write { try $0.remove(matching: .all("t"), from: "s") } } == .badQuerySpec)
        #expect(try await store.dump().count == 3)
        #expect(await delete("SELECT DISTINCT e.{s:_soupEntryId}, {s:k} from {s} e where {s:n} > 1") == nil)
        #expect(try await store.read { try $0.query(.all("s")).entries.map(\.id) } == [1, 3])
        let one = QuerySpec.all("s", orderedBy: "k", pageSize: 1)
        #expect(try await store.write { try $0.remove(matching: one, from: "s") } == 1)
        #expect(try await store.read { try $0.query(.all("s")).entries.map(\.id) } == [1])
    }

    @Test func `Queries use the indexes`() async throws {
        let store = try await open()
        let index = "TABLE_1 USING INDEX TABLE_1"
        let covering = "TABLE_1 USING COVERING INDEX TABLE_1"
        func first(_ spec: QuerySpec, _ arguments: JSONValue...) async throws -> String {
            try await store.plan(of: spec, arguments: arguments).first ?? ""
        }
        #expect(try await first(.all("s", orderedBy: "k")) == "SCAN \(index)_0_idx")
        #expect(try await first(.all("s", orderedBy: "k", selecting: ["k"])) == "SCAN \(covering)_0_idx")
        #expect(try await first(.exact("s", "k", equals: "a")).hasPrefix("SEARCH \(index)_0_idx"))
        #expect(try await first(.exact("s", "j.x", equals: "p")).hasPrefix("SEARCH \(index)_2_idx"))
        let range = QuerySpec(.range(path: "n", begin: 1, end: 5), soup: "s", selectPaths: ["n"], orderPath: "n")
        #expect(try await first(range).hasPrefix("SEARCH \(covering)_1_idx"))
        let like = QuerySpec(.like(path: "k", key: "a%"), soup: "s", orderPath: "k")
        #expect(try await first(like) == "SCAN \(index)_0_idx")
        #expect(
            try await first(.smart("select {s:f} from {s} where {s:k} = ?"), "a").hasPrefix("SEARCH \(index)_0_idx"))
    }
}
