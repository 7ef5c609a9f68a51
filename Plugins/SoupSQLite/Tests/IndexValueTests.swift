// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// The values in the index columns, and the keys that find them.
@Suite struct IndexValueTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// Returns the value and its SQLite type for each kind of index.
    func stored(_ json: String) async throws -> [String] {
        var values: [String] = []
        for kind in [IndexSpec.Kind.string, .integer, .floating, .json1] {
            let temporary = try TemporaryStore()
            let store = try await temporary.open(IndexSpec("x", kind))
            try await store.upsert(try records(#"{"x": \#(json) }"#))
            values += try await store.rows("select {s:x}, typeof({s:x}) from {s}")
        }
        return values
    }

    @Test(arguments: [
        ("\"abc\"", [#"["abc","text"]"#, #"["abc","text"]"#, #"["abc","text"]"#, #"["abc","text"]"#]),
        ("\"42\"", [#"["42","text"]"#, #"[42,"integer"]"#, #"[42.0,"real"]"#, #"["42","text"]"#]),
        ("\"\"", [#"["","text"]"#, #"["","text"]"#, #"["","text"]"#, #"["","text"]"#]),
        ("42", [#"["42","text"]"#, #"[42,"integer"]"#, #"[42.0,"real"]"#, #"[42,"integer"]"#]),
        ("3.7", [#"["3.7","text"]"#, #"[3.7,"real"]"#, #"[3.7,"real"]"#, #"[3.7,"real"]"#]),
        ("-0.5", [#"["-0.5","text"]"#, #"[-0.5,"real"]"#, #"[-0.5,"real"]"#, #"[-0.5,"real"]"#]),
        ("1e21", [#"["1.0e+21","text"]"#, #"[1e+21,"real"]"#, #"[1e+21,"real"]"#, #"[1e+21,"real"]"#]),
        ("5.0", [#"["5.0","text"]"#, #"[5,"integer"]"#, #"[5.0,"real"]"#, #"[5.0,"real"]"#]),
        (
            "12345678901234567890123",
            [
                #"["12345678901234567890123","text"]"#, #"[1.2345678901234568e+22,"real"]"#,
                #"[1.2345678901234568e+22,"real"]"#, #"[1.2345678901234568e+22,"real"]"#,
            ]
        ),
        (
            "-1e400",
            [
                #"["-1.79769313486232e+308","text"]"#, #"[-1.7976931348623157e+308,"real"]"#,
                #"[-1.7976931348623157e+308,"real"]"#, #"[-1.7976931348623157e+308,"real"]"#,
            ]
        ),
        (
            "9223372036854775807",
            [
                #"["9223372036854775807","text"]"#, #"[9223372036854775807,"integer"]"#,
                #"[9.223372036854776e+18,"real"]"#, #"[9223372036854775807,"integer"]"#,
            ]
        ),
        (
            "-9223372036854775808",
            [
                #"["-9223372036854775808","text"]"#, #"[-9223372036854775808,"integer"]"#,
                #"[-9.223372036854776e+18,"real"]"#, #"[-9223372036854775808,"integer"]"#,
            ]
        ),
        ("true", [#"["true","text"]"#, #"[1,"integer"]"#, #"[1.0,"real"]"#, #"[1,"integer"]"#]),
        ("false", [#"["false","text"]"#, #"[0,"integer"]"#, #"[0.0,"real"]"#, #"[0,"integer"]"#]),
        ("null", [#"[null,"null"]"#, #"[null,"null"]"#, #"[null,"null"]"#, #"[null,"null"]"#]),
        (
            "[ 1, \"a\\u00e9 b\" ]",
            [
                #"["[1,\"aé b\"]","text"]"#, #"["[1,\"aé b\"]","text"]"#, #"["[1,\"aé b\"]","text"]"#,
                #"["[1,\"a\\u00e9 b\"]","text"]"#,
            ]
        ),
        (
            "{ \"b\" : 2 }",
            [#"["{\"b\":2}","text"]"#, #"["{\"b\":2}","text"]"#, #"["{\"b\":2}","text"]"#, #"["{\"b\":2}","text"]"#]
        ),
        (
            "\"a\\n\\ud83d\\ude00\\\"\"",
            [#"["a\n😀\"","text"]"#, #"["a\n😀\"","text"]"#, #"["a\n😀\"","text"]"#, #"["a\n😀\"","text"]"#]
        ),
    ])
    func `The kind of an index decides the stored value`(_ json: String, _ expected: [String]) async throws {
        #expect(try await stored(json) == expected)
    }

    static let keys: [(IndexSpec.Kind, JSONValue)] = [
        (.string, "abc"), (.string, ""), (.string, 42), (.string, 3.7), (.string, 1e21), (.string, true),
        (.string, "é\n😀"),
        (.string, [1, "a"]), (.string, "12345678901234567890123"), (.integer, 42), (.integer, -1), (.integer, 3.7),
        (.integer, "42"), (.integer, "abc"),
        (.integer, false), (.floating, 42), (.floating, 10.2), (.floating, "3.5"), (.json1, 42), (.json1, "42"),
        (.json1, 3.7), (.json1, true), (.json1, "abc"),
    ]

    /// Lookups, upserts by path and exact queries find a record by the value it was written with.
    @Test(arguments: keys) func `Every value finds its own record`(_ kind: IndexSpec.Kind, _ value: JSONValue)
        async throws
    {
        let store = try await temporary.open(IndexSpec("x", kind), IndexSpec("a.y", kind))
        let record: JSONValue = ["x": value, "a": ["y": value]]
        let (first, second) = (try JSONText(record), try JSONText(["x": value, "a": ["y": value], "n": 2]))
        try await store.upsert(RecordBatch([first]))
        for path in ["x", "a.y"] as [JSONPath] {
            #expect(try await store.read { try $0.lookup(value, at: path, in: "s") } == 1)
            #expect(try await store.read { try $0.query(.exact("s", path, equals: value)).entries.map(\.id) } == [1])
            for text in [second, first] {
                let results = try await store.upsert(RecordBatch([text]), matching: .path(path))
                #expect(results.map { "\($0.outcome) \($0.id)" } == ["updated 1"])
            }
        }
        #expect(try await store.read { try $0.lookup("other", at: "x", in: "s") } == nil)
    }

    /// A ``JSONValue`` of the number is the greatest double, so only the text of a record can match it.
    @Test(arguments: IndexSpec.Kind.allCases, ["1e999", "-1e999"])
    func `A number beyond a double matches itself`(_ kind: IndexSpec.Kind, _ number: String) async throws {
        let store = try await temporary.open(IndexSpec("x", kind))
        let texts = try ["{\"x\":\(number)}", "{\"x\":\(number),\"n\":2}"].map { try JSONText($0) }
        for text in texts { try await store.upsert(RecordBatch([text]), matching: .path("x")) }
        let stamp = RecordBatch.Stamp([.init("x", try JSONText(number))])
        try await store.upsert(try records("{}"), matching: .path("x"), stamping: stamp)
        #expect(try await store.dump().map { $0.prefix(2) } == ["1@"])
    }

    @Test func `Paths lead through arrays`() async throws {
        let store = try await temporary.open(IndexSpec("c.d", .string), IndexSpec("c.n", .json1))
        try await store.upsert(
            try records(#"{"c":[{"d":"x","n":1},{},{"d": [ 1 ] }]}"#, #"{"c":[]}"#, #"{"c":{"d":"y","n":2}}"#))
        #expect(
            try await store.rows("select {s:c.d}, {s:c.n} from {s} order by {s:_soupEntryId}")
                == [#"["[\"x\",[1]]",null]"#, "[null,null]", #"["y",2]"#])
    }

    @Test func `Stamped members are indexed`() async throws {
        let store = try await temporary.open(
            IndexSpec("a.b", .string), IndexSpec("a", .string), IndexSpec("n", .integer))
        let stamp = RecordBatch.Stamp([.init("a", try JSONText(#"{ "b": "new" }"#)), .init("n", nil)])
        try await store.upsert(try records(#"{"a":{"b":"old"},"n":1,"z":1}"#), stamping: stamp)
        #expect(try await store.rows("select {s:a.b}, {s:a}, {s:n} from {s}") == [#"["new","{\"b\":\"new\"}",null]"#])
        #expect(try await store.dump() == [#"1@1000 {"z":1,"a":{ "b": "new" }}"#])
        let each = RecordBatch(
            bytes: Array(#"{"n":5}{"n":6,"a":1}"#.utf8), ranges: [0..<7, 7..<20],
            stamps: [RecordBatch.Stamp().setting("a", .string("p")), RecordBatch.Stamp().setting("n", .integer(9))])
        try await store.upsert(each, stamping: RecordBatch.Stamp().setting("n", .integer(8)))
        #expect(
            try await store.dump().dropFirst() == [#"2@1001 {"n":8,"a":"p"}"#, #"3@1001 {"a":1,"n":9}"#])
    }

    @Test func `System fields cannot be stamped`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let stamp = RecordBatch.Stamp([.init("_soupEntryId", .integer(7)), .init("k", .string("v"))])
        try await store.upsert(try records("{}"), stamping: stamp)
        _ = try await store.write { try $0.stamp([EntryStamp(id: 1, stamp: stamp)], in: "s") }
        #expect(try await store.dump() == [#"1@1000 {"k":"v"}"#])
    }

    /// Numbers can be different values although they round to the same double.
    @Test(arguments: [
        ("-9223372036854775809", "-9223372036854775808", #"[-9223372036854775808,"integer"]"#),
        ("9007199254740993", "9007199254740992.0", #"[9007199254740992,"integer"]"#),
        ("1", "1.0", #"[1,"integer"]"#),
    ])
    func `A different number replaces the indexed one`(_ first: String, _ second: String, _ row: String) async throws {
        let store = try await temporary.open(IndexSpec("x", .integer))
        try await store.upsert(try records(#"{"_soupEntryId":1,"x":\#(first)}"#))
        try await store.upsert(try records(#"{"_soupEntryId":1,"x":\#(second)}"#))
        #expect(try await store.rows("select {s:x}, typeof({s:x}) from {s}") == [row])
    }
}
