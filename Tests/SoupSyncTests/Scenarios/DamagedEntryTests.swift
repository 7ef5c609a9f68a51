// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupSQLite
import SoupTesting
import SoupTestStores
import Testing

@testable import SoupSync

/// Entries with damaged stored text, which syncs keep and report.
@Suite(
    .enabled(if: SQLiteStore.Encryption.ofAllTests == nil, "the tests damage the text in a file that is not encrypted"))
struct DamagedEntryTests {
    @Test(arguments: MergeMode.allCases)
    func `A flat sync up reports the damaged entry alone`(_ mode: MergeMode) async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        try await world.edit("ann", "mine")
        try await world.edit("bob", "mine")
        let left = try await world.damage(2)
        _ = try await world.manager.create(world.up("up", [:], from: "contacts", mode: mode))
        for _ in 1...2 {
            let lines = try await world.run("up")
            #expect(lines.contains("update 2 failed ENTRY_DAMAGED"), "\(lines)")
            #expect(lines.last?.hasPrefix("DONE 100/") == true, "\(lines)")
        }
        let pushed = world.server.log.filter { $0.hasPrefix("push") }.map { $0.split(separator: " ").prefix(3) }
        #expect(pushed == [["push", "update", "ann"]])
        expect(try await world.raw(2), left)
        let failures = try await world.manager.failures()
        #expect(failures.map(\.entryId) == [2] && failures[0].failure.code == "ENTRY_DAMAGED")
        #expect(failures[0].failure.message.contains("entry 2 of soup \"contacts\" is damaged"))
    }

    @Test(arguments: MergeMode.allCases)
    func `A tree is pushed without its damaged child`(_ mode: MergeMode) async throws {
        let world = try await World.withTwoTrees(mode: mode)
        try await world.edit("p1", "mine", in: "accounts")
        try await world.edit("p1c1", "mine")
        try await world.edit("p1c2", "mine")
        let left = try await world.damage(1)
        let lines = try await world.run("treeUp")
        #expect(lines.contains("update 1 failed ENTRY_DAMAGED"), "\(lines)")
        #expect(lines.contains("update 2 p1c2 ok"), "\(lines)")
        expect(try await world.raw(1), left)
        expect(try await world.manager.failures().map(\.entryId), [1])
    }

    @Test func `A new tree is created without its damaged child`() async throws {
        let world = try await World()
        let parent = try await world.create("P", in: "accounts")
        let child = try await world.create("C1", under: "local_\(parent)")
        try await world.create("C2", under: "local_\(parent)")
        _ = try await world.manager.create(world.treeUp())
        let left = try await world.damage(child)
        let lines = try await world.run("treeUp")
        #expect(lines.contains("update \(child) failed ENTRY_DAMAGED"), "\(lines)")
        #expect(world.server.log == ["push create P [create C2]"])
        expect(try await world.raw(child), left)
    }

    @Test func `A tree with a damaged parent is not pushed`() async throws {
        let world = try await World.withTwoTrees()
        try await world.edit("p1c1", "mine")
        try await world.edit("p2c1", "mine")
        let left = try await world.damage(1, of: "accounts")
        let lines = try await world.run("treeUp")
        #expect(lines.contains("update 1 failed ENTRY_DAMAGED"), "\(lines)")
        #expect(world.server.log == ["push none p2 p2 [update p2c1 mine]"])
        expect(try await world.raw(1, of: "accounts"), left)
    }

    @Test func `A dirty damaged entry is neither replaced nor cleaned`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        try await world.edit("bob", "mine")
        let left = try await world.damage(2)
        world.server.put("bob", ["Name": "theirs"])
        world.clock.advance(by: .seconds(10))
        expect(try await world.run("down").last?.prefix(8), "DONE 100")
        expect(try await world.raw(2), left)
        world.server.remove("bob")
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.cleanResyncGhosts(named: "down")
        expect(try await world.raw(2), left)
    }

    @Test func `A clean damaged entry is replaced by the server's record`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        try await world.damage(2)
        world.server.put("bob", ["Name": "theirs"])
        world.clock.advance(by: .seconds(10))
        try await world.run("down")
        expect(try await world.entries().last, #"2 bob {"Name":"theirs"} +20s clean sync 1"#)
    }

    @Test func `Errors of damaged entries name the entry`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        try await world.edit("bob", "mine")
        let left = try await world.damage(2)
        let calls: [(String, () async throws -> Void)] = [
            ("retrieve", { _ = try await world.store.retrieve([1, 2], from: "contacts") }),
            ("edit", { _ = try await world.store.edit(2, setting: ["Name": "again"], in: "contacts") }),
            ("delete", { _ = try await world.store.delete(2, in: "contacts") }),
            ("discard", { _ = try await world.manager.discardChanges(of: [2], in: "contacts") }),
        ]
        for (name, call) in calls {
            let error = await #expect(throws: SoupError.self, "\(name)") { try await call() }
            #expect(error?.code == .entryDamaged, "\(name)")
            #expect(error?.message.contains("entry 2 of soup \"contacts\"") == true, "\(name)")
        }
        expect(try await world.raw(2), left)
        // Both remedies of the hint work.
        let whole: JSONObject = ["_soupEntryId": 2, "Id": "bob", "Name": "whole", "__local__": true]
        try await world.store.upsert(.object(whole), into: "contacts")
        expect(try await world.store.retrieve([2], from: "contacts").first?["Name"], "whole")
        try await world.damage(2)
        expect(try await world.store.remove([2], from: "contacts"), [2])
    }
}
