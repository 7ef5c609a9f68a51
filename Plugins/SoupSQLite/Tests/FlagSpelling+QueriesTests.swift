// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// Local flags are `true` and `false` in string indexes; queries can spell them as either mobile platform does.
@Suite struct FlagSpellingQueriesTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    func open(_ kind: IndexSpec.Kind, compatible: Bool = true) async throws -> SQLiteStore {
        let store = try await temporary.open(booleanCompatibility: compatible)
        try await store.write { try $0.registerSoup("s", [IndexSpec("k", .string), IndexSpec("__local__", kind)]) }
        try await store.upsert(
            try records(#"{"k":"a","__local__":true}"#, #"{"k":"b","__local__":false}"#, #"{"k":"c"}"#))
        return store
    }

    @Test(arguments: [IndexSpec.Kind.string, .integer, .floating, .json1])
    func `Queries match every spelling in every kind of index`(_ kind: IndexSpec.Kind) async throws {
        let store = try await open(kind)
        for literal in ["1", "'1'", "'true'", "true", "TRUE", "\"true\""] {
            #expect(try await store.rows("select {s:k} from {s} where {s:__local__} = \(literal)") == [#"["a"]"#])
            #expect(try await store.rows("select {s:k} from {s} where \(literal) = {s:__local__}") == [#"["a"]"#])
            #expect(
                try await store.rows("select e.{s:k} from {s} e where e.{s:__local__} == \(literal)") == [#"["a"]"#])
            #expect(try await store.rows("select {s:k} from {s} where {s:__local__}<>\(literal)") == [#"["b"]"#])
            #expect(try await store.rows("select {s:k} from {s} where {s:__local__} in (\(literal), 7)") == [#"["a"]"#])
            #expect(
                try await store.rows("select {s:k} from {s} where {s:__local__} is not \(literal) order by 1")
                    == [#"["b"]"#, #"["c"]"#])
        }
        #expect(try await store.rows("select {s:k} from {s} where {s:__local__} = '0'") == [#"["b"]"#])
        let keys: [JSONValue] = [1, "1", "true", true]
        for key in keys {
            #expect(
                try await store.rows("select {s:k} from {s} where {s:__local__} = ? and {s:k} = ?", key, "a") == [
                    #"["a"]"#
                ])
            #expect(
                try await store.read { try $0.query(.exact("s", "__local__", equals: key)).entries.map(\.id) } == [1])
            #expect(try await store.read { try $0.count(.exact("s", "__local__", equals: key)) } == 1)
        }
        #expect(try await store.read { try $0.query(.exact("s", "__local__", equals: "0")).entries.map(\.id) } == [2])
        #expect(
            try await store.read { try $0.query(.exact("s", "__local__", equals: "other")).entries.map(\.id) } == [])
        #expect(try await store.read { try $0.dirtyIds(in: "s") } == [1])
        #expect(try await store.read { try $0.cleanValues(at: "k", in: "s", writtenBy: nil).map(\.value) } == ["b"])
        let guarded = try await store.upsert(
            try records(#"{"k":"a"}"#, #"{"k":"b","n":1}"#, #"{"k":"c","n":1}"#), matching: .path("k"), guarding: .dirty
        )
        #expect(guarded.map(\.outcome) == [.skipped, .updated, .updated])
    }

    @Test func `Queries match every spelling without a flag index`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.upsert(
            try records(#"{"k":"a","__local__":true}"#, #"{"k":"b","__local__":false}"#, #"{"k":"c"}"#))
        #expect(try await store.rows("select {s:k} from {s} where {s:__local__} = 'true'") == [#"["a"]"#])
        #expect(try await store.read { try $0.dirtyIds(in: "s") } == [1])
        #expect(try await store.read { try $0.cleanValues(at: "k", in: "s", writtenBy: nil).map(\.value) } == ["b"])
        let guarded = try await store.upsert(try records(#"{"k":"a"}"#), matching: .path("k"), guarding: .dirty)
        #expect(guarded.map(\.outcome) == [.skipped])
    }

    @Test func `Without compatibility only the stored spelling matches`() async throws {
        let store = try await open(.string, compatible: false)
        #expect(try await store.rows("select {s:k} from {s} where {s:__local__} = '1'") == [])
        #expect(try await store.rows("select {s:k} from {s} where {s:__local__} = 'true'") == [#"["a"]"#])
        #expect(try await store.read { try $0.query(.exact("s", "__local__", equals: "1")).count } == 0)
        #expect(try await store.read { try $0.query(.exact("s", "__local__", equals: true)).count } == 1)
    }

    @Test func `Other literals keep their spelling`() async throws {
        let store = try await open(.string)
        try await store.upsert(try records(#"{"k":"1"}"#, #"{"k":"true"}"#))
        #expect(try await store.rows("select {s:k} from {s} where {s:k} = '1'") == [#"["1"]"#])
        #expect(try await store.read { try $0.query(.exact("s", "k", equals: "true")).entries.map(\.id) } == [5])
        #expect(
            try await store.rows(
                "select '1', {s:__local__}, 1, {s:__local__} = '1' and {s:k} = 'true' from {s} where {s:k} = 'a'")
                == [#"["1","true",1,0]"#])
    }

    @Test func `A flag index contains only set flags and is used`() async throws {
        let store = try await open(.string)
        let sql = try await store.rows("select sql from sqlite_schema where name = 'TABLE_1_1_idx'")
        #expect(sql == [#"["CREATE INDEX TABLE_1_1_idx ON TABLE_1 ( TABLE_1_1 ) WHERE TABLE_1_1 = 'true'"]"#])
        #expect(
            try await store.convert("select {s:k} from {s} where {s:__local__} = 1")
                == "select TABLE_1_0 from TABLE_1 where TABLE_1_1 = 'true'")
        let specs: [QuerySpec] = [
            .exact("s", "__local__", equals: "1"), .smart("select {s:k} from {s} where {s:__local__} = 1"),
        ]
        for spec in specs {
            #expect(try await store.plan(of: spec).first == "SEARCH TABLE_1 USING INDEX TABLE_1_1_idx (TABLE_1_1=?)")
        }
        let bound = QuerySpec.smart("select {s:k} from {s} where {s:__local__} = ?")
        #expect(
            try await store.plan(of: bound, arguments: [true]).first
                == "SEARCH TABLE_1 USING INDEX TABLE_1_1_idx (TABLE_1_1=?)")
    }
}
