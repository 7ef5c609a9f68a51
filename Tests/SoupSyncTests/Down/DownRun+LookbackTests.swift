// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupTesting
import Testing

@testable import SoupSync

/// Changes that the server dates before a query and commits after it.
///
/// The lookback is 600 seconds.
@Suite struct DownRunLookbackTests {
    private static let lookback: JSONObject = ["lookback": 600]

    /// A world in which a run at +1000s has fetched `ann`, whose date is +990s.
    private func world(_ target: JSONObject = lookback, mode: MergeMode = .leaveIfChanged) async throws -> World {
        let world = try await World()
        world.clock.advance(by: .seconds(990))
        world.server.put("ann", ["Name": "Ann"])
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.down("down", .object(target), mode: mode))
        try await world.run("down")
        world.server.clearLog()
        return world
    }

    @Test(arguments: [true, false]) func `A change that is committed late is fetched`(reportsTime: Bool) async throws {
        var target = Self.lookback
        target["reportsTime"] = .bool(reportsTime)
        let world = try await world(target)
        world.clock.advance(by: .seconds(300))
        world.server.put("bob", ["Name": "Bob"], at: Moment.after(401))
        let result = try await world.manager.reSync(named: "down").result
        #expect([result.saved, result.unchanged] == [1, 1])
        expect(
            try await world.dump(),
            """
            syncs:
              1 down DONE 100/1 mark \(reportsTime ? ">" : ">=") +990s
            contacts:
              1 ann {"Name":"Ann"} +990s clean sync 1
              2 bob {"Name":"Bob"} +401s clean sync 1
            server:
              ann {"Name":"Ann"} +990s
              bob {"Name":"Bob"} +401s
            asked:
              query >= +\(reportsTime ? 400 : 390)s
            """)
    }

    @Test func `Without a lookback a late change is missed`() async throws {
        let world = try await world([:])
        world.server.put("bob", ["Name": "Bob"], at: Moment.after(401))
        #expect(try await world.manager.reSync(named: "down").result.saved == 0)
        #expect(world.server.log == ["query > +990s"])
    }

    @Test func `Nothing is fetched again after a time without changes`() async throws {
        let world = try await world()
        for _ in 1...3 {
            world.clock.advance(by: .seconds(600))
            try await world.run("down")
        }
        #expect(world.server.log == ["query >= +400s", "query > +990s", "query > +990s"])
        expect(try await world.syncs(), ["1 down DONE 100/0 mark > +990s"])
    }

    /// Otherwise the query finds a record again and again that the server changed without a new date.
    @Test func `A target that returns all changes moves on without new dates`() async throws {
        var target = Self.lookback
        target["hasAllChanges"] = true
        let world = try await world(target)
        for _ in 1...3 {
            world.clock.advance(by: .seconds(600))
            try await world.run("down")
        }
        #expect(world.server.log == ["query >= +400s", "query >= +1000s", "query >= +1600s"])
    }

    @Test(arguments: MergeMode.allCases)
    func `Local changes of a record that is fetched again stay`(mode: MergeMode) async throws {
        let world = try await world(mode: mode)
        try await world.edit("ann", "mine")
        world.clock.advance(by: .seconds(5))
        let result = try await world.manager.reSync(named: "down").result
        #expect([result.saved, result.unchanged, result.skipped, result.replaced] == [0, 1, 0, 0])
        expect(try await world.entries(), ["1 ann {\"Name\":\"mine\"} +990s local+updated sync 1"])
        expect(try await world.syncs(), ["1 down DONE 100/0 mark > +990s"])
        #expect(try await world.manager.syncs().first?.unsynced == SyncState.UnsyncedCounts())
    }

    @Test(arguments: MergeMode.allCases)
    func `A late change meets local changes`(mode: MergeMode) async throws {
        let world = try await world(mode: mode)
        try await world.edit("ann", "mine")
        world.server.put("ann", ["Name": "theirs"], at: Moment.after(995))
        world.clock.advance(by: .seconds(5))
        let result = try await world.manager.reSync(named: "down").result
        switch mode {
        case .overwrite:
            #expect([result.saved, result.replaced] == [1, 1])
            expect(try await world.entries(), ["1 ann {\"Name\":\"theirs\"} +995s clean sync 1"])
        case .leaveIfChanged:
            #expect(result.skipped == 1)
            // The change is fetched when the local one is resolved, however late.
            _ = try await world.manager.discardChanges(of: [1], in: "contacts")
            world.clock.advance(by: .seconds(90_000))
            try await world.run("down")
            expect(try await world.entries(), ["1 ann {\"Name\":\"theirs\"} +995s clean sync 1"])
        case .merge:
            #expect(result.conflicted == 1)
        }
    }

    @Test func `A deletion that is not synced yet keeps its entry`() async throws {
        let world = try await world(mode: .overwrite)
        try await world.delete("ann")
        try await world.run("down")
        expect(try await world.entries(), ["1 ann {\"Name\":\"Ann\"} +990s local+deleted sync 1"])
    }

    /// Records between the last saved one and the mark may still be missing.
    @Test func `An interrupted query looks back again`() async throws {
        let world = try await world(["lookback": 600, "pageSize": 1])
        world.clock.advance(by: .seconds(100))
        for (name, date) in [("bob", 500), ("cas", 600), ("dan", 700)] {
            world.server.put(name, ["Name": .string(name)], at: Moment.after(Int64(date)))
        }
        world.server.with { state in
            let third = state.pages + 3
            state.onPage = { if $0 >= third { throw SoupError(.cursorExpired, "too old") } }
        }
        try await world.run("down")
        world.server.with { $0.onPage = nil }
        world.clock.advance(by: .seconds(100_000))
        // Without the cursor.
        try await world.manager.rewind(named: "down", to: .after(100_000))
        try await world.run("down")
        let names = try await world.entries().map { String($0.split(separator: " ")[1]) }
        #expect(names.sorted() == ["ann", "bob", "cas", "dan"])
    }

    @Test func `A row of a mobile SDK starts before its mark`() async throws {
        let world = try await world()
        try await world.store.write { writer in
            let stamp = RecordBatch.Stamp().setting("starts", nil)
            _ = try writer.stamp([EntryStamp(id: 1, stamp: stamp)], in: "syncs_soup")
        }
        try await world.run("down")
        #expect(world.server.log == ["query >= +390s"])
    }

    @Test func `A rewound sync starts at the time`() async throws {
        let world = try await world()
        try await world.manager.rewind(named: "down", to: .after(50))
        try await world.run("down")
        #expect(world.server.log == ["query >= +50s"])
    }

    @Test func `Deletions are requested from before the last request`() async throws {
        let world = try await world(["lookback": 600, "reportsDeletions": true])
        world.clock.advance(by: .seconds(5))
        try await world.run("down")
        #expect(world.server.log == ["query >= +400s", "deleted since +400s"])
    }

    @Test func `A watch looks back for deletions once in the period`() async throws {
        let world = try await world(["lookback": 600, "reportsDeletions": true])
        let id = try #require(try await world.manager.syncs().first?.id)
        for name in ["bob", "cas", "dan"] { world.server.put(name, ["Name": "n"]) }
        try await world.run("down")
        world.server.clearLog()
        // The first of these rounds looks back; its server time is +1000s.
        for _ in 1...5 {
            world.clock.advance(by: .seconds(201))
            _ = try await world.manager.reSync(id: id, skippingLookback: true).result
        }
        #expect(
            world.server.log.filter { $0.hasPrefix("deleted") } == [
                "deleted since +1000s", "deleted since +1201s", "deleted since +400s", "deleted since +1603s",
                "deleted since +1804s",
            ])
        // Deletions that were dated before the last round that looked back, and committed after it.
        world.server.remove("bob", at: Moment.after(1004))
        world.clock.advance(by: .seconds(201))
        _ = try await world.manager.reSync(id: id, skippingLookback: true).result
        #expect(world.server.log.last == "deleted since +1003s")
        expect(try await world.entries().map { String($0.split(separator: " ")[1]) }, ["ann", "cas", "dan"])
        // A run that does not skip begins from the earlier time, too.
        world.clock.advance(by: .seconds(100))
        _ = try await world.manager.reSync(id: id, skippingLookback: true).result
        world.server.remove("cas", at: Moment.after(1700))
        #expect(try await world.manager.cleanResyncGhosts(named: "down") == 1)
    }

    @Test func `A watch looks back if the clock was set back`() async throws {
        let world = try await world()
        let id = try #require(try await world.manager.syncs().first?.id)
        world.clock.advance(by: .seconds(-500))
        world.server.put("bob", ["Name": "Bob"], at: Moment.after(401))
        _ = try await world.manager.reSync(id: id, skippingLookback: true).result
        #expect(world.server.log == ["query >= +400s"])
        #expect(try await world.entries().count == 2)
    }

    @Test func `A watch looks back once in the period`() async throws {
        let world = try await world()
        let id = try #require(try await world.manager.syncs().first?.id)
        func run() async throws {
            _ = try await world.manager.reSync(id: id, skippingLookback: true).result
        }
        for number in 1...3 {
            world.clock.advance(by: .seconds(199))
            world.server.put("r\(number)", ["Name": "n"])
            world.clock.advance(by: .seconds(2))
            try await run()
        }
        #expect(world.server.log == ["query > +990s", "query > +1199s", "query >= +400s"])
        // A change that was dated before the first of these queries is found by the next one that looks back.
        world.server.put("late", ["Name": "n"], at: Moment.after(1004))
        world.clock.advance(by: .seconds(300))
        try await run()
        world.clock.advance(by: .seconds(300))
        try await run()
        #expect(world.server.log.suffix(2) == ["query > +1601s", "query >= +1003s"])
        #expect(try await world.entries().contains { $0.contains(" late ") })
    }
}
