// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Testing

@Suite struct SmartStoreEditsTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func open() async throws -> SmartStore {
        let store = SmartStore(
            try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite"), clock: FixedClock(now: 1000)),
            clock: FixedClock(now: 1000), makeLocalId: { "local_1" })
        try await store.registerSoup("contacts", [IndexSpec("Id", .string), IndexSpec("__local__", .string)])
        return store
    }

    @Test func `A replacement keeps a pending change`() async throws {
        let store = try await open()
        let flags = [
            EntryField.local, EntryField.locallyCreated, EntryField.locallyUpdated, EntryField.locallyDeleted,
            EntryField.syncId,
        ].map { JSONPath($0) }
        let clean = try await store.upsert(["Id": "1", "a": 1, "__local__": false, "__sync_id__": 7], into: "contacts")
        let edited = try await store.edit(clean, setting: ["a": 2], in: "contacts")
        #expect(flags.map { edited[$0] } == [true, false, true, false, 7])
        let replaced = try await store.replace(edited, with: ["Id": "1", "b": 3], in: "contacts")
        #expect(flags.map { replaced[$0] } == [true, false, true, false, 7])
        #expect(replaced["a"] == nil && replaced["b"] == 3)
        #expect(try await store.read { try $0.dirtyIds(in: "contacts") } == [clean.id])
        let marked = try await store.replace(
            replaced, with: ["Id": "1", "__local__": false, "__locally_updated__": false], in: "contacts")
        #expect(flags.map { marked[$0] } == [false, false, false, false, 7], "the flags in the record are used")
        await #expect { try await store.edit(edited, setting: ["a": 4], in: "contacts") } throws: { error in
            (error as? SoupError)?.code == .entryChanged
        }
        #expect(try await store.retrieve([clean.id], from: "contacts").map(\.stored) == [marked.stored])
    }

    @Test func `Edits set the local flags`() async throws {
        let store = try await open()
        let created = try await store.create(["LastName": "Haas"], type: "Contact", in: "contacts")
        #expect(
            created.stored.description == #"{"LastName":"Haas","Id":"local_1","attributes":{"type":"Contact"},"#
                + #""__local__":true,"__locally_created__":true,"#
                + #""__locally_updated__":false,"__locally_deleted__":false}"#
        )
        let edited = try await store.edit(created.id, setting: ["LastName": "Kwan"], in: "contacts")
        #expect(
            edited.stored.description == #"{"Id":"local_1","attributes":{"type":"Contact"},"LastName":"Kwan","#
                + #""__local__":true,"__locally_created__":true,"#
                + #""__locally_updated__":true,"__locally_deleted__":false}"#
        )
        #expect(edited.version == 1001)

        let synced = try await store.upsert(
            [try JSONText(#"{"Id":"003",  "big": 1234567890123456789012}"#)], into: "contacts")[0]
        let deleted = try await store.delete(synced.id, in: "contacts")
        #expect(
            deleted.stored.description
                == #"{"Id":"003",  "big": 1234567890123456789012,"__local__":true,"__locally_deleted__":true}"#)
        let undeleted = try await store.undelete(synced.id, in: "contacts")
        #expect(
            undeleted.stored.description
                == #"{"Id":"003",  "big": 1234567890123456789012,"__local__":false,"__locally_deleted__":false}"#
        )
        #expect(try await store.read { try $0.dirtyIds(in: "contacts") } == [created.id])
    }

    @Test func `A created record keeps its members but not its flags`() async throws {
        let store = try await open()
        let record: JSONObject = [
            "Id": "003", "attributes": ["url": "/x", "type": "Old"], "_soupEntryId": 77, "__local__": false,
            "__sync_id__": 5,
        ]
        let entry = try await store.create(record, type: "Contact", in: "contacts")
        #expect(entry.id == 1)
        #expect(
            entry.stored.value == [
                "Id": "003", "attributes": ["url": "/x", "type": "Contact"], "__sync_id__": 5, "__local__": true,
                "__locally_created__": true, "__locally_updated__": false, "__locally_deleted__": false,
            ])
        let other = try await store.create(["Id": nil, "Code": nil], in: "contacts", idField: "Code")
        #expect(other.stored["Code"] == "local_1")
        #expect(other.stored["attributes"] == nil)
    }

    @Test(arguments: ["1", #""1""#, #""true""#, "true"])
    func `Flags in other spellings are kept`(_ spelling: String) async throws {
        let store = try await open()
        let flags = #""__local__":\#(spelling),"__locally_created__":\#(spelling),"__locally_deleted__":\#(spelling)"#
        let entry = try await store.upsert([try JSONText(#"{"Id":"local_1",\#(flags)}"#)], into: "contacts")[0]
        let edited = try await store.edit(entry.id, setting: ["n": 1], in: "contacts")
        #expect(
            edited.stored.description == #"{"Id":"local_1","n":1,"__local__":true,"__locally_created__":true,"#
                + #""__locally_updated__":true,"__locally_deleted__":true}"#)
        let back = try await store.undelete(entry.id, in: "contacts")
        #expect(
            back.stored.description == #"{"Id":"local_1","n":1,"__locally_created__":true,"#
                + #""__locally_updated__":true,"__local__":true,"__locally_deleted__":false}"#)
    }

    @Test func `Edits of a missing entry are errors`() async throws {
        let store = try await open()
        let error = await #expect(throws: SoupError.self) { try await store.edit(9, setting: ["a": 1], in: "contacts") }
        #expect(error?.code == .entryNotFound)
        await #expect(throws: SoupError.self) { try await store.delete(9, in: "contacts") }
        await #expect(throws: SoupError.self) { try await store.undelete(9, in: "contacts") }
        #expect(try await store.count(.all("contacts")) == 0)
    }

    @Test(arguments: ["_soupEntryId", "_soupLastModifiedDate", "__local__", "__sync_id__", "Account.Name"])
    func `Edits cannot set members that the store sets`(_ name: String) async throws {
        let store = try await open()
        let before = try await store.upsert([try JSONText(#"{"Account":{"Name":"x"}}"#)], into: "contacts")[0]
        let error = await #expect(throws: SoupError.self) {
            try await store.edit(before.id, setting: ["a": 1, name: 5], in: "contacts")
        }
        #expect(error?.code == .badMemberName)
        #expect(try await store.retrieve([before.id], from: "contacts") == [before])
    }

    @Test func `Edits keep the members that they do not name`() async throws {
        let store = try await open()
        let text = #"{ "Id" : "1", "a" : 1.50, "__last_error__":"x", "b":[ ] }"#
        let id = try await store.upsert([try JSONText(text)], into: "contacts")[0].id
        let edited = try await store.edit(id, setting: ["a": nil, "c": [1]], in: "contacts")
        #expect(
            edited.stored.description == #"{ "Id" : "1", "__last_error__":"x", "b":[ ] ,"a":null,"c":[1],"#
                + #""__local__":true,"__locally_created__":false,"#
                + #""__locally_updated__":true,"__locally_deleted__":false}"#
        )
        try await store.delete(id, in: "contacts")
        let after = try await store.edit(id, setting: ["a": 2], in: "contacts")
        #expect(after.stored["__locally_deleted__"] == true)
        let back = try await store.undelete(id, in: "contacts")
        #expect([back.stored["__locally_deleted__"], back.stored["__local__"], back.stored["a"]] == [false, true, 2])
    }
}
