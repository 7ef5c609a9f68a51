// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// Valid but rare input for which the backends once gave different results.
@Suite struct RareInputTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// Parsers differ in which of two members with one name they use: a flag must have the same value in both.
    @Test func `A flag that occurs twice is stored once`() async throws {
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

    /// If a new index on the flags had no values, every entry would appear clean, and a sync could replace edits.
    @Test(arguments: [IndexSpec.Kind.string, .integer, .json1])
    func `Local changes stay known after flags get an index`(_ kind: IndexSpec.Kind) async throws {
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
    func `A query on an invalid soup name reports an unknown soup`(_ soup: SoupName) async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        #expect(await code { _ = try await store.read { try $0.query(.all(soup)) } } == .unknownSoup)
        #expect(await code { _ = try await store.read { try $0.count(.exact(soup, "k", equals: 1)) } } == .unknownSoup)
    }

    @Test func `A failed removal by query rolls back the transaction`() async throws {
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

    /// Values of a stamp are indexed as they are written, like all other values.
    @Test func `A number inside a stamp keeps its digits`() async throws {
        let store = try await temporary.open(IndexSpec("a.b", .string), IndexSpec("a", .string))
        let stamp = RecordBatch.Stamp().setting("a", try JSONText(#"{"b":[12345678901234567890123,1E2]}"#))
        try await store.upsert(try records("{}"), stamping: stamp)
        try await store.upsert(try records(#"{"a":{"b":[12345678901234567890123,1E2]}}"#))
        let values = try await store.rows("select {s:a.b}, {s:a} from {s}")
        #expect(
            values
                == Array(
                    repeating: #"["[12345678901234567890123,1E2]","{\"b\":[12345678901234567890123,1E2]}"]"#, count: 2))
    }

    /// A json1 path does not lead through arrays, so the record has no external ID; the upsert must not insert a copy.
    @Test func `A json1 path through an array is no external ID`() async throws {
        let store = try await temporary.open(IndexSpec("a.b", .json1))
        let batch = try records(#"{"a":[{"b":1}]}"#)
        #expect(await code { try await store.upsert(batch, matching: .path("a.b")) } == .externalIdMissing)
        let stamp = RecordBatch.Stamp().setting("a", try JSONText(#"[{"b":1}]"#))
        let stamped = try records("{}")
        #expect(
            await code { try await store.upsert(stamped, matching: .path("a.b"), stamping: stamp) }
                == .externalIdMissing)
    }

    /// A floating column rounds whole numbers beyond 2^53, so keys that are compared with it must be rounded too.
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

    /// The order has an effect only together with an order path.
    @Test func `Without an order path positions ascend by entry ID`() async throws {
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

    @Test func `Positions in an unknown soup are refused`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let found = await code { _ = try await store.read { try $0.query(.all("no"), after: nil, arguments: []) } }
        #expect(found == .unknownSoup)
    }

    /// A caller must not wait for changes of a closed store.
    @Test func `The change stream of a closed store ends`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.close()
        for await _ in store.changes(in: ["s"]) {}
    }

    @Test(arguments: [
        ("a[0].b", #"{"a":[{"b":"x"}]}"#), ("a[#-1]", #"{"a":[1,2]}"#), (#""a b""#, #"{"a b":1}"#),
        ("a", #"{"a":[ "\u00e9", 1 ]}"#), ("a", #"{"a":{"b" : "\/"}}"#),
    ])
    func `A record is found by every json1 path with a value`(_ path: JSONPath, _ record: String) async throws {
        let store = try await temporary.open(IndexSpec(path, .json1))
        let outcomes = try await store.write { writer in
            try [RecordBatch([try JSONText(record)]), RecordBatch([try JSONText(record)])].flatMap {
                try writer.upsert($0, into: "s", matching: .path(path)).map(\.outcome)
            }
        }
        #expect(outcomes == [.inserted, .unchanged])
    }
}
