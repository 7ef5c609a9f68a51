// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import SoupTesting
import Testing

/// The rows of queries as JSON.
@Suite struct RowReaderTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    private func open() async throws -> SQLiteStore {
        let store = try await temporary.open(IndexSpec("k", .string), IndexSpec("n", .floating))
        try await store.upsert(try records(#"{"k":"a","n":1}"#, #"{"k":"{\"x\":1}","n":null}"#, "{}"))
        return store
    }

    @Test(arguments: [
        ("select '1' as soup, 1 as id, 2 as lastModified", #"["1",1,2]"#),
        ("select '[1, 2]' as soup, 1 as id, 2 as lastModified", #"["[1, 2]",1,2]"#),
        ("select '' as soup, 1 as id, 2 as lastModified", #"["",1,2]"#),
        ("select 'null' as soup", #"["null"]"#), ("select '{' as soup, '}' as soup", #"["{","}"]"#),
        ("select ' {\"a\": 1} ' as soup", #"[{"a": 1}]"#),
        (
            "select '{}' as soup, 1 as id, 2 as lastModified",
            #"[{"_soupEntryId":1,"_soupLastModifiedDate":2},1,2]"#
        ),
        ("select '{}' as soup, 'x' as id, null as lastModified", #"[{},"x",null]"#),
        (
            "select {s:_soup} as soup, {s:_soupEntryId} as id, {s:_soupLastModifiedDate} as lastModified from {s} limit 1",
            #"[{"k":"a","n":1,"_soupEntryId":1,"_soupLastModifiedDate":1000},1,1000]"#
        ),
        ("select soup_entry('', 1, 2)", #"[""]"#), ("select soup_entry('7', 1, 2) as soup", #"["7"]"#),
        ("select soup_entry('x}', 1, 2) as soup", #"["x}"]"#), ("select soup_entry('{', 1, 2) as soup", #"["{"]"#),
        ("select {s:_soup} from (select '5' as soup, 1 as id, 2 as lastModified) as TABLE_1", #"["5"]"#),
        ("select cast(x'ff41c3' as text), char(0), char(31)", "[\"\u{FFFD}A\u{FFFD}\",\"\\u0000\",\"\\u001f\"]"),
        ("select cast(x'7b22ff223a317d' as text) as soup", "[\"{\\\"\u{FFFD}\\\":1}\"]"),
    ])
    func `Columns with the names of the engine are values`(_ sql: String, _ expected: String) async throws {
        let rows = try await open().rows(sql)
        #expect(rows == [expected])
        for row in rows { _ = try JSONText(row) }
    }

    @Test(arguments: 0..<4 as Range<UInt64>) func `Every row has one value per column`(_ seed: UInt64) async throws {
        let store = try await open()
        var random = SeededRandom(seed: seed)
        let values = [
            "1", "-1.5", "1e999", "-1e999", "null", "'a\"b\\c'", "''", "'{}'", "'{\"a\":[1]}'", "'[]'", "' {} '",
            "'{\"a\"'",
            "'{\"_soupEntryId\":5}'", "x'00ff'", "cast(x'80' as text)", "char(0, 10, 34, 92, 8232)", "{s:k}", "{s:n}",
            "{s:_soup}", "{s:_soupEntryId}", "{s:_soupLastModifiedDate}", "{s:_soupCreatedDate}", "soup", "{s:q.r}",
            "soup_entry({s:k}, 1, 2)", "soup_entry(soup, {s:k}, null)", "json_object('a', {s:n})",
            "9223372036854775807",
        ]
        let names = [
            "", "", "as soup", "as id", "as lastModified", "as \"soup:1\"", "as \"a:2\"", "as \"sou\u{301}p\"",
        ]
        for _ in 0..<150 {
            let columns = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                "\(values.randomElement(using: &random) ?? "1") \(names.randomElement(using: &random) ?? "")"
            }
            let sql = "select \(columns.joined(separator: ", ")) from {s}"
            for row in try await store.read({ try $0.query(.smart(sql)).rows }) {
                let checked = try JSONText(Array(row.bytes)[...])
                #expect(checked == row && row.value.arrayValue?.count == columns.count, "\(sql) gave \(row)")
            }
        }
    }
}
