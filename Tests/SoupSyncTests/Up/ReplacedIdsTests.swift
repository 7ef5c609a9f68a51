// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Children that the app creates under a former ID of their parent.
@Suite struct ReplacedIdsTests {
    /// A world with a pushed parent, whose temporary ID was `local_1`.
    private func pushed(_ mode: MergeMode = .overwrite) async throws -> World {
        let world = try await World()
        try await world.create("P", in: "accounts")
        _ = try await world.manager.create(world.treeUp([:], mode: mode))
        try await world.run("treeUp")
        world.server.clearLog()
        world.clock.advance(by: .seconds(10))
        return world
    }

    @Test(arguments: MergeMode.allCases)
    func `A new child finds its parent by the temporary ID`(mode: MergeMode) async throws {
        let first = try await pushed(mode)
        try await first.create("late", under: "local_1")
        // A new process knows the replaced IDs.
        let world = try await first.reopened()
        expect(
            try await world.run("treeUp"), ["RUNNING 0/-1", "RUNNING 0/1", "create 1 s2 ok", "DONE 100/1"])
        world.server.clearLog()
        expect(
            try await world.dump(),
            """
            syncs:
              1 treeUp DONE 100/1 no mark
            accounts:
              1 s1 {"Name":"P"} +0s clean
            contacts:
              1 s2 {"Name":"late","AccountId":"s1"} +10s clean
            server:
              s1 {"Name":"P"} +0s
              s2 under s1 {"Name":"late"} +10s
            """)
    }

    @Test func `A child moved to a temporary ID is relinked`() async throws {
        let world = try await World.withTree()
        try await world.create("P", in: "accounts")
        _ = try await world.manager.create(world.treeUp())
        try await world.run("treeUp")
        try await world.store.edit(1, setting: ["AccountId": "local_1"], in: "contacts")
        expect(
            try await world.run("treeUp"), ["RUNNING 0/-1", "RUNNING 0/1", "update 1 c1 ok", "DONE 100/1"])
        expect(try await world.entries(), [#"1 c1 {"Name":"c1","AccountId":"s1"} +10s clean sync 1"#])
        expect(
            world.server.dump,
            ["c1 under s1 {\"Name\":\"c1\"} +10s", "p1 {\"Name\":\"p1\"} +0s", "s1 {\"Name\":\"P\"} +10s"])
    }

    /// The deletion belongs to the tree of the new parent, which is held as a whole.
    @Test func `A deleted child with a temporary parent ID is relinked`() async throws {
        let world = try await World.withTree()
        try await world.create("P", in: "accounts")
        _ = try await world.manager.create(world.treeUp(mode: .leaveIfChanged))
        try await world.run("treeUp")
        try await world.store.edit(1, setting: ["AccountId": "local_1"], in: "contacts")
        try await world.store.delete(1, in: "contacts")
        world.clock.advance(by: .seconds(10))
        world.server.put("s1", ["Name": "theirs"])
        expect(
            try await world.run("treeUp"),
            ["RUNNING 0/-1", "RUNNING 0/1", "delete 1 c1 skipped NEWER_ON_SERVER", "DONE 100/1"])
        #expect(world.server.dump.count == 3)
    }

    @Test func `A recreated parent is found by its former IDs`() async throws {
        let world = try await pushed()
        world.server.remove("s1")
        try await world.edit("s1", "again", in: "accounts")
        try await world.run("treeUp")
        for id in ["local_1", "s1"] { try await world.create("under \(id)", under: id) }
        try await world.create("under missing", under: "local_77")
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect([result.created, result.failed] == [2, 1])
        expect(
            try await world.entries(),
            [
                #"1 s3 {"Name":"under local_1","AccountId":"s2"} +10s clean"#,
                #"2 s4 {"Name":"under s1","AccountId":"s2"} +10s clean"#,
                #"3 local_4 {"Name":"under missing","AccountId":"local_77"} local+created error NO_PARENT"#,
            ])
        expect(
            world.server.dump,
            [
                #"s2 {"Name":"again"} +10s"#, #"s3 under s2 {"Name":"under local_1"} +10s"#,
                #"s4 under s2 {"Name":"under s1"} +10s"#,
            ])
    }

    /// Any record can refer to the record.
    @Test func `Flat syncs store replaced IDs`() async throws {
        let world = try await World()
        try await world.create("Ann")
        _ = try await world.manager.create(world.up())
        try await world.run("up")
        let id = try await world.store.read { try ReplacedIds.currentId(of: "local_1", in: "contacts", $0) }
        expect(id, "s1")
    }

    /// The limit applies even if no run finishes.
    @Test func `Failed runs prune the replaced IDs, too`() async throws {
        let world = try await pushed()
        let count = ReplacedIds.maximum
        try await world.store.write { writer in
            let old = (1...count).map { ReplacedIds.Change(soup: "accounts", old: "old\($0)", new: "new\($0)") }
            try ReplacedIds.add(old, writer)
        }
        let server = world.server
        server.with {
            $0.onPush = { _, changes in
                let first = server.apply([changes[0]])
                return first + changes.dropFirst().map { _ in .notSent(SoupError(.unavailable, "unavailable")) }
            }
        }
        for name in ["Q", "R"] { try await world.create(name, in: "accounts") }
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect(result.state.status == .failed)
        expect(
            try await world.entries(of: "accounts").map { $0.split(separator: " ")[1] }, ["s1", "s2", "local_3"])
        expect(try await world.store.count(.all("syncs_replaced_ids", pageSize: 1)), count)
        let found = try await world.store.read { reader in
            try ["local_1", "old1", "old2", "local_2"].map {
                try ReplacedIds.currentId(of: $0, in: "accounts", reader) ?? "-"
            }
        }
        expect(found, ["-", "-", "new2", "s2"])
    }

    @Test func `An ID replaced again is kept as the newest`() async throws {
        let world = try await World()
        let found = try await world.store.write { writer in
            func note(_ numbers: some Sequence<Int>, _ new: String) throws {
                try ReplacedIds.add(
                    numbers.map { ReplacedIds.Change(soup: "accounts", old: "\($0)", new: "\(new)\($0)") }, writer)
            }
            try note(1...ReplacedIds.maximum, "a")
            try note([1, 1], "b")
            try note([0], "c")
            return try ["0", "1", "2", "3"].map {
                try ReplacedIds.currentId(of: $0, in: "accounts", writer) ?? "-"
            }
        }
        expect(found, ["c0", "b1", "-", "a3"])
    }

    @Test func `Pruning a table keeps the newest rows`() async throws {
        let world = try await World()
        let log = EngineTable(soup: "notes")
        let keys = try await world.store.write { writer in
            for key in ["a", "b", "c", "a", "d"] { try log.set([(key: key, members: [])], in: writer) }
            try log.prune(to: 2, in: writer)
            return try log.entries(in: writer).compactMap { $0["key"]?.stringValue }
        }
        expect(keys, ["c", "d"])
    }
}
