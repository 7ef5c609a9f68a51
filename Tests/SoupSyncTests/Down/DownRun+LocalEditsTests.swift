// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync downs of entries with local changes, and the high-water mark.
@Suite struct DownRunLocalEditsTests {
    @Test func `LEAVE_IF_CHANGED keeps edits and limits the mark`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        try await world.edit("ann", "mine")
        world.server.put("ann", ["Name": "theirs"])
        world.clock.advance(by: .seconds(5))
        world.server.put("bob", ["Name": "Bobby"])
        world.clock.advance(by: .seconds(5))
        let result = try await world.manager.reSync(named: "down").result
        #expect([result.saved, result.skipped] == [1, 1])
        expect(
            try await world.dump(),
            """
            syncs:
              1 down DONE 100/2 mark >= +20s
            contacts:
              1 ann {"Name":"mine"} +0s local+updated sync 1
              2 bob {"Name":"Bobby"} +25s clean sync 1
            server:
              ann {"Name":"theirs"} +20s
              bob {"Name":"Bobby"} +25s
            asked:
              query > +0s
            """)
        // The edit is undone: the next run fetches the server's version, which is older than the newest record.
        try await world.store.write { writer in
            _ = try writer.stamp([EntryStamp(id: 1, stamp: .clean)], in: "contacts")
        }
        try await world.run("down")
        expect(try await world.entries().first, "1 ann {\"Name\":\"theirs\"} +20s clean sync 1")
        expect(try await world.syncs(), ["1 down DONE 100/1 mark > +25s"])
    }

    /// The dates of the edits are ahead of the clock, because they were made in the same millisecond.
    @Test func `OVERWRITE replaces edits made before the run`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        for number in 1...10 { try await world.edit("ann", "mine \(number)") }
        _ = try await world.manager.create(world.down("over", [:], into: "contacts", mode: .overwrite))
        let result = try await world.manager.reSync(named: "over").result
        #expect([result.saved, result.replaced] == [1, 1])
        expect(try await world.entries(), ["1 ann {\"Name\":\"Ann\"} +0s clean sync 2"])
    }

    @Test(arguments: MergeMode.allCases)
    func `An edit made while its page is fetched is kept`(mode: MergeMode) async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        _ = try await world.manager.create(world.down("again", ["pageSize": 1], into: "contacts", mode: mode))
        let gate = Gate()
        world.server.with { state in
            let second = state.pages + 2
            state.onPage = { if $0 == second { try await gate.pass() } }
        }
        let run = try await world.manager.reSync(named: "again")
        await gate.arrived()
        try await world.edit("bob", "edited during the fetch")
        gate.open()
        let result = await run.result
        let isMerged = mode.mergesChanges
        #expect([result.saved, result.unchanged, result.skipped] == (isMerged ? [1, 1, 0] : [1, 0, 1]))
        expect(
            try await world.entries(),
            [
                "1 ann {\"Name\":\"Ann\"} +0s clean sync 2",
                "2 bob {\"Name\":\"edited during the fetch\"} +0s local+updated sync \(isMerged ? 2 : 1)",
            ])
        // The edit is based on the fetched version: the mark rises, and no later run replaces the edit.
        expect(try await world.syncs().last, "2 again DONE 100/2 mark > +0s")
        world.clock.advance(by: .seconds(5))
        _ = try await world.manager.reSync(named: "again").result
        expect(
            try await world.entries().last,
            "2 bob {\"Name\":\"edited during the fetch\"} +0s local+updated sync \(isMerged ? 2 : 1)")
    }

    /// The edit is not based on the server's version, so that the next run must fetch that again.
    @Test func `An edit of an older version limits the mark`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        world.clock.advance(by: .seconds(5))
        world.server.put("ann", ["Name": "theirs"])
        world.clock.advance(by: .seconds(20))
        let gate = Gate()
        world.server.with { state in
            let next = state.pages + 1
            state.onPage = { if $0 == next { try await gate.pass() } }
        }
        let run = try await world.manager.reSync(named: "down")
        await gate.arrived()
        try await world.edit("ann", "mine")
        gate.open()
        #expect(await run.result.skipped == 1)
        expect(try await world.syncs(), ["1 down DONE 100/1 mark > +0s"])
    }

    @Test func `An edit between a failed run and the next is kept`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        _ = try await world.manager.create(world.down("again", ["pageSize": 1], into: "contacts", mode: .overwrite))
        world.server.with { state in
            let second = state.pages + 2
            state.onPage = { if $0 == second { throw SoupError(.network, "connection lost") } }
        }
        try await world.run("again")
        world.clock.advance(by: .seconds(1))
        try await world.edit("bob", "mine")
        world.clock.advance(by: .seconds(1))
        try await world.run("again")
        expect(try await world.entries().last, "2 bob {\"Name\":\"mine\"} +0s local+updated sync 1")
    }

    @Test func `A locally deleted entry stays deleted`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.delete("ann")
        world.server.put("ann", ["Name": "Annie"])
        world.clock.advance(by: .seconds(5))
        try await world.run("down")
        expect(try await world.entries(), ["1 ann {\"Name\":\"Ann\"} +0s local+deleted sync 1"])
    }

    @Test func `Records of the last second are fetched again`() async throws {
        let world = try await World()
        world.server.put("a1", ["Name": "Ann"])
        // The query runs in the second in which the record was saved.
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        expect(try await world.syncs(), ["1 down DONE 100/1 mark >= +0s"])
        // Another record is saved in the same second, after the query.
        world.server.put("a2", ["Name": "Bob"])
        world.clock.advance(by: .milliseconds(1999))
        try await world.run("down")
        expect(try await world.syncs(), ["1 down DONE 100/1 mark >= +0s"])
        world.clock.advance(by: .milliseconds(1))
        let run = try await world.manager.reSync(named: "down")
        expect(await run.result.unchanged, 2)
        expect(try await world.syncs(), ["1 down DONE 100/0 mark > +0s"])
        expect(try await world.run("down"), ["RUNNING 0/-1", "DONE 100/0"])
        #expect(world.server.log == ["query", "query >= +0s", "query >= +0s", "query > +0s"])
        expect(try await world.syncs(), ["1 down DONE 100/0 mark > +0s"])
    }

    @Test func `Without the server's time the last instant is included`() async throws {
        let world = try await World()
        world.fill(1)
        _ = try await world.manager.create(world.down("down", ["reportsTime": false]))
        try await world.run("down")
        try await world.run("down")
        #expect(world.server.log == ["query", "query >= +1s"])
    }
}
