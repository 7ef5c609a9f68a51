// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

@Suite struct SQLiteTransactionUpsertErrorsTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// Returns the code and the place of the error, and the content of the soup afterwards.
    func failure(
        _ batch: RecordBatch, matching: UpsertMatch = .path("key"), on store: SQLiteStore
    ) async throws -> [String] {
        do {
            _ = try await store.upsert(batch, matching: matching)
            return ["no error"]
        } catch let error as SoupError {
            return ["\(error.code) \(error.place?.path ?? "-")"] + (try await store.dump())
        }
    }

    @Test func `A batch is written completely or not at all`() async throws {
        let store = try await temporary.open(IndexSpec("key", .string))
        let before = try records(#"{"key":"a"}"#, #"{"key":"b"}"#, #"{"key":"b","n":2}"#)
        try await store.upsert(before)
        let kept = [#"1@1000 {"key":"a"}"#, #"2@1000 {"key":"b"}"#, #"3@1000 {"key":"b","n":2}"#]

        let missing = try records(#"{"key":"a","n":1}"#, #"{"value":1}"#)
        #expect(try await failure(missing, on: store) == ["externalIdMissing [1]"] + kept)
        let null = try records(#"{"key":"c"}"#, #"{"key":"d"}"#, #"{"key":null}"#)
        #expect(try await failure(null, on: store) == ["externalIdMissing [2]"] + kept)
        let twice = try records(#"{"key":"a","n":1}"#, #"{"key":"b"}"#)
        #expect(try await failure(twice, on: store) == ["notUnique [1]"] + kept)
        let unindexed = try records(#"{"key":"a","n":1}"#)
        #expect(try await failure(unindexed, matching: .path("n"), on: store) == ["indexNotDefined [0]"] + kept)
        let text = Array(#"{"key":"a","n":1}{"key":"#.utf8)
        let broken = RecordBatch(bytes: text, ranges: [0..<17, 17..<text.count])
        #expect(try await failure(broken, on: store) == ["json [1]"] + kept)
        let outside = RecordBatch(bytes: text, ranges: [0..<17, 17..<text.count + 5])
        #expect(try await failure(outside, on: store) == ["json [1]"] + kept)
        for id in ["null", "1.5", "\"x\"", "true", "[]"] {
            let bad = try records(#"{"key":"a","n":1,"_soupEntryId":1}"#, #"{"_soupEntryId":\#(id)}"#)
            #expect(try await failure(bad, matching: .entryId, on: store) == ["json [1]"] + kept)
        }
    }

    @Test func `Records must be objects`() async throws {
        let store = try await temporary.open(IndexSpec("key", .string))
        for text in ["[1]", "1", "null", "\"a\""] {
            let batch = RecordBatch([try JSONText(text)])
            #expect(try await failure(batch, matching: .entryId, on: store) == ["json [0]"])
        }
        let empty = RecordBatch(bytes: Array("  ".utf8), ranges: [0..<0, 0..<2])
        #expect(try await failure(empty, matching: .entryId, on: store) == ["json [0]"])
    }

    @Test func `A missing soup is an error in every call`() async throws {
        let store = try await temporary.open(IndexSpec("key", .string))
        #expect(await code { try await store.upsert(.empty, into: "no") } == .soupNotFound)
        #expect(await code { _ = try await store.read { try $0.retrieve([1], from: "no") } } == .soupNotFound)
        #expect(await code { _ = try await store.read { try $0.dirtyIds(in: "no") } } == .soupNotFound)
        #expect(await code { _ = try await store.read { try $0.indexSpecs(of: "no") } } == .soupNotFound)
        #expect(await code { _ = try await store.read { try $0.lookup(1, at: "key", in: "no") } } == .soupNotFound)
        #expect(
            await code { _ = try await store.read { try $0.cleanValues(at: "key", in: "no", writtenBy: nil).count } }
                == .soupNotFound)
        #expect(await code { try await store.write { try $0.clearSoup("no") } } == .soupNotFound)
        #expect(await code { _ = try await store.write { try $0.remove([1], from: "no") } } == .soupNotFound)
        #expect(await code { _ = try await store.write { try $0.stamp([], in: "no") } } == .soupNotFound)
        #expect(
            await code { _ = try await store.write { try $0.remove(matching: .all("no"), from: "no") } }
                == .soupNotFound)
        #expect(await code { _ = try await store.read { try $0.query(.all("no")) } } == .unknownSoup)
        #expect(await code { _ = try await store.read { try $0.count(.all("no")) } } == .unknownSoup)
        #expect(await code { try await store.write { try $0.removeSoup("no") } } == nil)
    }

    /// The changes that a method made before it threw must not be committed, even if the body catches the error.
    @Test func `A caught error still rolls back the transaction`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("key", .string), IndexSpec("words", .fullText))
        try await store.upsert(try records(#"{"key":"a","words":"one"}"#))
        let before = try await store.dump()
        let batch = try records(#"{"key":"b","words":"two"}"#, #"{"words":"three"}"#)
        let found = await code {
            try await store.write { writer in
                _ = try? writer.upsert(batch, into: "s", matching: .path("key"))
                _ = try writer.remove([1], from: "s")
            }
        }
        #expect(found == .externalIdMissing)
        #expect(try await store.dump() == before)
        #expect(try await store.upsert(try records(#"{"key":"c","words":"four"}"#)).map(\.id) == [2])
        let spec = QuerySpec(.match(path: nil, key: "one OR two OR four"), soup: "s")
        #expect(try await store.read { try $0.count(spec) } == 2)
    }

    @Test func `A stamp accepts member names and no paths`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("Account.Name", .string))
        try await store.upsert(try records(#"{"Account":{"Name":"Old","X":1}}"#))
        let before = try await store.dump()
        let stamp = RecordBatch.Stamp().setting("Account.Name", .string("New"))
        #expect(
            await code { _ = try await store.write { try $0.stamp([EntryStamp(id: 1, stamp: stamp)], in: "s") } }
                == .badMemberName)
        let batch = try records("{}")
        #expect(await code { try await store.upsert(batch, stamping: stamp) } == .badMemberName)
        #expect(try await store.dump() == before)
    }
}
