// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteStore
import SmartStore
import SoupCore
import Testing

@Suite struct LocalEditTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func open() async throws -> SmartStore {
        let store = SmartStore(
            try await SQLiteStore.open(.init(path: folder.path + "/s.sqlite"), clock: FixedClock(now: 1000)),
            clock: FixedClock(now: 1000), makeLocalId: { "local_1" })
        try await store.registerSoup("contacts", [IndexSpec("Id", .string), IndexSpec("__local__", .string)])
        return store
    }

    @Test func createEditDeleteUndelete() async throws {
        let store = try await open()
        let created = try await store.create(["LastName": "Haas"], type: "Contact", in: "contacts")
        #expect(
            created.stored.description == #"{"LastName":"Haas","Id":"local_1","attributes":{"type":"Contact"},"#
                + #""__local__":true,"__locally_created__":true,"__locally_updated__":false,"__locally_deleted__":false}"#
        )
        let edited = try await store.edit(created.id, setting: ["LastName": "Kwan"], in: "contacts")
        #expect(
            edited.stored.description == #"{"Id":"local_1","attributes":{"type":"Contact"},"LastName":"Kwan","#
                + #""__local__":true,"__locally_created__":true,"__locally_updated__":true,"__locally_deleted__":false}"#
        )
        #expect(edited.lastModified == 1001)

        let synced = try await store.upsert(
            [try JSONText(#"{"Id":"003",  "big": 123456789012345678901234567890}"#)], into: "contacts")[0]
        let deleted = try await store.deleteLocally(synced.id, in: "contacts")
        #expect(
            deleted.stored.description
                == #"{"Id":"003",  "big": 123456789012345678901234567890,"__local__":true,"__locally_deleted__":true}"#)
        let undeleted = try await store.undelete(synced.id, in: "contacts")
        #expect(
            undeleted.stored.description
                == #"{"Id":"003",  "big": 123456789012345678901234567890,"__local__":false,"__locally_deleted__":false}"#
        )
        #expect(try await store.read { try $0.dirtyIds(in: "contacts") } == [created.id])
    }
}
