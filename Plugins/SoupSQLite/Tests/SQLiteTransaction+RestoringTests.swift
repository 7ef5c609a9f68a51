// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

@Suite struct SQLiteTransactionRestoringTests {
    private func entry(_ id: Int64, at version: Int64, _ text: String) throws -> SoupEntry {
        SoupEntry(id: id, version: version, stored: try JSONText(text))
    }

    @Test func `Restored entries are indexed and searchable`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("k", .string), IndexSpec("t", .fullText))
        try await store.write { _ = try $0.upsert(records(#"{"k":"a","t":"one"}"#), into: "s") }
        let entries = try [
            entry(9, at: 50, #"{"k":"nine","t":"two words"}"#), entry(3, at: 40, #"{"k":"three","t":"three"}"#),
            entry(1, at: 30, #"{"k":"first","t":"uno"}"#), entry(9, at: 60, #"{"k":"nine","t":"other"}"#),
        ]
        try await store.write { try $0.restore(entries, in: "s") }
        #expect(
            try await store.dump() == [
                #"1@30 {"k":"first","t":"uno"}"#, #"3@40 {"k":"three","t":"three"}"#,
                #"9@60 {"k":"nine","t":"other"}"#,
            ])
        func matches(_ word: String) async throws -> [Int64] {
            let spec = QuerySpec(.match(path: "t", key: word), soup: "s")
            return try await store.read { try $0.query(spec).entries.map(\.id) }
        }
        for (word, ids) in [("one", []), ("two", []), ("uno", [1]), ("three", [3]), ("other", [9])]
            as [(String, [Int64])]
        {
            #expect(try await matches(word) == ids, "\(word)")
        }
        #expect(try await store.read { try $0.lookup("first", at: "k", in: "s") } == 1)
        // The next ID and the next date follow the restored ones; the same text with another date is stored.
        temporary.clock.set(10)
        try await store.write { _ = try $0.upsert(records(#"{"k":"next"}"#), into: "s") }
        #expect(try await store.dump().last == #"10@1001 {"k":"next"}"#)
        try await store.write {
            try $0.restore([entries[1]].map { SoupEntry(id: 3, version: 70, stored: $0.stored) }, in: "s")
        }
        #expect(try await store.dump()[1] == #"3@70 {"k":"three","t":"three"}"#)
        try await store.close()
        let again = try await temporary.open()
        try await again.write { _ = try $0.upsert(records("{}"), into: "s") }
        #expect(try await again.dump().count == 5)
    }

    @Test func `Invalid entries are rejected with their position`() async throws {
        let store = try await TemporaryStore().open(IndexSpec("k", .string))
        let (good, damaged) = (
            try entry(1, at: 1, "{}"), SoupEntry(id: 2, version: 1, stored: JSONText(trusted: Array("{".utf8)[...]))
        )
        for (entries, soup) in [
            ([good, damaged], "s"), ([good, SoupEntry(id: 0, version: 1, stored: good.stored)], "s"),
        ]
            as [([SoupEntry], SoupName)]
        {
            let error = await #expect(throws: SoupError.self) {
                try await store.write { try $0.restore(entries, in: soup) }
            }
            #expect(error?.code == .json && error?.place?.path == "[1]")
        }
        let missing = await #expect(throws: SoupError.self) { try await store.write { try $0.restore([], in: "t") } }
        #expect(missing?.code == .soupNotFound)
        #expect(try await store.dump() == [])
    }

    @Test func `Restoring during a load keeps its keys complete`() async throws {
        let store = try await TemporaryStore().open(IndexSpec("k", .string))
        await store.bulkLoad(true)
        let first = RecordBatch(try (0..<120).map { try JSONText(#"{"k":"k\#($0)"}"#) })
        try await store.write { _ = try $0.upsert(first, into: "s", matching: .path("k")) }
        try await store.write { try $0.restore([entry(500, at: 5, #"{"k":"restored"}"#)], in: "s") }
        try await store.write {
            _ = try $0.upsert(records(#"{"k":"restored","n":1}"#), into: "s", matching: .path("k"))
        }
        await store.bulkLoad(false)
        let lines = try await store.dump()
        #expect(lines.count == 121)
        #expect(lines.last?.hasPrefix("500@") == true && lines.last?.hasSuffix(#"{"k":"restored","n":1}"#) == true)
    }
}
