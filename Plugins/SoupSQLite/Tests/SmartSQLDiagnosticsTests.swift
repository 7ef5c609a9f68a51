// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// Errors of Smart SQL use the references of the text, not column names, and contain the place in the text.
@Suite struct SmartSQLDiagnosticsTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    private func open() async throws -> SQLiteStore {
        let store = try await temporary.open(
            IndexSpec("k", .string), IndexSpec("n", .integer), IndexSpec("j.x", .json1), IndexSpec("t", .fullText),
            IndexSpec("__local__", .string))
        try await store.write { try $0.registerSoup("other", [IndexSpec("k", .string)]) }
        try await store.upsert(try records(#"{"k":"a","n":1,"j":{"x":"p"},"t":"red"}"#))
        return store
    }

    private func error(_ sql: String, _ arguments: [JSONValue], on store: SQLiteStore) async -> SoupError? {
        do {
            _ = try await store.read { try $0.query(.smart(sql), page: 0, arguments: arguments) }
            return nil
        } catch {
            return error as? SoupError
        }
    }

    /// Errors found while the references are replaced.
    @Test(arguments: [
        ("select {nope:k} from {s}", "unknownSoup", "line 1, column 8, at \"{nope:k} from {s}\""),
        ("select {s:k} from {nope}", "unknownSoup", "line 1, column 19, at \"{nope}\""),
        ("select {s:k},\n  {nope}.{s:k}\nfrom {s}", "unknownSoup", "line 2, column 3, at \"{nope}.{s:k}\""),
        ("select {s:a:b} from {s}", "badReference", "line 1, column 8, at \"{s:a:b} from {s}\""),
        ("select {} from {s}", "badReference", "line 1, column 8, at \"{} from {s}\""),
        ("select\n{s:k from x", "badReference", "line 2, column 1, at \"{s:k from x\""),
        ("select 'abc from {s}", "sql", "line 1, column 8, at \"'abc from {s}\""),
        ("select 1\nfrom {s} where {s}_fts match\n'{s:k}:a or {s:q}:b'", "sql", "line 3, column 13, at \"{s:q}:b'\""),
    ])
    func `Errors of references have a place`(_ sql: String, _ code: SoupError.Code, _ place: String) async throws {
        let store = try await open()
        let error = await error(sql, [], on: store)
        #expect(error?.code == code && error?.place?.description == place)
        let converted = await #expect(throws: SoupError.self) { _ = try await store.convert(sql) }
        #expect(converted?.place == error?.place)
    }

    static let names = "Write soups and their paths in braces: {soup}, {soup:path}."

    /// Errors that SQLite finds, before the query runs and while it runs.
    @Test(
        arguments: [
            ("select count(*) from", "incomplete input", "line 1, column 21", nil),
            ("select {s:k}\nfrom {s} where\n", "incomplete input", "line 3, column 1", nil),
            (
                "select {s:k} from {s}\n wher {s:n} = 1", #"near "{s:n}": syntax error"#,
                #"line 2, column 7, at "{s:n} = 1""#, nil
            ),
            ("select {s:k}, from {s}", #"near "from": syntax error"#, #"line 1, column 15, at "from {s}""#, nil),
            ("select * from (select 1", "incomplete input", "line 1, column 24", nil),
            ("select 1)", #"near ")": syntax error"#, #"line 1, column 9, at ")""#, nil),
            (
                "select {s:k},\n nonsense\nfrom {s}", "no such column: nonsense", #"line 2, column 2, at "nonsense""#,
                names
            ),
            (
                "select {s:k}, e.{s:k} from {s}", "no such column: e.{s:k}",
                #"line 1, column 15, at "e.{s:k} from {s}""#, names
            ),
            (
                "select 'contacts' -- contacts\n, * from contacts", "no such table: contacts",
                #"line 2, column 10, at "contacts""#, names
            ),
            (
                "select 1 from \"con\"\"tacts\"", "no such table: con\"tacts", #"line 1, column 15, at ""con""tacts"""#,
                names
            ),
            (
                "select {s:k},\n\tlower({s:k}, 2) from {s}", "wrong number of arguments to function lower()",
                #"line 2, column 2, at "lower({s:k}, 2) from {s}""#, nil
            ),
            (
                "select {s:k} from {s} where\nnofunction({s:n})", "no such function: nofunction",
                #"line 2, column 1, at "nofunction({s:n})""#, nil
            ),
            (
                "select {s:k} from {s} where count(*) > 1", "misuse of aggregate function count()",
                #"line 1, column 29, at "count(*) > 1""#, nil
            ),
            (
                "select {s:k}, {other:k} from {s}", "no such column: {other:k}",
                #"line 1, column 15, at "{other:k} from {s}""#,
                "Add the soup {other} after FROM or JOIN."
            ),
            (
                "select {s:k} from {s} where {s:t} match 'red'",
                "unable to use function MATCH in the requested context",
                #"line 1, column 35, at "match 'red'""#,
                "Search full text like this: {soup:_soupEntryId} in "
                    + "(select rowid from {soup}_fts where {soup}_fts match '{soup:path}:word')."
            ),
            ("select 1 #", ##"unrecognized token: "#""##, ##"line 1, column 10, at "#""##, nil),
            (
                "select {s:j.x} from {s} a,\n{s} b", "ambiguous column name: {s:j.x}",
                #"line 1, column 8, at "{s:j.x} from {s} a,""#,
                "Write the soup or its alias before the reference, as in {s}.{s:j.x}."
            ),
            (
                "select id from {s} a, {s} b", "ambiguous column name: id",
                #"line 1, column 8, at "id from {s} a, {s} b""#,
                "Write the alias of a table before the column, as in a.id."
            ),
            (
                "select {s:k}\nfrom {s} where json_extract('{', '$.a') = {s:k}", "malformed JSON",
                #"line 2, column 16, at "json_extract('{', '$.a') = {s:k}""#, nil
            ),
            (
                "select {s:k} from {s}\nwhere {s:_soupEntryId} in (select rowid from {s}_fts where {s}_fts match 'a AND')",
                #"fts5: syntax error near """#, #"line 2, column 68, at "match 'a AND')""#, nil
            ),
            (
                "select {s:k} from {s}\nwhere {s:_soupEntryId} in (select rowid from {s}_fts where {s}_fts match 'q:a')",
                "no such column: q", #"line 2, column 68, at "match 'q:a')""#, names
            ),
        ] as [(String, String, String, String?)])
    func `Errors of SQLite have a place`(_ sql: String, _ reason: String, _ place: String, _ hint: String?)
        async throws
    {
        let store = try await open()
        let error = await error(sql, [], on: store)
        #expect(error?.code == .sql)
        #expect(error?.message == "the Smart SQL was refused: \(reason)")
        #expect(error?.place?.description == place)
        #expect(error?.hint == hint)
        let counted = await #expect(throws: SoupError.self) { _ = try await store.read { try $0.count(.smart(sql)) } }
        #expect(counted?.place == error?.place)
    }

    /// Arguments that are compared with flags are written into the SQL, which shifts the text after them.
    @Test func `Arguments do not shift the place`() async throws {
        let store = try await open()
        let sql = "select {s:k} from {s} where {s:__local__} = ? and {s:__local__} = 1\n and nonsense = ?"
        for arguments in [[true, 1], ["yes", 1], [false, "x"]] as [[JSONValue]] {
            #expect(
                await error(sql, arguments, on: store)?.place
                    == SoupError.Place(line: 2, column: 6, excerpt: "nonsense = ?"))
        }
    }

    @Test func `The description contains place, message and hint`() async throws {
        let error = await error("select {s:k}\nfrom {s} where nonsense = 1", [], on: try await open())
        #expect(
            error?.description
                == #"line 2, column 16, at "nonsense = 1": the Smart SQL was refused: no such column: nonsense. \#(Self.names)"#
        )
    }
}
