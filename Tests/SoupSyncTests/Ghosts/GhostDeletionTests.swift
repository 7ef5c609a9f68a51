// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Targets that report the deletions since a time.
@Suite struct GhostDeletionTests {
    private func world(_ more: JSONObject = [:]) async throws -> World {
        let world = try await World()
        var target: JSONObject = ["reportsDeletions": true, "pageSize": 1]
        for (key, value) in more.members { target[key] = value }
        for name in ["Ann", "Bob", "Cid"] { world.server.put(name.lowercased(), ["Name": .string(name)]) }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.down("down", .object(target)))
        return world
    }

    @Test func `A run applies the deletions since its first query`() async throws {
        let world = try await world()
        // A record that is already saved is deleted while later pages are fetched.
        world.server.with { [server = world.server] state in
            state.onPage = { number in if number == 3 { server.remove("ann") } }
        }
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.state.line == "DONE 100/3")
        #expect(result.ghosts == 1)
        #expect(world.server.log.last == "deleted since +10s")
        expect(try await world.entries().map { $0.prefix(5) }, ["2 bob", "3 cid"])
        expect(try await world.covered(), Moment.after(10))
    }

    @Test func `A run is not done before it has applied deletions`() async throws {
        let world = try await world()
        try await world.run("down")
        let gate = Gate()
        world.server.with { $0.onLookUp = { try await gate.pass() } }
        let run = try await world.manager.reSync(named: "down")
        await gate.arrived()
        expect(try await world.manager.status(named: "down")?.status, .running)
        run.cancel()
        #expect(await run.result.state.status == .stopped)
        world.server.with { $0.onLookUp = nil }
        expect(try await world.run("down").last, "DONE 100/0")
    }

    @Test func `Unknown deletions are found by a comparison`() async throws {
        let world = try await world(["deletionsKnownFrom": .int(Moment.after(15))])
        try await world.run("down")
        world.server.remove("ann")
        world.server.clearLog()
        #expect(try await world.manager.reSync(named: "down").result.ghosts == 1)
        #expect(world.server.log.suffix(2) == ["deleted since +10s", "which of ann bob cid"])
        expect(try await world.entries().map { $0.prefix(5) }, ["2 bob", "3 cid"])
    }

    /// Deletions before the first run of a sync are unknown.
    @Test func `A first run into a soup with entries compares all IDs`() async throws {
        let world = try await world()
        try await world.run("down")
        _ = try await world.manager.create(world.down("other", ["reportsDeletions": true]))
        world.server.clearLog()
        try await world.run("other")
        #expect(world.server.log == ["query", "which of ann bob cid"])
    }

    @Test func `A target without deletions is not asked for IDs in a run`() async throws {
        let world = try await world(["reportsDeletions": false])
        try await world.run("down")
        world.server.remove("ann")
        world.server.clearLog()
        try await world.run("down")
        #expect(!world.server.log.contains { $0.hasPrefix("deleted") || $0.hasPrefix("which") })
        expect(try await world.covered(), nil)
        #expect(try await world.manager.cleanResyncGhosts(named: "down") == 1)
        #expect(world.server.log.last == "which of ann bob cid")
        expect(try await world.covered(), nil)
    }

    @Test func `A deletion applies to all owners of an entry`() async throws {
        let world = try await world()
        try await world.run("down")
        _ = try await world.manager.create(world.down("other"))
        try await world.run("other")
        world.server.remove("ann")
        world.server.remove("bob")
        try await world.edit("bob", "mine")
        #expect(try await world.manager.reSync(named: "down").result.ghosts == 1)
        expect(
            try await world.entries(),
            [
                #"2 bob {"Name":"mine"} +0s local+updated sync 2"#, #"3 cid {"Name":"Cid"} +0s clean sync 2"#,
            ])
    }

    @Test(arguments: [CrashableStore.CrashPoint.beforeCommit, .afterCommit])
    func `After a crash only applied deletions are covered`(_ point: CrashableStore.CrashPoint)
        async throws
    {
        for number in 1...6 {
            let world = try await world()
            try await world.run("down")
            world.clock.advance(by: .seconds(10))
            world.server.remove("ann")
            world.server.put("dan", ["Name": "Dan"])
            world.clock.advance(by: .seconds(10))
            world.backend.controls.crash(atWrite: number, point)
            _ = try? await world.manager.reSync(named: "down").result
            let after = try await world.reopened()
            if try await after.covered() ?? 0 > Moment.after(20) {
                expect(try await after.entries().contains { $0.hasPrefix("1 ann") }, false, comment: "write \(number)")
            }
            try await after.run("down")
            expect(
                try await after.entries().map { $0.prefix(5) }, ["2 bob", "3 cid", "4 dan"], comment: "write \(number)")
            expect(try await after.covered(), Moment.after(30), comment: "write \(number)")
        }
    }

    /// The server reports a deletion once; the app can undo the edit that prevents it later.
    @Test(arguments: [false, true])
    func `A deferred deletion is applied after the edit is undone`(isCompared: Bool) async throws {
        let world = try await world(isCompared ? ["deletionsKnownFrom": .int(Moment.after(15))] : [:])
        try await world.run("down")
        world.server.remove("bob")
        try await world.edit("bob", "mine")
        world.clock.advance(by: .seconds(10))
        world.server.clearLog()
        #expect(try await world.manager.reSync(named: "down").result.ghosts == 0)
        let requests = isCompared ? ["deleted since +10s", "which of ann bob cid"] : ["deleted since +10s"]
        #expect(world.server.log.dropFirst().elementsEqual(requests))
        // Other deletions are applied while the edit exists.
        world.server.remove("cid")
        world.server.clearLog()
        #expect(try await world.manager.reSync(named: "down").result.ghosts == 1)
        #expect(world.server.log.dropFirst().elementsEqual(isCompared ? requests : ["deleted since +20s"]))
        expect(
            try await world.entries(),
            [#"1 ann {"Name":"Ann"} +0s clean sync 1"#, #"2 bob {"Name":"mine"} +0s local+updated sync 1"#])
        try await world.undoEdit(2, "Bob")
        world.clock.advance(by: .seconds(10))
        world.server.clearLog()
        #expect(try await world.manager.reSync(named: "down").result.ghosts == 1)
        #expect(world.server.log.dropFirst().elementsEqual(["which of ann bob"]))
        expect(try await world.entries(), [#"1 ann {"Name":"Ann"} +0s clean sync 1"#])
        world.server.clearLog()
        try await world.run("down")
        let later = isCompared ? ["deleted since +10s", "which of ann"] : ["deleted since +20s"]
        #expect(world.server.log.dropFirst().elementsEqual(later))
    }

    /// The record may have been restored after the deletion was reported.
    @Test func `A restored record is not deleted by an old deletion`() async throws {
        let world = try await world()
        try await world.run("down")
        world.server.remove("bob")
        try await world.edit("bob", "mine")
        try await world.run("down")
        world.server.put("bob", ["Name": "Bob"], at: Moment.start)
        try await world.undoEdit(2, "Bob")
        #expect(try await world.manager.cleanResyncGhosts(named: "down") == 0)
        expect(try await world.entries()[1], #"2 bob {"Name":"Bob"} +0s clean sync 1"#)
        world.server.clearLog()
        try await world.run("down")
        #expect(world.server.log.filter { $0.hasPrefix("which") } == [])
    }

    /// It is unknown whether such an entry has local changes.
    @Test func `An entry without flags is not a ghost`() async throws {
        let world = try await world()
        try await world.run("down")
        try await world.store.upsert(
            ["_soupEntryId": 2, "Id": "bob", "Name": "no flags", "__sync_id__": 1], into: "contacts")
        world.server.remove("bob")
        #expect(try await world.manager.reSync(named: "down").result.ghosts == 0)
        expect(try await world.entries()[1], #"2 bob {"Name":"no flags"} clean sync 1"#)
    }
}

extension World {
    /// The time up to which the deletions of the first sync are applied.
    func covered() async throws -> Int64? {
        try await store.read { try $0.retrieve([1], from: "syncs_soup") }.first?["deletionsCovered"]?.intValue
    }

    /// Undoes an edit, as an app does that knows the former value.
    fileprivate func undoEdit(_ id: Int64, _ name: String) async throws {
        try await store.write { writer in
            let stamp = RecordBatch.Stamp.clean.setting("Name", .string(name))
            _ = try writer.stamp([EntryStamp(id: id, stamp: stamp)], in: "contacts")
        }
    }
}
