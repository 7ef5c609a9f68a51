// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct SmartSQLTests {
    /// Returns the references of a query as `qualifier.{soup:path}@column`, those of match keys with an `m`.
    func references(_ sql: String) throws -> [String] {
        try SmartSQL(sql).pieces.compactMap { piece in
            guard case .reference(let reference) = piece else { return nil }
            let qualifier: String =
                switch reference.qualifier {
                case .name(let name)?: name + "."
                case .soup(let soup, let column)?: "{\(soup)}@\(column)."
                case nil: ""
                }
            return (reference.isInMatchKey ? "m " : "") + qualifier + reference.source + "@\(reference.column)"
        }
    }

    @Test(arguments: [
        ("select {s:a}, {s} from {s}", ["{s:a}@8", "{s}@15", "{s}@24"]),
        (
            "select e.{s:a},\"f g\".{s:b},[h].{s:c} from {s} e",
            ["e.{s:a}@10", "\"f g\".{s:b}@22", "[h].{s:c}@32", "{s}@43"]
        ),
        ("select {s}.{s:a} from {s}", ["{s}@8.{s:a}@12", "{s}@23"]),
        ("select '{s:a}', \"{s:a}\", `{s:a}`, [{s:a}], 'it''s {s:a}' -- {s:a}\n, {s:b} /* {s:a} */", ["{s:b}@69"]),
        ("select 1 where {s}_fts MATCH '{s:a}:x AND {s:b}:y'", ["{s}@16", "m {s:a}@31", "m {s:b}@43"]),
        ("select 1 where {s}_fts match /* a */ '{s:a}:x'", ["{s}@16", "m {s:a}@39"]),
        ("select 1 where {s:a} like '{s:b}'", ["{s:a}@16"]),
        ("select /*/ {s:a} */ {s:b}, /**/ {s:c} /***/ {s:d}", ["{s:b}@21", "{s:c}@33", "{s:d}@45"]),
        ("select {s:a} --", ["{s:a}@8"]), ("select {s:a} -", ["{s:a}@8"]), ("select {s:a} /", ["{s:a}@8"]),
        ("select {my soup:a b.c}, {Zoë:é}", ["{my soup:a b.c}@8", "{Zoë:é}@25"]),
    ])
    func `References are found with their columns`(_ sql: String, _ expected: [String]) throws {
        #expect(try references(sql) == expected)
    }

    @Test(arguments: [
        "select {s:a} from {s} where e.{s:b}='x' and x in (?, ?1, :a, @b, $c) -- end", "select\n\t1",
        "select {s}.{s:a}, 'a''b', \"c\"\"d\" from {s} where 1 <> 2 and 3 != 4 and 5 == 5 and 6 <= 7",
    ])
    func `The pieces joined are the text`(_ sql: String) throws {
        let written = try SmartSQL(sql).pieces.map { piece in
            switch piece {
            case .text(let text): return text
            case .flag(let literal, _, _): return literal
            case .flagParameter(let source, _, _): return source
            case .reference(let reference):
                switch reference.qualifier {
                case .name(let name)?: return "\(name).\(reference.source)"
                case .soup(let soup, _)?: return "{\(soup)}.\(reference.source)"
                case nil: return reference.source
                }
            }
        }
        #expect(written.joined() == sql)
    }

    /// U+001F at the beginning marks a path whose keys can contain dots.
    @Test(arguments: ["select {s:\u{1F}a} from {s}", "select {s:\u{1F}a.b\u{1F}c}, {s:a\u{1F}b} from {s}"])
    func `The pieces of a text are the text`(text: String) throws {
        #expect(try SmartSQL(text).pieces.map(\.source).joined() == text)
    }

    @Test(arguments: ["/*", "/*/", "/* {s:a}", "/* *", "/**"])
    func `An unclosed comment is an error`(_ comment: String) {
        // The store appends its own SQL to the query, which would become part of the comment.
        let error = #expect(throws: SoupError.self) { try SmartSQL("select 1 \(comment)") }
        #expect(error?.description == "line 1, column 10, at \"\(comment)\": a comment in the Smart SQL is not closed")
    }

    @Test(arguments: [
        ("select {s:a}\r\nfrom 'x", #"line 2, column 6, at "'x""#),
        ("select\n\t{s:a\nfrom x", "line 2, column 2, at \"{s:a\""),
        ("-- a\n\n  drop table {s}", "line 3, column 3, at \"drop table {s}\""),
        ("select 1;\n select 2", "line 2, column 2, at \"select 2\""), ("\n\n", "line 1, column 1"),
        ("with x as (select 1)\ndelete from {s}", "line 2, column 1, at \"delete from {s}\""),
        ("select\n {s:é:b}, 2", "line 2, column 2, at \"{s:é:b}, 2\""),
        ("select 1 where {s}_fts match\n 'a {s:a:b}:x'", "line 2, column 5, at \"{s:a:b}:x'\""),
        ("select é, 'open", "line 1, column 12, at \"'open\""),
        (
            "select '\(String(repeating: "é", count: 50))",
            "line 1, column 8, at \"'\(String(repeating: "é", count: 39))…\""
        ),
    ])
    func `A fault has a line, a column and an excerpt`(_ sql: String, _ place: String) {
        let error = #expect(throws: SoupError.self) { try SmartSQL(sql) }
        #expect(error?.place?.description == place)
    }

    @Test func `Names exclude references, literals and comments`() throws {
        let query = try SmartSQL("select a.{s:b}, \"c \"\"d\", [e], `f``g`, 'h' -- i\nfrom {s} a /* j */ where 1 = :k")
        #expect(
            query.names.map { "\($0.text)@\($0.column)" } == [
                "select@1", "a@8", "c \"d@17", "e@26", "f`g@31", "from@48", "a@57", "where@67", "1@73",
            ])
    }

    @Test func `Literals compared with local flags are found`() throws {
        let sql = """
            select 1, {s:a} = '1' from {s} e where {s:__local__} = 1 and e.{s:__locally_created__} != 'true' \
            and 0={s:__local__} and {s:__locally_deleted__} in (0, 'false', ?, 'x') and {s:__local__} is not ? \
            and {s:__local__} = 'yes' and {s:__local__} and 1 = 1 and {s:n} = ? and {s:__local__} > 1
            """
        let found = try SmartSQL(sql).pieces.compactMap { piece -> String? in
            switch piece {
            case .flag(let literal, let value, let reference): "\(literal) \(value) \(reference.path ?? "")"
            case .flagParameter(let source, let ordinal, let reference): "\(source)\(ordinal) \(reference.path ?? "")"
            default: nil
            }
        }
        #expect(
            found == [
                "1 true __local__", "'true' true __locally_created__", "0 false __local__",
                "0 false __locally_deleted__", "'false' false __locally_deleted__", "?0 __locally_deleted__",
                "?1 __local__",
            ])
    }

    @Test func `Numbered parameters are not analyzed`() throws {
        let pieces = try SmartSQL("select ?1 from {s} where {s:__local__} = ?").pieces
        #expect(!pieces.contains { if case .flagParameter = $0 { true } else { false } })
    }

    @Test(
        arguments: [
            ("abc", nil, "abc"), ("abc", "F", "F:abc"), ("{s:p2}:abc", "F", "{s:p2}:abc"),
            ("abc AND def", "F", "F:abc AND F:def"),
            ("abc or {s:p2}:def", "F", "F:abc or {s:p2}:def"),
            ("((abc AND {s:p2}:def) AND NOT ghi) OR jkl", "F", "((F:abc AND {s:p2}:def) AND NOT F:ghi) OR F:jkl"),
            ("\"a b\" c", "F", "F:\"a b\" F:c"), ("\"a (b\"", "F", "F:\"a (b\""), ("a + b c", "F", "F:a + b F:c"),
            ("a+b c", "F", "F:a+b F:c"), ("NEAR(a b, 2) c", "F", "F:NEAR(a b, 2) F:c"),
            ("NEAR (a)", "F", "F:NEAR (a)"),
            ("{s:a b}:x y", "F", "{s:a b}:x F:y"), ("", "F", ""), ("\"open", "F", "F:\"open"), ("  ", "F", "  "),
        ] as [(String, String?, String)])
    func `Match keys are qualified with the field`(_ key: String, _ field: String?, _ expected: String) {
        #expect(SmartSQL.qualifyMatchKey(key, field: field) == expected)
    }
}
