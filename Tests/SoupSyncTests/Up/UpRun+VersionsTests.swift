// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync ups to a server that compares the version of a change with that of the record.
@Suite struct UpRunVersionsTests {
    /// A world with the contacts a and b, which the app has edited, and a sync up.
    private func world(_ mode: MergeMode, _ target: JSONObject = [:]) async throws -> World {
        let world = try await World()
        world.server.put("a", ["Name": "Ann", "City": "Rome"])
        world.server.put("b", ["Name": "Bob", "City": "Oslo"])
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(
            SyncDefinition(
                name: "list", type: .syncDown, soup: "contacts", target: TargetReference(["type": "fakeList"]),
                options: SyncOptions(mergeMode: .leaveIfChanged)))
        try await world.run("list")
        for id in ["a", "b"] { try await world.edit(id, "mine") }
        var target = target
        target["type"] = "fakeListUp"
        _ = try await world.manager.create(
            SyncDefinition(
                name: "up", type: .syncUp, soup: "contacts", target: TargetReference(.object(target)),
                options: SyncOptions(mergeMode: mode)))
        world.server.clearLog()
        world.clock.advance(by: .seconds(10))
        return world
    }

    @Test(arguments: [MergeMode.leaveIfChanged, .merge])
    func `A change is sent with its version, and without a question`(mode: MergeMode) async throws {
        let world = try await world(mode)
        try await world.run("up")
        expect(
            try await world.dump(),
            """
            syncs:
              1 list DONE 100/2 mark > +0s
              2 up DONE 100/2 no mark
            contacts:
              1 a {"City":"Rome","Name":"mine","changed":1705320020,"rev":20} clean sync 1
              2 b {"City":"Oslo","Name":"mine","changed":1705320020,"rev":20} clean sync 1
            server:
              a {"Name":"mine"} +20s
              b {"Name":"mine"} +20s
            asked:
              push update a if rev 0
              push update b if rev 0
            """)
        // The next change is based on the version that the push returned.
        try await world.edit("a", "again")
        world.server.clearLog()
        try await world.run("up")
        #expect(world.server.log == ["push update a if rev 20"])
    }

    @Test(arguments: [MergeMode.leaveIfChanged, .merge])
    func `A record that is gone is a conflict`(mode: MergeMode) async throws {
        let world = try await world(mode)
        world.server.remove("a")
        _ = try await world.manager.reSync(named: "up").result
        #expect(
            world.server.log.filter { !$0.hasPrefix("fetch") } == [
                "push update a if rev 0", "push update b if rev 0", "ask for a",
            ])
        let conflicts = try await world.manager.conflicts()
        #expect(conflicts.map(\.remote) == [nil], "\(conflicts)")
        #expect(try await world.entries()[0].contains("local+updated"))
    }

    @Test func `Another version is a conflict under LEAVE_IF_CHANGED`() async throws {
        let world = try await world(.leaveIfChanged)
        world.server.put("a", ["Name": "theirs", "City": "Rome"])
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.skipped, result.failed] == [1, 1, 0])
        expect(
            world.server.log,
            ["push update a if rev 0", "push update b if rev 0", "ask for a", "fetch a"])
        #expect(try await world.manager.conflicts().map(\.code) == ["NEWER_ON_SERVER"])
        #expect(
            try await world.entries()[0]
                == #"1 a {"City":"Rome","changed":1705320000,"rev":0,"Name":"mine"} local+updated sync 1"#)
    }

    @Test func `A lost response is recognized by the values`() async throws {
        let world = try await world(.leaveIfChanged)
        world.server.put("a", ["Name": "mine", "City": "Rome"])
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.skipped] == [2, 0])
        #expect(
            try await world.entries()[0]
                == #"1 a {"City":"Rome","Name":"mine","changed":1705320020,"rev":20} clean sync 1"#)
    }

    @Test func `Another version is merged and sent under MERGE`() async throws {
        let world = try await world(.merge)
        world.server.put("a", ["Name": "Ann", "City": "Paris"])
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.conflicted] == [2, 0])
        expect(
            world.server.log,
            [
                "push update a if rev 0", "push update b if rev 0", "ask for a", "fetch a", "push update a if rev 20",
            ])
        #expect(try await world.entries()[0].hasPrefix(#"1 a {"Name":"mine","City":"Paris""#))
    }

    @Test func `A field changed on both sides is a conflict under MERGE`() async throws {
        let world = try await world(.merge)
        world.server.put("a", ["Name": "theirs", "City": "Rome"])
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.conflicted] == [1, 1])
        // The user's decision is based on the server's version.
        try await world.manager.resolveConflict(
            try #require(try await world.manager.conflicts().first), as: .local)
        world.server.clearLog()
        try await world.run("up")
        #expect(world.server.log == ["push update a if rev 20"])
    }

    @Test func `A deletion of another version is a conflict`() async throws {
        let world = try await world(.leaveIfChanged)
        try await world.delete("a")
        world.server.put("a", ["Name": "theirs"])
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.deleted, result.updated, result.skipped] == [0, 1, 1])
        #expect(world.server.dump.contains { $0.hasPrefix(#"a {"Name":"theirs"}"#) })
    }

    @Test(arguments: [MergeMode.leaveIfChanged, .merge])
    func `A server that refuses every change ends the run`(mode: MergeMode) async throws {
        for reportsStates in [true, false] {
            let world = try await world(mode, ["refusesAll": true, "reportsStates": .bool(reportsStates)])
            let result = try await world.manager.reSync(named: "up").result
            #expect(result.state.status == .done)
            #expect(result.updated == 0)
            #expect(try await world.entries().allSatisfy { $0.contains(" local+updated ") })
        }
    }

    @Test func `A refused change fails under OVERWRITE`() async throws {
        let world = try await world(.overwrite, ["refusesAll": true])
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.failed] == [0, 2])
        #expect(try await world.entries().allSatisfy { $0.hasSuffix("error PRECONDITION_FAILED") })
    }

    @Test func `Without a new version the next change asks first`() async throws {
        let world = try await world(.leaveIfChanged, ["reportsVersion": false])
        try await world.run("up")
        try await world.edit("a", "again")
        world.server.clearLog()
        try await world.run("up")
        #expect(world.server.log == ["ask for a", "push update a"])
    }

    @Test func `An edit during the push is sent with the new version`() async throws {
        let world = try await world(.leaveIfChanged)
        let gate = world.server.holdPushes()
        let run = try await world.manager.reSync(named: "up")
        await gate.arrived()
        try await world.edit("a", "during")
        gate.open()
        _ = await run.result
        world.server.with { $0.onPush = nil }
        world.server.clearLog()
        try await world.run("up")
        #expect(world.server.log.first == "push update a if rev 20")
        #expect(world.server.dump[0].hasPrefix(#"a {"Name":"during"}"#))
    }
}
