// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// Local flags that apps write as numbers or text, as some JavaScript apps do; the store saves `true` or `false`.
@Suite struct FlagSpellingTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    enum Index: CaseIterable {
        case string, integer, floating, fullText, json1, none, json1BeforeString

        var specs: [IndexSpec] {
            let flag = JSONPath("__local__")
            return switch self {
            case .string: [IndexSpec(flag, .string)]
            case .integer: [IndexSpec(flag, .integer)]
            case .floating: [IndexSpec(flag, .floating)]
            case .fullText: [IndexSpec(flag, .fullText)]
            case .json1: [IndexSpec(flag, .json1)]
            case .none: []
            case .json1BeforeString: [IndexSpec(flag, .json1), IndexSpec(flag, .string)]
            }
        }
    }

    static let set = ["true", "1", "1.0", "-2", "1e3", #""1""#, #""true""#, #""\u0031""#]
    static let notSet = ["false", "0", "-0.0", #""0""#, #""""#, #""yes""#, "null", "[1]", #"{"a":1}"#]

    @Test(arguments: Index.allCases, set + notSet)
    func `Every spelling of a flag has the same effect`(_ index: Index, _ spelling: String) async throws {
        let isSet = Self.set.contains(spelling)
        let store = try await temporary.open()
        try await store.write { try $0.registerSoup("s", [IndexSpec("k", .string)] + index.specs) }
        try await store.upsert(try records(#"{"k":"a", "__local__": \#(spelling) ,"n":1}"#))
        try await expect(isSet, of: store, index)
        #expect(try await store.dump() == [#"1@1000 {"k":"a", "__local__": \#(isSet) ,"n":1}"#])

        let again = try await store.upsert(
            try records(#"{"k":"a", "__local__": \#(spelling) ,"n":1}"#), matching: .path("k"))
        #expect(again.map(\.outcome) == [.unchanged])

        for guarding in [WriteGuard.dirty, .dirtySince(1000)] {
            let guarded = try await store.upsert(
                try records(#"{"k":"a","n":2}"#), matching: .path("k"), stamping: .clean, guarding: guarding)
            #expect(guarded.first?.outcome == .skipped || !isSet)
        }
        try await expect(isSet, of: store, index)
    }

    @Test(arguments: Index.allCases, set + notSet)
    func `Every spelling in a stamp has the same effect`(_ index: Index, _ spelling: String) async throws {
        let isSet = Self.set.contains(spelling)
        let store = try await temporary.open()
        try await store.write { try $0.registerSoup("s", [IndexSpec("k", .string)] + index.specs) }
        let stamp = RecordBatch.Stamp([.init("__local__", try JSONText(spelling))])
        try await store.upsert(try records(#"{"k":"a"}"#), stamping: stamp)
        try await expect(isSet, of: store, index)
        _ = try await store.write {
            _ = try $0.stamp([EntryStamp(id: 1, stamp: .clean)], in: "s")
            return try $0.stamp([EntryStamp(id: 1, stamp: stamp)], in: "s")
        }
        try await expect(isSet, of: store, index)
        let text = try #require(try await store.read { try $0.retrieve([1], from: "s").first })
        #expect(text["__local__"] == .bool(isSet))
    }

    private func expect(
        _ isSet: Bool, of store: SQLiteStore, _ index: Index, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found: [Int64] = isSet ? [1] : []
        let row = isSet ? [#"["a"]"#] : []
        #expect(try await store.read { try $0.dirtyIds(in: "s") } == found, sourceLocation: sourceLocation)
        let clean = try await store.read { try $0.cleanValues(at: "k", in: "s", writtenBy: nil).map(\.value) }
        #expect(clean == (isSet ? [] : ["a"]), sourceLocation: sourceLocation)
        for literal in ["'true'", "1", "true"] {
            let rows = try await store.rows("select {s:k} from {s} where {s:__local__} = \(literal)")
            #expect(rows == row, sourceLocation: sourceLocation)
        }
        guard index != .none else { return }
        let exact = try await store.read { try $0.query(.exact("s", "__local__", equals: true)).entries.map(\.id) }
        #expect(exact == found, sourceLocation: sourceLocation)
        let cleared = try await store.read { try $0.query(.exact("s", "__local__", equals: false)).entries.map(\.id) }
        #expect(cleared == (isSet ? [] : [1]), sourceLocation: sourceLocation)
    }

    @Test func `All four flags of a record are normalized`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string), IndexSpec("__locally_deleted__", .string))
        let record = #"{"__locally_deleted__":"1","__local__":1,"k":"a","__locally_created__":null,"__local__":0,"#
        try await store.upsert(try records(record + #""__locally_updated__":"true","other":"1"}"#))
        let stored = #"{"__locally_deleted__":true,"__local__":true,"k":"a","__locally_created__":false,"#
        #expect(try await store.dump() == ["1@1000 " + stored + #""__locally_updated__":true,"other":"1"}"#])
        #expect(try await store.rows("select {s:k} from {s} where {s:__locally_deleted__} = 1") == [#"["a"]"#])
        #expect(try await store.read { try $0.dirtyIds(in: "s") } == [1])
    }

    @Test func `A stamp of other members normalizes the flags too`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string), IndexSpec("__local__", .string))
        let stamp = RecordBatch.Stamp([.init("__locally_updated__", JSONText.true), .init("n", JSONText.integer(7))])
        try await store.upsert(try records(#"{"k":"a\u0062","__local__":"1"}"#), matching: .path("k"), stamping: stamp)
        #expect(
            try await store.dump() == [#"1@1000 {"k":"a\u0062","__local__":true,"__locally_updated__":true,"n":7}"#])
        #expect(try await store.read { try $0.lookup("ab", at: "k", in: "s") } == 1)
    }
}
