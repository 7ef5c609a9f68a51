// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Local changes that the app discards.
@Suite struct ChangeDiscardTests {
    private func results(_ found: [(id: Int64, result: SyncManager.Discarded)]) -> [String] {
        found.map { "\($0.id) \($0.result.rawValue)" }
    }

    /// Expects that discarding fails with an error code and changes no entry.
    private func expectRefusal(
        of ids: [Int64], in soup: SoupName = "contacts", code: SoupError.Code, world: World,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await world.dump()
        let error = await #expect(throws: SoupError.self, sourceLocation: location) {
            try await world.manager.discardChanges(of: ids, in: soup)
        }
        #expect(error?.code == code && error?.hint != nil, sourceLocation: location)
        let after = try await world.dump()
        #expect(after == before, sourceLocation: location)
    }

    @Test func `Discarding undoes every kind of change`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob", "Cid", "Dan")
        let before = try await world.dump()
        try await world.edit("ann", "mine")
        try await world.edit("ann", "mine again")
        try await world.delete("bob")
        try await world.edit("cid", "mine")
        try await world.delete("cid")
        let created = try await world.create("new")
        let gone = try await world.create("gone")
        try await world.store.delete(gone, in: "contacts")
        expect(
            results(try await world.manager.discardChanges(of: [1, 2, 3, 4, created, gone], in: "contacts")),
            ["1 restored", "2 restored", "3 restored", "4 unchanged", "5 removed", "6 removed"])
        expect(try await world.dump(), before)
        _ = try await world.manager.create(world.up())
        expect(try await world.run("up"), ["RUNNING 0/-1", "DONE 100/0"])
        expect(world.server.log, [])
    }

    @Test func `A failed discard changes no entry`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        try await expectRefusal(of: [1, 99], code: .entryNotFound, world: world)
    }

    /// The server rejects the change and has changed the record itself.
    @Test func `The next sync down fetches the server's version`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "bad")
        world.server.put("ann", ["Name": "theirs"])
        _ = try await world.manager.create(world.up())
        try await world.run("up")
        expect(try await world.manager.failures().map(\.failure.code), ["BAD_NAME"])
        // The sync down skips the dirty entry.
        try await world.run("down")
        _ = try await world.manager.discardChanges(of: [1], in: "contacts")
        expect(try await world.entries(), [#"1 ann {"Name":"Ann"} +0s clean sync 1"#])
        expect(try await world.manager.failures(), [])
        try await world.run("down")
        expect(try await world.entries(), [#"1 ann {"Name":"theirs"} +20s clean sync 1"#])
    }

    @Test func `An edit without a copy is refused with a hint`() async throws {
        let world = try await World()
        try await world.store.write { writer in
            let record = #"{"Id":"ann","Name":"mine","__local__":true,"__locally_updated__":true}"#
            try writer.upsert(RecordBatch([try JSONText(record)]), into: "contacts")
        }
        try await expectRefusal(of: [1], code: .noSyncedCopy, world: world)
        try await world.store.delete(1, in: "contacts")
        try await expectRefusal(of: [1], code: .noSyncedCopy, world: world)
    }

    /// A local deletion changes no fields.
    @Test func `A deletion needs no copy`() async throws {
        let world = try await World()
        try await world.store.write { writer in
            let record = #"{"Id":"ann","Name":"Ann","__local__":true,"__locally_deleted__":true}"#
            try writer.upsert(RecordBatch([try JSONText(record)]), into: "contacts")
        }
        expect(results(try await world.manager.discardChanges(of: [1], in: "contacts")), ["1 restored"])
        expect(try await world.entries(), [#"1 ann {"Name":"Ann"} clean"#])
    }

    @Test func `A new parent is discarded after its children`() async throws {
        let world = try await World()
        try await world.create("P", in: "accounts")
        let child = try await world.create("C", under: "local_1")
        _ = try await world.manager.create(world.treeUp())
        try await expectRefusal(of: [1], in: "accounts", code: .hasChildren, world: world)
        expect(results(try await world.manager.discardChanges(of: [child], in: "contacts")), ["1 removed"])
        expect(results(try await world.manager.discardChanges(of: [1], in: "accounts")), ["1 removed"])
        expect(try await world.entries(of: "accounts") + world.entries(), [])
    }

    /// The soup has the parents of several trees, and the first tree has no child of this parent.
    @Test func `The children in every tree are checked`() async throws {
        let world = try await World()
        try await world.addSecondTree()
        try await world.create("P", in: "accounts")
        let child = try await world.create("D", in: "deals", under: "local_1")
        try await expectRefusal(of: [1], in: "accounts", code: .hasChildren, world: world)
        expect(results(try await world.manager.discardChanges(of: [child], in: "deals")), ["1 removed"])
        expect(results(try await world.manager.discardChanges(of: [1], in: "accounts")), ["1 removed"])
        expect(try await world.entries(of: "accounts") + world.entries(of: "deals"), [])
    }

    @Test func `A creation with a lost response is not discarded`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up())
        try await world.run("up")
        try await expectRefusal(of: [1], code: .outcomeUnknown, world: world)
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .resend)
        expect(results(try await world.manager.discardChanges(of: [1], in: "contacts")), ["1 removed"])
        expect(try await world.entries(), [])
    }

    /// Sending it again is safe, but the server may have created the record.
    @Test func `An idempotent creation with a lost response is kept`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse(isApplied: false)
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true]))
        try await world.run("up")
        try await expectRefusal(of: [1], code: .outcomeUnknown, world: world)
        try await world.run("up")
        expect(results(try await world.manager.discardChanges(of: [1], in: "contacts")), ["1 unchanged"])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
        expect(world.server.dump, [#"s1 {"Name":"Ann"} +0s"#])
    }

    /// The queues of this process do not contain the push of the other process.
    @Test func `A creation that another process sends is not discarded`() async throws {
        let world = try await World()
        try await world.create("Ann")
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true]))
        let other = try await world.another()
        let gate = world.server.holdPushes()
        let run = try await world.manager.reSync(named: "up")
        await gate.arrived()
        let error = await #expect(throws: SoupError.self) {
            try await other.discardChanges(of: [1], in: "contacts")
        }
        #expect(error?.code == .outcomeUnknown)
        gate.open()
        #expect(await run.result.created == 1)
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
    }

    @Test func `Discarding waits for a push in progress`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        _ = try await world.manager.create(world.up())
        let gate = world.server.holdPushes()
        let run = try await world.manager.reSync(named: "up")
        await gate.arrived()
        async let discarded = world.manager.discardChanges(of: [1], in: "contacts")
        gate.open()
        expect(results(try await discarded), ["1 unchanged"])
        #expect(await run.result.updated == 1)
        expect(try await world.entries(), [#"1 ann {"Name":"mine"} +20s clean sync 1"#])
    }
}
