// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Creations with unknown outcome that the app resolves.
@Suite struct SyncManagerUnknownTests {
    @Test(arguments: [true, false])
    func `An unknown creation can be resolved as created`(isEdited: Bool) async throws {
        let (world, entry) = try await World.withLostResponse()
        try await world.run("up")
        if isEdited { try await world.store.edit(entry, setting: ["Name": "Anna"], in: "contacts") }
        try await world.manager.resolveUnknown(entryId: entry, soup: "contacts", as: .created("s1"))
        expect(
            try await world.entries(),
            [
                isEdited
                    ? #"1 s1 {"Name":"Anna"} +-1705320000s local+updated"# : #"1 s1 {"Name":"Ann"} +-1705320000s clean"#
            ])
        try await world.run("up")
        #expect(world.server.dump.count == 1)
        await #expect {
            try await world.manager.resolveUnknown(entryId: entry, soup: "contacts", as: .resend)
        } throws: {
            ($0 as? SoupError)?.code == "notUnknown"
        }
    }

    /// Two creations with equal values are two records.
    @Test func `Two creations cannot be resolved as the same record`() async throws {
        let world = try await World()
        for _ in 1...2 { try await world.create("Ann") }
        world.server.loseResponse()
        _ = try await world.manager.create(world.up())
        try await world.run("up")
        let lost = try #require(try await world.manager.unknownCreations()["contacts"])
        try #require(lost.count == 2)
        try await world.manager.resolveUnknown(entryId: lost[0], soup: "contacts", as: .created("s1"))
        let before = try await world.entries()
        await #expect {
            try await world.manager.resolveUnknown(entryId: lost[1], soup: "contacts", as: .created("s1"))
        } throws: {
            ($0 as? SoupError)?.code == .differentRecord
        }
        expect(try await world.entries(), before)
    }

    /// The next run sends it again, so the user has nothing to resolve.
    @Test func `A repeatable creation is not verified`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true]))
        let entry = try await world.create("Ann")
        world.server.loseResponse()
        try await world.run("up")
        await #expect {
            try await world.manager.verifyCreated("s1", entryId: entry, soup: "contacts")
        } throws: {
            ($0 as? SoupError)?.code == .notUnknown
        }
    }

    @Test func `A record without any value that was sent proves nothing`() async throws {
        let (world, entry) = try await World.withLostResponse()
        try await world.run("up")
        world.server.put("s8", ["City": "Oslo"])
        world.server.put("s9", ["Name": "Bob"])
        #expect(
            try await world.manager.verifyCreated("s1", entryId: entry, soup: "contacts")
                == .verified(modificationDate: world.clock.now))
        #expect(try await world.manager.verifyCreated("s8", entryId: entry, soup: "contacts") == .notVerified)
        await #expect(throws: SoupError.self) {
            try await world.manager.verifyCreated("s9", entryId: entry, soup: "contacts")
        }
    }

    @Test func `The ID is saved in the field of the sync up`() async throws {
        let world = try await World()
        let created = try await world.store.create(["Name": "Ann"], in: "contacts", idField: "key")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["idFieldName": "key"]))
        try await world.run("up")
        try await world.manager.resolveUnknown(entryId: created.id, soup: "contacts", as: .created("s1"))
        let entry = try #require(try await world.store.retrieve([created.id], from: "contacts").first)
        #expect(entry["key"] == "s1" && entry["Id"] == nil && !entry.flags.local, "\(entry)")
        try await world.run("up")
        #expect(world.server.dump.count == 1)
    }

    /// The parent belongs to two record trees.
    @Test func `Resolving a parent relinks the children of every tree`() async throws {
        let world = try await World()
        try await world.addSecondTree()
        try await world.create("P", in: "accounts")
        world.server.loseResponse()
        try await world.run("treeUp")
        try await world.create("C", under: "local_1")
        try await world.create("D", in: "deals", under: "local_1")
        try await world.manager.resolveUnknown(entryId: 1, soup: "accounts", as: .created("s1"))
        expect(
            try await world.entries(of: "accounts") + world.entries() + world.entries(of: "deals"),
            [
                #"1 s1 {"Name":"P"} +-1705320000s clean"#, #"1 local_2 {"Name":"C","AccountId":"s1"} local+created"#,
                #"1 local_3 {"Name":"D","AccountId":"s1"} local+created"#,
            ])
        // The temporary ID is known in both trees.
        try await world.create("late", in: "deals", under: "local_1")
        for sync in ["treeUp", "dealsUp"] { try await world.run(sync) }
        expect(
            world.server.dump,
            [
                #"s1 {"Name":"P"} +0s"#, #"s2 under s1 {"Name":"C"} +0s"#, #"s3 under s1 {"Name":"D"} +0s"#,
                #"s4 under s1 {"Name":"late"} +0s"#,
            ])
    }

    @Test func `An unknown creation can be resolved as resend`() async throws {
        let (world, entry) = try await World.withLostResponse()
        try await world.manager.resolveUnknown(entryId: entry, soup: "contacts", as: .resend)
        expect(try await world.entries(), [#"1 local_1 {"Name":"Ann"} local+created"#])
        try await world.run("up")
        #expect(world.server.log == ["push create Ann", "push create Ann"])
        expect(try await world.entries(), [#"1 s2 {"Name":"Ann"} +0s clean"#])
    }

    /// The target cannot look up creations, so that the app has to resolve the outcome.
    @Test(arguments: [true, false])
    func `A deleted entry with unknown outcome can be resolved`(isOnServer: Bool) async throws {
        let (world, entry) = try await World.withLostResponse()
        try await world.store.delete(entry, in: "contacts")
        expect(try await world.manager.reSync(named: "up").result.unknown, 1)
        expect(try await world.manager.unknownCreations(), ["contacts": [entry]])
        try await world.manager.resolveUnknown(
            entryId: entry, soup: "contacts", as: isOnServer ? .created("s1") : .resend)
        expect(try await world.manager.unknownCreations(), [:])
        expect(
            try await world.entries(),
            isOnServer ? [#"1 s1 {"Name":"Ann"} +-1705320000s local+updated+deleted"#] : [])
        try await world.run("up")
        expect(try await world.entries(), [])
        #expect(world.server.log == ["push create Ann"] + (isOnServer ? ["push delete s1 Ann"] : []))
    }
}
