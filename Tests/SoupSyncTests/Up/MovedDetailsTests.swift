// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupTesting
import Testing

@testable import SoupSync

/// Details that are moved below a record which is then deleted.
@Suite struct MovedDetailsTests {
    /// The parent that is undeleted during the push is created again; the moved child exists and is moved there.
    @Test(arguments: [false, true])
    func `A child that was moved below a deletion has one copy`(isUndeleted: Bool) async throws {
        let world = try await World.withTwoTrees()
        try await world.move("p1c1", under: "p2")
        try await world.delete("p2", in: "accounts")
        let store = world.store
        world.server.with {
            $0.onPush = { push, _ in
                if isUndeleted, push == 1 { try await store.undelete(2, in: "accounts") }
                return nil
            }
        }
        expect(
            try await world.run("treeUp"),
            isUndeleted
                ? ["RUNNING 0/-1", "RUNNING 0/1", "delete 2 p2 ok", "DONE 100/1"]
                : [
                    "RUNNING 0/-1", "RUNNING 0/1", "delete 2 p2 ok", "RUNNING 50/2", "delete 1 p1c1 ok", "DONE 100/2",
                ])
        for _ in 1...2 { try await world.run("treeUp") }
        #expect(try await world.entries().allSatisfy { $0.contains("clean") })
        // This server keeps the children of a deleted record.
        expect(
            world.server.dump.filter { !$0.hasPrefix("p2c") },
            isUndeleted
                ? [
                    #"p1 {"Name":"p1"} +0s"#, #"p1c1 under s1 {"Name":"p1c1"} +20s"#,
                    #"p1c2 under p1 {"Name":"p1c2"} +0s"#, #"s1 {"Name":"p2"} +20s"#,
                ] : [#"p1 {"Name":"p1"} +0s"#, #"p1c2 under p1 {"Name":"p1c2"} +0s"#])
    }

    /// The response to its creation was lost, and the server has it below the old parent.
    @Test func `A lost creation that was moved below a deletion is kept`() async throws {
        let world = try await World.withTwoTrees()
        let created = try await world.create("new", under: "p1")
        world.server.loseResponse()
        try await world.run("treeUp")
        try await world.store.edit(created, setting: ["AccountId": "p2"], in: "contacts")
        try await world.delete("p2", in: "accounts")
        try await world.run("treeUp")
        expect(
            try await world.entries().filter { !$0.contains("clean") },
            [#"5 local_1 {"Name":"new","AccountId":"p2"} local+created+updated+deleted error UNKNOWN_OUTCOME"#])
        #expect(world.server.dump.contains { $0.contains("s1 under p1") })
        try await world.manager.resolveUnknown(entryId: created, soup: "contacts", as: .created("s1"))
        try await world.run("treeUp")
        #expect(try await world.entries().allSatisfy { $0.contains("clean") })
        #expect(!world.server.dump.contains { $0.contains("s1 under p1") })
    }

    /// The server has deleted it with its parent, if it ever had it.
    @Test func `A lost creation below a deletion leaves nothing`() async throws {
        let world = try await World.withTwoTrees()
        try await world.create("new", under: "p2")
        world.server.loseResponse(isApplied: false)
        try await world.run("treeUp")
        #expect(try await world.manager.unknownCreations()["contacts"]?.count == 1)
        try await world.delete("p2", in: "accounts")
        try await world.run("treeUp")
        #expect(try await world.manager.unknownCreations().isEmpty)
        #expect(try await world.entries().count == 2)
    }

    /// Without synced copies it is unknown which of the changed details were moved.
    @Test func `Without copies, changed details are deleted too`() async throws {
        let world = try await World.withTwoTrees()
        world.backend.controls.endProcess()
        let manager = try await world.another(over: CopylessStore(world.backend.base))
        try await world.move("p1c1", under: "p2")
        try await world.edit("p2c1", "mine")
        try await world.delete("p2", in: "accounts")
        let result = try await manager.reSync(named: "treeUp").result
        #expect([result.deleted, result.failed, result.state.totalSize] == [3, 0, 3])
        expect(world.server.log, ["push delete p2 p2", "push delete p1c1 p1c1", "push delete p2c1 mine"])
        expect(
            try await world.entries(of: "accounts") + world.entries(),
            [#"1 p1 {"Name":"p1"} +0s clean sync 1"#, #"2 p1c2 {"Name":"p1c2","AccountId":"p1"} +0s clean sync 1"#])
    }
}
