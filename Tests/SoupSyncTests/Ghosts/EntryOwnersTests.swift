// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Entries that several sync downs fetch, with their owners and their deletion.
@Suite struct EntryOwnersTests {
    /// A world after the runs of two syncs: `a` of the prefix "a" and `ab` of the prefix "ab".
    private func overlapping() async throws -> World {
        let world = try await World()
        for id in ["a0", "ab1", "ab2"] { world.server.put(id, ["Name": .string(id)]) }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.setUp([world.down("a", ["prefix": "a"]), world.down("ab", ["prefix": "ab"])])
        try await world.run("a")
        try await world.run("ab")
        world.clock.advance(by: .seconds(10))
        world.server.clearLog()
        return world
    }

    @Test func `A soup with one sync down stores no owners`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        _ = try await world.manager.setUp([world.up(), world.down("elsewhere", [:], into: "accounts")])
        try await world.edit("ann", "Annie")
        try await world.run("up")
        try await world.run("down")
        world.server.remove("ann")
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 1)
        expect(try await world.store.soupExists("syncs_owners"), false)
    }

    @Test func `Both owners are stored; the entry has the last writer`() async throws {
        let world = try await overlapping()
        expect(
            try await world.entries(),
            [
                #"1 a0 {"Name":"a0"} +0s clean sync 1"#, #"2 ab1 {"Name":"ab1"} +0s clean sync 2"#,
                #"3 ab2 {"Name":"ab2"} +0s clean sync 2"#,
            ])
        expect(try await world.owners(), ["2: 1 2", "3: 1 2"])
    }

    @Test func `Alternating syncs do not write unchanged entries again`() async throws {
        let world = try await overlapping()
        world.server.put("ab1", ["Name": "new"])
        world.clock.advance(by: .seconds(10))
        let first = try await world.manager.reSync(named: "a").result
        #expect([first.saved, first.unchanged] == [1, 0])
        let before = try await world.stored()
        expect(try await world.entries()[1], #"2 ab1 {"Name":"new"} +20s clean sync 1"#)
        world.clock.advance(by: .seconds(10))
        let second = try await world.manager.reSync(named: "ab").result
        #expect([second.saved, second.unchanged] == [0, 1])
        expect(try await world.stored(), before)
        expect(try await world.owners(), ["2: 1 2", "3: 1 2"])
    }

    /// The children of a changed parent are returned with it.
    @Test(arguments: [false, true]) func `Alternating syncs do not write children again`(changesChild: Bool)
        async throws
    {
        let world = try await World()
        world.server.put("p1", ["Name": "p1"])
        for child in ["c1", "c2"] { world.server.put(child, ["Name": "child"], parent: "p1") }
        world.clock.advance(by: .seconds(10))
        var other = world.treeDown()
        other.name = "other"
        _ = try await world.manager.setUp([world.treeDown(), other])
        try await world.run("treeDown")
        try await world.run("other")
        world.clock.advance(by: .seconds(10))
        world.server.put("p1", ["Name": "new"])
        if changesChild { world.server.put("c1", ["Name": "new"], parent: "p1") }
        world.clock.advance(by: .seconds(10))
        let first = try await world.manager.reSync(named: "treeDown").result
        #expect([first.saved, first.unchanged] == (changesChild ? [2, 1] : [1, 2]))
        let before = try await world.stored()
        let second = try await world.manager.reSync(named: "other").result
        #expect([second.saved, second.unchanged] == [0, 3])
        expect(try await world.stored(), before)
    }

    @Test func `A ghost of one sync stays an entry of the other`() async throws {
        let world = try await overlapping()
        // The record is deleted for both syncs, but only one of them has checked.
        world.server.remove("ab1")
        world.server.remove("a0")
        expect(try await world.manager.cleanResyncGhosts(named: "a"), 1)
        #expect(world.server.log == ["which of a0 ab1 ab2"])
        expect(
            try await world.entries(),
            [#"2 ab1 {"Name":"ab1"} +0s clean sync 2"#, #"3 ab2 {"Name":"ab2"} +0s clean sync 2"#])
        expect(try await world.owners(), ["2: 2", "3: 1 2"])
        expect(try await world.manager.cleanResyncGhosts(named: "a"), 0)
        expect(try await world.manager.cleanResyncGhosts(named: "ab"), 1)
        expect(try await world.entries(), [#"3 ab2 {"Name":"ab2"} +0s clean sync 2"#])
        expect(try await world.owners(), ["3: 1 2"])
    }

    @Test func `A ghost of the last writer stays with the other owner`() async throws {
        let world = try await overlapping()
        world.server.remove("ab1")
        expect(try await world.manager.cleanResyncGhosts(named: "ab"), 0)
        expect(
            try await world.entries(),
            [
                #"1 a0 {"Name":"a0"} +0s clean sync 1"#, #"2 ab1 {"Name":"ab1"} +0s clean sync 1"#,
                #"3 ab2 {"Name":"ab2"} +0s clean sync 2"#,
            ])
        expect(try await world.owners(), ["2: 1", "3: 1 2"])
        expect(try await world.manager.cleanResyncGhosts(named: "a"), 1)
        expect(try await world.owners(), ["3: 1 2"])
    }

    @Test(arguments: ["delete", "redefine"]) func `A deleted or redefined sync owns no entries`(_ change: String)
        async throws
    {
        let world = try await overlapping()
        if change == "delete" {
            try await world.manager.deleteSync(named: "a")
        } else {
            try await world.manager.redefine(world.down("a", ["prefix": "x"], into: "accounts"))
        }
        expect(try await world.owners(), ["2: 2", "3: 2"])
        world.server.remove("ab1")
        expect(try await world.manager.cleanResyncGhosts(named: "ab"), 1)
        expect(try await world.entries().map { $0.prefix(5) }, ["1 a0 ", "3 ab2"])
        expect(try await world.owners(), ["3: 2"])
    }

    @Test func `A one-time sync keeps no ownership`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        let run = try await world.manager.run(world.down(nil))
        #expect(await run.result.state.status == .done)
        expect(try await world.owners(), ["1: 1"])
        world.server.remove("ann")
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 1)
        expect(try await world.entries(), [])
        expect(try await world.owners(), [])
    }

    /// A sync owns the entries that it fetched, even if its row is damaged.
    @Test func `A sync with an unreadable row keeps its entries`() async throws {
        let world = try await overlapping()
        let damaged = try JSONValue.object(["mergeMode": "SIDEWAYS"]).jsonText()
        try await world.store.write { writer in
            _ = try writer.stamp(
                [EntryStamp(id: 2, stamp: RecordBatch.Stamp().setting("options", damaged))], in: "syncs_soup")
        }
        expect(try await world.manager.syncs().map(\.name), ["a"])
        for id in ["ab1", "a0"] { world.server.remove(id) }
        expect(try await world.manager.cleanResyncGhosts(named: "a"), 1)
        expect(
            try await world.entries(),
            [#"2 ab1 {"Name":"ab1"} +0s clean sync 2"#, #"3 ab2 {"Name":"ab2"} +0s clean sync 2"#])
        expect(try await world.owners(), ["2: 2", "3: 1 2"])
    }

    @Test func `Dirty ghosts stay and keep their owners`() async throws {
        let world = try await overlapping()
        try await world.edit("ab1", "mine")
        world.server.remove("ab1")
        expect(try await world.manager.cleanResyncGhosts(named: "a"), 0)
        expect(try await world.manager.cleanResyncGhosts(named: "ab"), 0)
        #expect(world.server.log == ["which of a0 ab2", "which of ab2"])
        expect(try await world.owners(), ["2: 1 2", "3: 1 2"])
    }

    /// The stored owners belong to the former record of the entry.
    @Test func `An entry that becomes another record has no owner`() async throws {
        let world = try await overlapping()
        try await world.store.upsert(
            ["_soupEntryId": 2, "Id": "zz", "__local__": false, "__locally_created__": false], into: "contacts")
        world.server.clearLog()
        expect(try await world.manager.cleanResyncGhosts(named: "a"), 0)
        #expect(world.server.log == ["which of a0 ab2"])
        expect(try await world.entries()[1], "2 zz {} clean")
    }

    @Test func `A created record is owned after the next sync down`() async throws {
        let world = try await overlapping()
        _ = try await world.manager.create(world.up())
        try await world.create("new")
        try await world.run("up")
        expect(try await world.entries()[3], #"4 s1 {"Name":"new"} +20s clean"#)
        _ = try await world.manager.create(world.down("s", ["prefix": "s"]))
        world.server.remove("s1")
        expect(try await world.manager.cleanResyncGhosts(named: "s"), 0)
        world.server.put("s1", ["Name": "new"])
        try await world.run("s")
        expect(try await world.entries()[3], #"4 s1 {"Name":"new"} +20s clean sync 4"#)
        world.server.remove("s1")
        expect(try await world.manager.cleanResyncGhosts(named: "s"), 1)
        expect(try await world.owners(), ["2: 1 2", "3: 1 2"])
    }

    /// Another sync fills the soup of the children, too.
    @Test func `A tree and another sync can share children`() async throws {
        let world = try await World()
        world.server.put("p1", ["Name": "P"])
        world.server.put("c1", ["Name": "C"], parent: "p1")
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.setUp([
            world.treeDown(),
            SyncDefinition(
                name: "two", type: .syncDown, soup: "contacts", target: TargetReference(["type": "fakeTwoSoups"])),
        ])
        try await world.run("treeDown")
        try await world.run("two")
        expect(try await world.owners(), ["1: 1 2"])
        world.server.remove("c1")
        world.server.remove("p1")
        expect(try await world.manager.cleanResyncGhosts(named: "treeDown"), 1)
        expect(try await world.entries(of: "accounts"), [])
        expect(try await world.entries().count, 1)
        expect(try await world.owners(), ["1: 2"])
        expect(try await world.manager.cleanResyncGhosts(named: "two"), 1)
        expect(try await world.entries(), [])
    }

    @Test(arguments: [CrashableStore.CrashPoint.beforeCommit, .afterCommit])
    func `A crash at any write keeps owners and entries in step`(_ point: CrashableStore.CrashPoint) async throws {
        for number in 1...8 {
            let world = try await World()
            for id in ["a0", "ab1", "ab2"] { world.server.put(id, ["Name": .string(id)]) }
            world.clock.advance(by: .seconds(10))
            _ = try await world.manager.setUp([
                world.down("a", ["prefix": "a", "pageSize": 1]), world.down("ab", ["prefix": "ab", "pageSize": 1]),
            ])
            try await world.run("a")
            world.backend.controls.crash(atWrite: number, point)
            _ = try? await world.manager.reSync(named: "ab").result
            let after = try await world.reopened()
            for line in try await after.entries() where line.hasSuffix("sync 2") {
                #expect(try await after.owners().contains("\(line.prefix(1)): 1 2"))
            }
            try await after.run("ab")
            after.server.remove("ab1")
            after.backend.controls.crash(atWrite: 1, point)
            _ = try? await after.manager.cleanResyncGhosts(named: "ab")
            let last = try await after.reopened()
            _ = try await last.manager.cleanResyncGhosts(named: "ab")
            expect(
                try await last.entries(),
                [
                    #"1 a0 {"Name":"a0"} +0s clean sync 1"#, #"2 ab1 {"Name":"ab1"} +0s clean sync 1"#,
                    #"3 ab2 {"Name":"ab2"} +0s clean sync 2"#,
                ], comment: "write \(number)")
            expect(try await last.owners(), ["2: 1", "3: 1 2"], comment: "write \(number)")
        }
    }
}

extension World {
    /// The owners of the entries that several sync downs have fetched, as `entry: sync sync`.
    fileprivate func owners() async throws -> [String] {
        guard try await store.soupExists("syncs_owners") else { return [] }
        let owners = try await store.read { try $0.query(.all("syncs_owners", pageSize: 1000)).entries }
        let byEntry = Dictionary(grouping: owners) { $0["entryId"]?.intValue ?? 0 }
        return byEntry.sorted { $0.key < $1.key }.map { id, owners in
            "\(id): " + owners.compactMap { $0["syncId"]?.intValue }.sorted().map(String.init).joined(separator: " ")
        }
    }

    /// The entries with the times of their last writes.
    fileprivate func stored() async throws -> [String] {
        try await store.read { try $0.query(.all("contacts", pageSize: 1000)).entries }.map {
            "\($0.id) \($0.version) \($0.stored)"
        }
    }
}
