// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync downs of parents with their children.
@Suite struct DownRunTreesTests {
    private func worldWithTrees() async throws -> World {
        let world = try await World()
        for parent in ["p1", "p2"] {
            world.server.put(parent, ["Name": .string(parent)])
            for child in 1...2 { world.server.put("\(parent)c\(child)", ["Name": "child"], parent: parent) }
        }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.treeDown(["pageSize": 1]))
        try await world.run("treeDown")
        world.server.clearLog()
        world.clock.advance(by: .seconds(10))
        return world
    }

    @Test func `A run fetches both levels`() async throws {
        let world = try await worldWithTrees()
        expect(
            try await world.entries(of: "accounts") + world.entries(),
            [
                #"1 p1 {"Name":"p1"} +0s clean sync 1"#, #"2 p2 {"Name":"p2"} +0s clean sync 1"#,
                #"1 p1c1 {"Name":"child","AccountId":"p1"} +0s clean sync 1"#,
                #"2 p1c2 {"Name":"child","AccountId":"p1"} +0s clean sync 1"#,
                #"3 p2c1 {"Name":"child","AccountId":"p2"} +0s clean sync 1"#,
                #"4 p2c2 {"Name":"child","AccountId":"p2"} +0s clean sync 1"#,
            ])
        expect(try await world.syncs(), ["1 treeDown DONE 100/2 mark > +0s"])
    }

    @Test(arguments: ["parent", "child", "new child", "moved child"])
    func `A local change in a tree keeps the whole tree`(change: String) async throws {
        let world = try await worldWithTrees()
        switch change {
        case "parent": try await world.edit("p1", "mine", in: "accounts")
        case "child": try await world.edit("p1c2", "mine")
        case "new child": try await world.create("new", under: "p1")
        default: try await world.store.edit(1, setting: ["AccountId": "elsewhere"], in: "contacts")
        }
        let before = try await world.entries(of: "accounts")[0] + "\(world.entries().filter { $0.contains("p1") })"
        for id in ["p1", "p2"] {
            world.server.put(id, ["Name": "theirs"])
            world.server.put(id + "c1", ["Name": "theirs"], parent: id)
        }
        world.clock.advance(by: .seconds(10))
        let result = try await world.manager.reSync(named: "treeDown").result
        #expect([result.saved, result.unchanged, result.skipped] == [2, 1, 3])
        let after = try await world.entries(of: "accounts")[0] + "\(world.entries().filter { $0.contains("p1") })"
        #expect(after == before)
        expect(try await world.entries(of: "accounts")[1], #"2 p2 {"Name":"theirs"} +20s clean sync 1"#)
        // The skipped tree limits the high-water mark, so that the next run fetches it again.
        expect(try await world.syncs(), ["1 treeDown DONE 100/2 mark >= +20s"])
    }

    @Test func `Only the parents raise the high-water mark`() async throws {
        let world = try await worldWithTrees()
        world.server.put("p1", ["Name": "later"])
        world.clock.advance(by: .seconds(5))
        world.server.put("p1c1", ["Name": "much later"], parent: "p1")
        world.clock.advance(by: .seconds(5))
        try await world.run("treeDown")
        expect(try await world.syncs(), ["1 treeDown DONE 100/1 mark > +20s"])
    }

    @Test func `OVERWRITE keeps the edits made during the run`() async throws {
        let world = try await worldWithTrees()
        var definition = world.treeDown(["pageSize": 1], mode: .overwrite)
        definition.name = "over"
        _ = try await world.manager.create(definition)
        try await world.edit("p1c1", "typed before")
        world.clock.advance(by: .seconds(1))
        world.server.with { state in
            let second = state.pages + 2
            state.onPage = { if $0 == second { try await world.edit("p2c1", "typed during") } }
        }
        try await world.run("over")
        expect(
            try await world.entries(),
            [
                #"1 p1c1 {"Name":"child","AccountId":"p1"} +0s clean sync 2"#,
                #"2 p1c2 {"Name":"child","AccountId":"p1"} +0s clean sync 2"#,
                #"3 p2c1 {"AccountId":"p2","Name":"typed during"} +0s local+updated sync 1"#,
                #"4 p2c2 {"Name":"child","AccountId":"p2"} +0s clean sync 1"#,
            ])
    }

    @Test func `Cleaning keeps the parents of dirty children`() async throws {
        let world = try await worldWithTrees()
        for id in ["p1", "p1c1", "p1c2", "p2", "p2c1"] { world.server.remove(id) }
        try await world.edit("p2c2", "mine")
        expect(try await world.manager.cleanResyncGhosts(named: "treeDown"), 1)
        expect(try await world.entries(of: "accounts"), [#"2 p2 {"Name":"p2"} +0s clean sync 1"#])
        expect(
            try await world.entries(),
            [
                #"4 p2c2 {"AccountId":"p2","Name":"mine"} +0s local+updated sync 1"#
            ])
        #expect(world.server.log == ["which of level 0 p1", "which of level 1 p1c1 p1c2 p2c1"])
    }
}
