// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// Input that is legal and rare, where a second backend gave another answer.
@Suite struct OddInputTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// Parsers differ in which of two members of one name they take: a flag must not be true for one and false for
    /// another.
    @Test func `A flag that is written twice is stored once`() async throws {
        let store = try await temporary.open(IndexSpec("__local__", .string))
        try await store.upsert(
            try records(
                #"{"__local__":true,"a":1,"__local__":"x"}"#, #"{"__local__":"1", "__local__":false}"#,
                #"{"__local__":false,"__local__":true,"b":1}"#))
        #expect(
            try await store.dump() == [
                #"1@1000 {"__local__":true,"a":1}"#, #"2@1000 {"__local__":true}"#,
                #"3@1000 {"__local__":false,"b":1}"#,
            ])
    }

    /// A new index on the flags without values would make every entry look clean: a sync could then replace edits.
    @Test(arguments: [IndexSpec.Kind.string, .integer, .json1])
    func `Local changes stay known when flags get an index`(_ kind: IndexSpec.Kind) async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.upsert(
            try records(#"{"k":"a","__local__":true}"#, #"{"k":"b","__local__":false,"__sync_id__":7}"#))
        let specs = [IndexSpec("k", .string), IndexSpec("__local__", kind), IndexSpec("__sync_id__", .integer)]
        try await store.alterSoup("s", to: specs, reIndex: false)
        #expect(try await store.read { try $0.dirtyIds(in: "s") } == [1])
        #expect(try await store.read { try $0.cleanValues(at: "k", in: "s", writtenBy: 7).map(\.value) } == ["b"])
        let page = try records(#"{"k":"a"}"#, #"{"k":"b"}"#)
        let results = try await store.upsert(page, matching: .path("k"), guarding: .dirty)
        #expect(results.map(\.outcome) == [.skipped, .updated])
    }

    @Test(arguments: ["", "a:b", "no"] as [SoupName])
    func `A query over a soup that cannot be is one over an unknown soup`(_ soup: SoupName) async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        #expect(await code { _ = try await store.read { try $0.query(.all(soup)) } } == .unknownSoup)
        #expect(await code { _ = try await store.read { try $0.count(.exact(soup, "k", equals: 1)) } } == .unknownSoup)
    }

    @Test func `A delete by query that fails spoils the transaction`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let batch = try records(#"{"k":"a"}"#)
        let found = await code {
            try await store.write { writer in
                try writer.upsert(batch, into: "s")
                _ = try? writer.remove(matching: .all("other"), from: "s")
            }
        }
        #expect(found == .badQuerySpec)
        #expect(try await store.dump() == [])
    }

    /// What a stamp brings is indexed as it is written, as everything else is.
    @Test func `A number inside a stamp keeps its digits`() async throws {
        let store = try await temporary.open(IndexSpec("a.b", .string), IndexSpec("a", .string))
        let stamp = Stamp().setting("a", try JSONText(#"{"b":[12345678901234567890123,1E2]}"#))
        try await store.upsert(try records("{}"), stamping: stamp)
        try await store.upsert(try records(#"{"a":{"b":[12345678901234567890123,1E2]}}"#))
        let values = try await store.rows("select {s:a.b}, {s:a} from {s}")
        #expect(
            values
                == Array(
                    repeating: #"["[12345678901234567890123,1E2]","{\"b\":[12345678901234567890123,1E2]}"]"#, count: 2))
    }

    /// json1 does not lead through arrays: nothing is there to find the entry by, and none is inserted twice.
    @Test func `A JSON 1 path through an array has no value to find the entry by`() async throws {
        let store = try await temporary.open(IndexSpec("a.b", .json1))
        let batch = try records(#"{"a":[{"b":1}]}"#)
        #expect(await code { try await store.upsert(batch, matching: .path("a.b")) } == .externalIdMissing)
        let stamp = Stamp().setting("a", try JSONText(#"[{"b":1}]"#))
        let stamped = try records("{}")
        #expect(
            await code { try await store.upsert(stamped, matching: .path("a.b"), stamping: stamp) }
                == .externalIdMissing)
    }

    /// Whole numbers beyond 2^53 are rounded in a floating column: so must be the keys that are compared with it.
    @Test(arguments: [9_007_199_254_740_993, "9007199254740993", " +9007199254740993 "] as [JSONValue])
    func `A floating index finds whole numbers that it rounds`(_ value: JSONValue) async throws {
        let store = try await temporary.open(IndexSpec("x", .floating))
        let batch = RecordBatch([try JSONText(["x": value])])
        let outcomes = try await store.write { writer in
            try [batch, batch].flatMap { try writer.upsert($0, into: "s", matching: .path("x")).map(\.outcome) }
        }
        #expect(outcomes == [.inserted, .unchanged])
        #expect(try await store.read { try $0.lookup(value, at: "x", in: "s") } == 1)
        let range = QuerySpec(.range(path: "x", begin: value, end: value), soup: "s")
        #expect(try await store.read { try $0.count(range) } == 1)
    }

    /// A direction counts only with an order path.
    @Test func `Positions without an order path go up by the IDs`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.upsert(try records("{}", "{}", "{}"))
        let ids = try await store.read { reader in
            let spec = QuerySpec(.all, soup: "s", order: .descending, pageSize: 2)
            let first = try reader.query(spec, after: nil, arguments: [])
            let second = try reader.query(spec, after: first.next, arguments: [])
            return (first.page.entries + second.page.entries).map(\.id)
        }
        #expect(ids == [1, 2, 3])
    }

    @Test func `Positions in a soup that is not there are refused like pages`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let found = await code { _ = try await store.read { try $0.query(.all("no"), after: nil, arguments: []) } }
        #expect(found == .unknownSoup)
    }

    /// Nobody waits for changes of a store that is closed.
    @Test func `Who listens to a closed store hears the end`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.close()
        for await _ in store.changes(in: ["s"]) {}
    }

    @Test(arguments: [
        ("a[0].b", #"{"a":[{"b":"x"}]}"#), ("a[#-1]", #"{"a":[1,2]}"#), (#""a b""#, #"{"a b":1}"#),
        ("a", #"{"a":[ "\u00e9", 1 ]}"#), ("a", #"{"a":{"b" : "\/"}}"#),
    ])
    func `A record is found by any JSON 1 path that leads to a value`(_ path: JSONPath, _ record: String) async throws {
        let store = try await temporary.open(IndexSpec(path, .json1))
        let outcomes = try await store.write { writer in
            try [RecordBatch([try JSONText(record)]), RecordBatch([try JSONText(record)])].flatMap {
                try writer.upsert($0, into: "s", matching: .path(path)).map(\.outcome)
            }
        }
        #expect(outcomes == [.inserted, .unchanged])
    }
}
