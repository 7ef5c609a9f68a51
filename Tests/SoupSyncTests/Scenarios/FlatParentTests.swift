// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Parents that one sync up pushes without their children, while another one pushes both as trees.
@Suite struct FlatParentTests {
    private func world(_ target: JSONValue = [:]) async throws -> World {
        let world = try await World()
        _ = try await world.manager.create(world.up("up", target, from: "accounts"))
        _ = try await world.manager.create(world.treeUp())
        return world
    }

    private let children = [
        #"1 s2 {"Name":"early","AccountId":"s1"} +0s clean"#, #"2 s3 {"Name":"late","AccountId":"s1"} +0s clean"#,
    ]

    /// One child exists before the push; the app creates the other one later under the temporary ID.
    @Test func `Children find a parent that a flat sync pushed`() async throws {
        let first = try await world()
        try await first.create("P", in: "accounts")
        try await first.create("early", under: "local_1")
        expect(try await first.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", "create 1 s1 ok", "DONE 100/1"])
        expect(try await first.entries(), [#"1 local_2 {"Name":"early","AccountId":"s1"} local+created"#])
        try await first.create("late", under: "local_1")
        let world = try await first.reopened()
        expect(
            try await world.run("treeUp"),
            ["RUNNING 0/-1", "RUNNING 0/1", "create 1 s2 ok", "create 2 s3 ok", "DONE 100/1"])
        expect(try await world.entries(), children)
        expect(
            world.server.dump,
            [
                #"s1 {"Name":"P"} +0s"#, #"s2 under s1 {"Name":"early"} +0s"#, #"s3 under s1 {"Name":"late"} +0s"#,
            ])
    }

    @Test func `Children find a parent that a look-up found`() async throws {
        let world = try await world(["canFind": true])
        try await world.create("P", in: "accounts")
        try await world.create("early", under: "local_1")
        world.server.loseResponse()
        try await world.run("up")
        expect(try await world.run("up").contains("create 1 s1 ok"), true)
        try await world.create("late", under: "local_1")
        try await world.run("treeUp")
        expect(try await world.entries(), children)
    }

    /// Children with local changes are relinked to the recreated parent.
    ///
    /// The other children keep the server's values until they change.
    @Test func `Changed children find a recreated parent`() async throws {
        let world = try await World()
        world.server.put("p1", ["Name": "p1"])
        for name in ["c1", "c2"] { world.server.put(name, ["Name": .string(name)], parent: "p1") }
        _ = try await world.manager.create(world.treeDown())
        try await world.run("treeDown")
        for sync in [world.up("up", from: "accounts"), world.treeUp()] { _ = try await world.manager.create(sync) }
        world.server.remove("p1")
        try await world.edit("p1", "again", in: "accounts")
        try await world.edit("c1", "changed")
        try await world.run("up")
        expect(
            try await world.entries().map { $0.replacing(" sync 1", with: "") },
            [
                #"1 c1 {"Name":"changed","AccountId":"s1"} +0s local+updated"#,
                #"2 c2 {"Name":"c2","AccountId":"p1"} +0s clean"#,
            ])
        try await world.edit("c2", "changed too")
        try await world.run("treeUp")
        expect(
            world.server.dump,
            [
                #"c1 under s1 {"Name":"changed"} +0s"#, #"c2 under s1 {"Name":"changed too"} +0s"#,
                #"s1 {"Name":"again"} +0s"#,
            ])
    }

    /// A sync up of the children that is created later finds the ID.
    @Test func `Without a tree the replaced ID is stored`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.up("up", from: "accounts"))
        _ = try await world.manager.create(world.treeDown())
        try await world.create("P", in: "accounts")
        try await world.create("early", under: "local_1")
        try await world.run("up")
        expect(try await world.entries(), [#"1 local_2 {"Name":"early","AccountId":"local_1"} local+created"#])
        _ = try await world.manager.create(world.up("children", from: "contacts"))
        try await world.run("children")
        expect(try await world.entries(), [#"1 s2 {"Name":"early","AccountId":"s1"} +0s clean"#])
    }
}
