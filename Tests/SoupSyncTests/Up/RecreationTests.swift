// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

/// Sync ups with OVERWRITE that recreate the deleted records of trees.
@Suite struct RecreationTests {
    @Test func `A deleted parent is recreated with its children`() async throws {
        let world = try await World.withTwoTrees()
        try await world.edit("p1", "mine", in: "accounts")
        try await world.edit("p1c1", "mine")
        for id in ["p1", "p1c1", "p1c2"] { world.server.remove(id) }
        try await world.run("treeUp")
        #expect(
            world.server.log == [
                "push update p1 mine [update p1c1 mine]", "ask for p1", "ask for p1c1 p1c2",
                "push create mine [create mine, create p1c2]",
            ])
        expect(
            try await world.entries(of: "accounts")[0] + world.entries().prefix(2).joined(),
            #"1 s1 {"Name":"mine"} +20s clean sync 1"#
                + #"1 s2 {"Name":"mine","AccountId":"s1"} +20s clean sync 1"#
                + #"2 s3 {"Name":"p1c2","AccountId":"s1"} +20s clean sync 1"#)
        expect(try await world.run("treeUp"), ["RUNNING 0/-1", "DONE 100/0"])
    }

    /// Another client moves one child to another parent, then deletes its former parent with the other child.
    @Test(arguments: [false, true]) func `A child that still exists is not recreated`(isEditedMeanwhile: Bool)
        async throws
    {
        let world = try await World.withTwoTrees()
        try await world.edit("p1", "mine", in: "accounts")
        world.server.put("p1c1", ["Name": "theirs"], parent: "p2")
        for id in ["p1", "p1c2"] { world.server.remove(id) }
        let (server, store) = (world.server, world.store)
        let edits = Mutex(isEditedMeanwhile ? 1 : 0)
        server.with {
            $0.onLookUp = {
                // The first request is for the state of the parent.
                guard server.log.filter({ $0.hasPrefix("ask") }).count == 2,
                    edits.withLock({ edits in
                        defer { edits = 0 }; return edits == 1
                    })
                else { return }
                try await store.edit(1, setting: ["Name": "edited"], in: "contacts")
            }
        }
        try await world.run("treeUp")
        let child = isEditedMeanwhile ? #"p1c1 under s1 {"Name":"edited"}"# : #"p1c1 under p2 {"Name":"theirs"}"#
        expect(
            world.server.dump.map { $0.replacing(#/ [+].*/#, with: "") },
            [
                child, #"p2 {"Name":"p2"}"#, #"p2c1 under p2 {"Name":"p2c1"}"#, #"p2c2 under p2 {"Name":"p2c2"}"#,
                #"s1 {"Name":"mine"}"#, #"s2 under s1 {"Name":"p1c2"}"#,
            ])
    }

    @Test func `A change of a child recreates its deleted parent`() async throws {
        let world = try await World.withTwoTrees()
        for id in ["p1", "p1c1", "p1c2"] { world.server.remove(id) }
        try await world.create("new", under: "p1")
        try await world.run("treeUp")
        #expect(
            world.server.log == [
                "push none p1 p1 [create new]", "ask for p1", "ask for p1c1 p1c2",
                "push create p1 [create p1c1, create p1c2, create new]",
            ])
        #expect(
            world.server.dump.filter { $0.hasPrefix("s") } == [
                #"s2 {"Name":"p1"} +20s"#, #"s3 under s2 {"Name":"p1c1"} +20s"#, #"s4 under s2 {"Name":"p1c2"} +20s"#,
                #"s5 under s2 {"Name":"new"} +20s"#,
            ])
        #expect(try await world.entries().allSatisfy { $0.contains("clean") })
    }

    @Test func `A deleted child is recreated alone`() async throws {
        let world = try await World.withTwoTrees()
        try await world.edit("p1", "mine", in: "accounts")
        try await world.edit("p1c1", "mine")
        world.server.remove("p1c1")
        try await world.run("treeUp")
        #expect(
            world.server.log == [
                "push update p1 mine [update p1c1 mine]", "ask for p1c1", "push none p1 mine [create mine]",
            ])
        expect(try await world.entries()[0], #"1 s1 {"AccountId":"p1","Name":"mine"} +20s clean sync 1"#)
    }

    @Test func `A tree that still exists is not recreated`() async throws {
        let world = try await World.withTwoTrees()
        try await world.edit("p1", "mine", in: "accounts")
        try await world.edit("p1c1", "mine")
        let failure = PushFailure(code: "INVALID_CROSS_REFERENCE_KEY", message: "", isGone: true)
        world.server.with {
            $0.onPush = { _, changes in
                changes.map { PushOutcome(.failed(failure), children: $0.children.map { _ in .failed(failure) }) }
            }
        }
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect([result.created, result.failed] == [0, 2])
        #expect(world.server.log == ["push update p1 mine [update p1c1 mine]", "ask for p1 p1c1"])
        expect(
            try await [world.entries(of: "accounts")[0], world.entries()[0]],
            [
                #"1 p1 {"Name":"mine"} +0s local+updated sync 1 error INVALID_CROSS_REFERENCE_KEY"#,
                #"1 p1c1 {"AccountId":"p1","Name":"mine"} +0s local+updated sync 1 error INVALID_CROSS_REFERENCE_KEY"#,
            ])
    }
}
