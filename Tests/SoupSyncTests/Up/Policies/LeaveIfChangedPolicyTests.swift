// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync ups with LEAVE_IF_CHANGED, which skip records that other clients have changed.
@Suite struct LeaveIfChangedPolicyTests {
    @Test func `A target without states pushes without a check`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        world.server.put("ann", ["Name": "theirs"])
        let target: JSONValue = ["reportsStates": false]
        _ = try await world.manager.create(world.up("up", target, from: "contacts", mode: .leaveIfChanged))
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.conflicted] == [1, 0])
        #expect(world.server.log == ["push update ann mine"])
    }

    @Test func `Newer and deleted records are skipped`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob", "Cid", "Dan", "Eve")
        for name in ["ann", "bob", "cid"] { try await world.edit(name, "mine") }
        try await world.delete("dan")
        try await world.delete("eve")
        world.server.put("ann", ["Name": "theirs"])
        world.server.put("dan", ["Name": "theirs"])
        world.server.remove("bob")
        world.server.remove("eve")
        try await world.create("new")
        _ = try await world.manager.create(world.up("up", [:], from: "contacts", mode: .leaveIfChanged))
        expect(
            try await world.run("up"),
            [
                "RUNNING 0/-1", "RUNNING 0/6", "create 6 s1 ok", "RUNNING 16/6", "update 3 cid ok",
                "update 1 ann skipped NEWER_ON_SERVER",
                "update 2 bob skipped DELETED_ON_SERVER", "RUNNING 66/6", "delete 5 eve ok",
                "delete 4 dan skipped NEWER_ON_SERVER", "DONE 100/6",
            ])
        expect(
            try await world.dump(),
            """
            syncs:
              1 down DONE 100/5 mark > +0s
              2 up DONE 100/6 no mark
            contacts:
              1 ann {"Name":"mine"} +0s local+updated sync 1
              2 bob {"Name":"mine"} +0s local+updated sync 1
              3 cid {"Name":"mine"} +20s clean sync 1
              4 dan {"Name":"Dan"} +0s local+deleted sync 1
              6 s1 {"Name":"new"} +20s clean
            server:
              ann {"Name":"theirs"} +20s
              cid {"Name":"mine"} +20s
              dan {"Name":"theirs"} +20s
              s1 {"Name":"new"} +20s
            asked:
              push create new
              ask for ann bob cid
              fetch ann
              push update cid mine
              ask for dan eve
              fetch dan
            """)
        // Without a sync down, a second edit is pushed: the first push does not count as a change of another client.
        world.clock.advance(by: .seconds(5))
        try await world.edit("cid", "mine again")
        let again = try await world.manager.reSync(named: "up").result
        #expect([again.updated, again.skipped] == [1, 3])
    }

    @Test(arguments: [true, false]) func `An own update with a lost response is no conflict`(
        canFetch: Bool
    ) async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        let server = world.server
        server.with {
            $0.onPush = { number, changes in
                guard number == 1 else { return nil }
                _ = server.apply(changes)
                return [.unknown(PushFailure(code: "LOST", message: "no response"))]
            }
        }
        let target: JSONValue = ["fetches": .bool(canFetch)]
        _ = try await world.manager.create(world.up("up", target, from: "contacts", mode: .leaveIfChanged))
        expect(try await world.run("up").dropFirst(2).first, "update 1 ann unknown LOST")
        let end = canFetch ? "update 1 ann ok" : "update 1 ann skipped NEWER_ON_SERVER"
        expect(try await world.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", end, "DONE 100/1"])
        guard canFetch else { return }
        expect(try await world.entries(), [#"1 ann {"Name":"mine"} +20s clean sync 1"#])
        #expect(server.with { $0.pushes } == 1)
    }

    /// The server already has the update, and the app edits the entry again during the check.
    @Test func `An edit during the check is pushed and reported once`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        world.server.put("ann", ["Name": "mine"])
        let (server, store) = (world.server, world.store)
        server.with {
            $0.onLookUp = {
                server.with { $0.onLookUp = nil }
                try await store.edit(1, setting: ["Name": "mine again"], in: "contacts")
            }
        }
        _ = try await world.manager.create(world.up("up", [:], from: "contacts", mode: .leaveIfChanged))
        expect(
            try await world.run("up"),
            ["RUNNING 0/-1", "RUNNING 0/1", "RUNNING 0/1", "update 1 ann ok", "DONE 100/1"])
        expect(try await world.entries(), [#"1 ann {"Name":"mine again"} +20s clean sync 1"#])
        expect(world.server.dump, [#"ann {"Name":"mine again"} +20s"#])
    }

    @Test func `A record deleted before the push is not recreated`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        // The record is deleted between the check and the push.
        let server = world.server
        server.with {
            $0.onPush = { _, _ in
                server.remove("ann")
                return nil
            }
        }
        _ = try await world.manager.create(world.up("up", [:], from: "contacts", mode: .leaveIfChanged))
        expect(
            try await world.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", "update 1 ann failed NOT_FOUND", "DONE 100/1"])
        expect(try await world.entries(), [#"1 ann {"Name":"mine"} +0s local+updated sync 1 error NOT_FOUND"#])
        #expect(server.dump == [])
    }

    @Test func `Records that cannot be checked fail and stay dirty`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        world.server.with { $0.onLookUp = { throw SoupError(.server, "HTTP 500") } }
        _ = try await world.manager.create(world.up("up", [:], from: "contacts", mode: .leaveIfChanged))
        expect(
            try await world.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", "update 1 ann failed server", "DONE 100/1"])
        expect(try await world.entries(), [#"1 ann {"Name":"mine"} +0s local+updated sync 1 error server"#])
        world.server.with { $0.onLookUp = { throw SoupError(.network, "no connection") } }
        expect(try await world.run("up").last, "FAILED 0/1")
    }
}
