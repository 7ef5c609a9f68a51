// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The results of sync downs, mostly compared as the whole state.
@Suite struct DownRunTests {
    @Test func `The first run fetches all records, the next the changed`() async throws {
        let world = try await World()
        world.server.put("a1", ["Name": "Ann"])
        world.clock.advance(by: .seconds(1))
        world.server.put("a2", ["Name": "Bob"])
        world.server.put("a3", ["Name": "Cid"])
        world.clock.advance(by: .seconds(9))
        _ = try await world.manager.create(world.down("down", ["pageSize": 2]))
        expect(try await world.run("down"), ["RUNNING 0/-1", "RUNNING 0/3", "RUNNING 66/3", "DONE 100/3"])
        world.server.put("a2", ["Name": "Bobby"])
        world.clock.advance(by: .seconds(5))
        expect(try await world.run("down"), ["RUNNING 0/-1", "RUNNING 0/1", "DONE 100/1"])
        expect(
            try await world.dump(),
            """
            syncs:
              1 down DONE 100/1 mark > +10s
            contacts:
              1 a1 {"Name":"Ann"} +0s clean sync 1
              2 a2 {"Name":"Bobby"} +10s clean sync 1
              3 a3 {"Name":"Cid"} +1s clean sync 1
            server:
              a1 {"Name":"Ann"} +0s
              a2 {"Name":"Bobby"} +10s
              a3 {"Name":"Cid"} +1s
            asked:
              query
              page 0:2
              query > +1s
            """)
    }

