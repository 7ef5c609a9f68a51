// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

@Suite struct SQLiteTransactionUpsertTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    @Test func `Records are inserted and replaced by entry ID`() async throws {
        let store = try await temporary.open(IndexSpec("key", .string))
        let inserted = try await store.upsert(try records(#"{"key":"a"}"#, #" { "key" : "b" } "#))
        #expect(
            inserted == [
                UpsertResult(.inserted, id: 1, version: 1000), UpsertResult(.inserted, id: 2, version: 1000),
            ])
        let updated = try await store.upsert(
            try records(
                #"{"_soupEntryId":2,"key":"c","_soupLastModifiedDate":5}"#, #"{"key":"a","_soupEntryId":1}"#,
                #"{"_soupEntryId":99,"key":"z"}"#))
        #expect(
            updated == [
                UpsertResult(.updated, id: 2, version: 1001), UpsertResult(.unchanged, id: 1, version: 1000),
                UpsertResult(.inserted, id: 3, version: 1001),
            ])
        #expect(
            try await store.dump() == [#"1@1000 {"key":"a"}"#, #"2@1001 {"key":"c"}"#, #"3@1001 {"key":"z"}"#])
        #expect(
            try await store.rows("select {s:key}, {s:_soup}, {s:_soupCreatedDate} from {s} order by {s:key}") == [
                #"["a",{"key":"a","_soupEntryId":1,"_soupLastModifiedDate":1000},1000]"#,
                #"["c",{"key":"c","_soupEntryId":2,"_soupLastModifiedDate":1001},1000]"#,
                #"["z",{"key":"z","_soupEntryId":3,"_soupLastModifiedDate":1001},1001]"#,
            ])
    }

    @Test func `No two writes have the same date`() async throws {
        let store = try await temporary.open(IndexSpec("key", .string))
        try await store.upsert(try records(#"{"key":"a"}"#, #"{"key":"b"}"#))
        // Neither a write that fails nor one that changes nothing uses a date.
        await #expect(throws: CancellationError.self) {
            try await store.write { writer in
                _ = try writer.upsert(RecordBatch([try JSONText(#"{"key":"c"}"#)]), into: "s")
                throw CancellationError()
            }
        }
        try await store.upsert(try records(#"{"key":"a","_soupEntryId":1}"#))
        try await store.upsert(try records(#"{"key":"c"}"#))
        #expect(try await store.dump() == [#"1@1000 {"key":"a"}"#, #"2@1000 {"key":"b"}"#, #"3@1001 {"key":"c"}"#])
        // The clock is set back.
        temporary.clock.set(10)
        try await store.write { writer in
            let twice = RecordBatch([
                try JSONText(#"{"key":"d","_soupEntryId":3}"#), try JSONText(#"{"key":"e","_soupEntryId":3}"#),
            ])
            _ = try writer.upsert(twice, into: "s", matching: .entryId)
        }
        try await store.upsert(try records(#"{"key":"f"}"#))
        #expect(try await store.dump().dropFirst(2) == [#"3@1003 {"key":"e"}"#, #"4@1004 {"key":"f"}"#])
        temporary.clock.set(5000)
        try await store.upsert(try records(#"{"key":"g"}"#))
        #expect(try await store.dump().last == #"5@5000 {"key":"g"}"#)
    }

    @Test func `Records are matched by path, stamped and guarded`() async throws {
        let store = try await temporary.open(IndexSpec("Id", .string), IndexSpec("__local__", .string))
        let first = try await store.upsert(
            try records(#"{"Id":"1","n":1}"#, #"{"Id":"2","__local__":true,"__local__":true,"n":1}"#),
            matching: .path("Id"), stamping: .synced(by: 7))
        #expect(first.map(\.outcome) == [.inserted, .inserted])
        let flags =
            #""__local__":false,"__locally_created__":false,"__locally_updated__":false,"__locally_deleted__":false,"#
            + #""__sync_id__":7}"#
        #expect(
            try await store.dump() == [#"1@1000 {"Id":"1","n":1,"# + flags, #"2@1000 {"Id":"2","n":1,"# + flags])

        let edit = EntryStamp(id: 2, stamp: RecordBatch.Stamp().setting("__local__", .true).setting("n", .integer(5)))
        let gone = EntryStamp(id: 9, stamp: .clean)
        #expect(try await store.write { try $0.stamp([edit, gone], in: "s") } == [true, false])
        #expect(try await store.read { try $0.dirtyIds(in: "s") } == [2])
        temporary.clock.set(2000)
        let second = try await store.upsert(
            try records(#"{"Id":"1","n":1}"#, #"{"Id":"2","n":9}"#, #"{"Id":"3"}"#), matching: .path("Id"),
            stamping: .synced(by: 7), guarding: .dirty)
        #expect(
            second == [
                UpsertResult(.unchanged, id: 1, version: 1000), UpsertResult(.skipped, id: 2, version: 1001),
                UpsertResult(.inserted, id: 3, version: 2000),
            ])
        let clean = try await store.read { try $0.cleanValues(at: "Id", in: "s", writtenBy: 7) }
        #expect(clean.map { "\($0.id) \($0.value)" } == ["1 1", "3 3"])
    }
}