    @Test func `The result contains the details of all pages`() async throws {
        let world = try await World()
        world.fill(3)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1, "reportsDetails": true]))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.details == ["first": "r1", "later": "r3", "latest": "r3"])
        // The next run has no records, and the details of an earlier run are not kept.
        #expect(try await world.manager.reSync(named: "down").result.details == [:])
    }

    @Test func `A run without records finishes at once`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.down())
        expect(try await world.run("down"), ["RUNNING 0/-1", "DONE 100/0"])
        expect(try await world.syncs(), ["1 down DONE 100/0 no mark"])
    }

    @Test func `Progress stays at zero while the total is unknown`() async throws {
        let world = try await World()
        world.fill(3)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1, "reportsTotal": false]))
        expect(try await world.run("down"), ["RUNNING 0/-1", "DONE 100/3"])
    }

    @Test(arguments: [(1, [0, 33, 66, 100]), (2, [0, 66, 100]), (3, [0, 100]), (4, [0, 100])])
    func `Progress is the percentage of received records`(pageSize: Int, expected: [Int]) async throws {
        let world = try await World()
        world.fill(3)
        _ = try await world.manager.create(world.down("down", ["pageSize": .int(Int64(pageSize))]))
        let run = try await world.manager.reSync(named: "down")
        var progress: [Int] = []
        for await case .state(let state) in run.events() where state.totalSize == 3 { progress.append(state.progress) }
        #expect(progress == expected)
    }

    @Test func `The result counts the saved records`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob", "Cid")
        try await world.edit("ann", "Annie")
        world.server.put("bob", ["Name": "Bobby"])
        world.server.put("dan", ["Name": "Dan"])
        // A second sync of the same soup fetches everything and becomes the owner of the clean entries.
        _ = try await world.manager.create(world.down("other"))
        let result = try await world.manager.reSync(named: "other").result
        #expect([result.saved, result.unchanged, result.skipped] == [3, 0, 1])
        let again = try await world.manager.reSync(named: "other").result
        // The edit is based on the fetched version, so its record is not fetched again.
        #expect([again.saved, again.unchanged, again.skipped] == [0, 2, 0])
        #expect(again.isComplete)
    }

    @Test func `A missing index on the ID fails the run before a fetch`() async throws {
        let world = try await World()
        world.fill(1)
        _ = try await world.manager.create(world.down("down", ["idFieldName": "Key"]))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.state.status == .failed)
        #expect(result.error?.code == .indexNotDefined)
        #expect(result.error?.hint == "Add {\"path\": \"Key\", \"type\": \"string\"} to the indexes of the soup.")
        #expect(world.server.log.isEmpty)
    }

    @Test func `A missing soup fails the run before a fetch`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.down("down", into: "nowhere"))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .soupNotFound)
        #expect(world.server.log.isEmpty)
    }

    @Test func `Two entries with one ID fail the run before the page`() async throws {
        let world = try await World()
        world.fill(4)
        for _ in 1...2 { try await world.store.upsert(["Id": "r4"], into: "contacts") }
        _ = try await world.manager.create(world.down("down", ["pageSize": 2]))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .notUnique)
        expect(
            try await world.entries(),
            [
                "1 r4 {} clean", "2 r4 {} clean", "3 r1 {\"Name\":\"N1\"} +1s clean sync 1",
                "4 r2 {\"Name\":\"N2\"} +2s clean sync 1",
            ])
        // When the duplicates are deleted, the next run continues at the failed page.
        try await world.store.remove([1, 2], from: "contacts")
        expect(try await world.run("down"), ["RUNNING 50/4", "RUNNING 50/4", "DONE 100/4"])
        expect(try await world.syncs(), ["1 down DONE 100/4 mark > +4s"])
        expect(try await world.entries().count, 4)
    }

    @Test(.timeLimit(.minutes(15))) func `One page is fetched while the page before it is written`() async throws {
        let world = try await World()
        world.fill(3)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        let (requested, server) = (Gate(), world.server)
        world.server.with { $0.onPage = { if $0 == 2 { requested.open() } } }
        // The writes: RUNNING, the total, then the first page, which waits here for the request of the second page.
        world.backend.controls.beforeEachWrite { number in
            if number == 3 {
                await requested.passUninterrupted()
                server.note("first page is written")
            }
        }
        expect(try await world.run("down").last, "DONE 100/3")
        #expect(world.server.log == ["query", "page 0:1", "first page is written", "page 0:2"])
    }

    @Test func `A bulk load is announced to the store`() async throws {
        let world = try await World(settings: SyncSettings(bulkLoadThreshold: 3))
        world.fill(2)
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        #expect(world.backend.controls.bulkLoads == [true, false])
        try await world.run("down")
        #expect(world.backend.controls.bulkLoads == [true, false])
        world.fill(4)
        try await world.run("down")
        #expect(world.backend.controls.bulkLoads == [true, false, true, false])
    }

    @Test(.timeLimit(.minutes(15))) func `A load at the speed of the server leaves bulk mode early`() async throws {
        let world = try await World(settings: SyncSettings(bulkLoadThreshold: 3))
        world.fill(6)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        // Each page takes a second, counted from the write of the page before it.
        let (gate, controls, server) = (Gate(), world.backend.controls, world.server)
        server.with {
            $0.onPage = { number in
                server.note("loads \(controls.bulkLoads)")
                if number > 1 { try await gate.pass() }
            }
        }
        for await event in try await world.manager.reSync(named: "down").events() {
            guard case .state(let state) = event, state.progress > 0, state.status == .running else { continue }
            world.clock.advance(by: .seconds(1))
            gate.open()
        }
        // Three waits are enough to detect a slow server.
        #expect(
            world.server.log.filter { $0.hasPrefix("loads") } == [
                "loads [true]", "loads [true]", "loads [true]", "loads [true]", "loads [true]", "loads [true, false]",
            ])
        expect(try await world.entries().count, 6)
    }

    @Test func `A very large load stays in bulk mode with a slow server`() {
        let clock = ManualClock()
        var timing = PageTiming(clock)
        for page in 0..<5 {
            if page > 0 { clock.advance(by: .milliseconds(110)) }
            timing.pageArrived()
            clock.advance(by: .milliseconds(20))
            timing.pageWritten()
            #expect(timing.isLimitedByServer(total: 250_000) == (page >= 3))
            #expect(!timing.isLimitedByServer(total: 250_001))
            #expect(!timing.isLimitedByServer(total: nil))
        }
        clock.advance(by: .milliseconds(110))
        timing.pageArrived()
        clock.advance(by: .milliseconds(200))
        timing.pageWritten()
        #expect(!timing.isLimitedByServer(total: 250_000))
    }

    @Test func `A target with several soups fills each of them`() async throws {
        let world = try await World()
        for id in ["a1", "c1", "c2", "a2", "c3"] {
            world.server.put(id, ["Name": .string(id)])
            world.clock.advance(by: .seconds(1))
        }
        let definition = SyncDefinition(
            name: "both", type: .syncDown, soup: "unused", target: TargetReference(["type": "fakeTwoSoups"]),
            options: SyncOptions(mergeMode: .leaveIfChanged))
        _ = try await world.manager.create(definition)
        expect(
            try await world.run("both"),
            [
                "RUNNING 0/-1", "RUNNING 0/5", "RUNNING 40/5", "RUNNING 80/5", "DONE 100/5",
            ])
        // An edit in either soup limits the high-water mark.
        try await world.edit("c2", "mine")
        world.server.put("a1", ["Name": "theirs"])
        world.server.put("c2", ["Name": "theirs"], at: Moment.after(4))
        world.clock.advance(by: .seconds(10))
        try await world.run("both")
        expect(try await world.syncs(), ["1 both DONE 100/2 mark >= +4s"])
        for id in ["a1", "a2", "c1", "c2"] { world.server.remove(id) }
        expect(try await world.manager.cleanResyncGhosts(named: "both"), 3)
        expect(
            try await world.entries(of: "accounts") + world.entries(),
            [
                #"2 c2 {"Name":"mine"} +2s local+updated sync 1"#, #"3 c3 {"Name":"c3"} +4s clean sync 1"#,
            ])
    }

    @Test func `A one-time sync leaves no row`() async throws {
        let world = try await World()
        world.fill(1)
        let run = try await world.manager.syncDown(TargetReference(["type": "fake"]), into: "contacts")
        expect(try await world.events(of: run), ["RUNNING 0/-1", "RUNNING 0/1", "DONE 100/1"])
        expect(
            try await world.dump(),
            """
            contacts:
              1 r1 {"Name":"N1"} +1s clean sync 1
            server:
              r1 {"Name":"N1"} +1s
            asked:
              query
            """)
    }

    @Test func `A failed one-time sync can be continued`() async throws {
        let world = try await World()
        world.fill(2)
        world.server.with { $0.onPage = { if $0 == 2 { throw SoupError(.network, "gone") } } }
        let target = TargetReference(["type": "fake", "pageSize": 1])
        let run = try await world.manager.syncDown(target, into: "contacts")
        expect(await run.result.state.status, .failed)
        expect(try await world.syncs(), ["1 - FAILED 50/2 mark >= +1s at 0:1 error: gone"])
        expect(try await world.manager.reSync(id: run.id).result.state.status, .done)
        expect(try await world.syncs(), [])
        expect(try await world.entries().count, 2)
    }
}
