// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Rules for every target that fetches records, with an org; store and org are compared as a whole.
@Suite struct DownTargetsTests {
    static let scenarios: [DownScenario] = [.sosl, .refresh, .briefcase]

    @Test(arguments: scenarios) func `The first run fetches everything and the next nothing`(scenario: DownScenario)
        async throws
    {
        let world = try await DownWorld(scenario)
        let first = try await world.run()
        #expect(first.state.status == .done)
        #expect(first.saved == 10 * scenario.levels.count)
        #expect(try await world.storeLines() == world.orgLines())
        let second = try await world.run()
        #expect(second.state.status == .done)
        #expect(second.saved == 0)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: scenarios) func `Changed records are fetched`(scenario: DownScenario) async throws {
        let world = try await DownWorld(scenario)
        _ = try await world.run()
        try world.edit("a1", "a3", "a10", "c2", to: "changed")
        let changed = scenario.levels.count == 1 ? 3 : 4
        #expect(try await world.run().saved == changed)
        #expect(try await world.storeLines() == world.orgLines())
        // A record that changed later in the second of the run's query is fetched, too.
        try world.edit("a2", to: "in the same second")
        #expect(try await world.run().saved == 1)
        #expect(try await world.storeLines() == world.orgLines())
        let quiet = try await world.run()
        #expect(quiet.saved == 0)
        // After the lookback, nothing is fetched again.
        for _ in 1...2 {
            world.clock.advance(by: .seconds(600))
            #expect(try await world.run().saved == 0)
        }
        if scenario.testDescription != "sosl" { #expect(try await world.run().unchanged == 0) }
    }

    /// A parent with a local change holds the high-water mark back, so that other records are fetched again: with their
    /// parents, and as children alone.
    @Test func `Children that are fetched twice are counted once`() async throws {
        let world = try await DownWorld(.tree)
        _ = try await world.run()
        let mine = try #require(try await world.entry("a2"))
        try await world.kit.store.edit(mine.id, setting: ["Name": "mine"], in: "accounts")
        try world.edit("a1", "c1", "a2", "a3", "c3", to: "changed")
        #expect(try await world.run().saved == 4)
        let again = try await world.run()
        #expect([again.saved, again.skipped] == [0, 2])
    }

    @Test func `Ghosts of trees are counted by soup`() async throws {
        let world = try await DownWorld(.tree)
        _ = try await world.run()
        try world.delete("c3", "c4")
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 0, "parents")
        try world.delete("c5", "c6", "a7", "c8")
        #expect(try await world.kit.syncs.cleanResyncGhostsBySoup(named: "down") == ["accounts": 1, "contacts": 4])
        #expect(try await world.storeLines() == world.orgLines())
        #expect(try await world.kit.syncs.cleanResyncGhostsBySoup(named: "down") == [:])
    }

    @Test(arguments: scenarios) func `Ghosts are removed and dirty entries are kept`(scenario: DownScenario)
        async throws
    {
        let world = try await DownWorld(scenario)
        _ = try await world.run()
        try world.delete("a1", "a2", "a7", "c1", "c5")
        let kept = try #require(try await world.entry("a2"))
        try await world.kit.store.edit(kept.id, setting: ["Description": "mine"], in: "accounts")
        let created = try await world.kit.store.create(["Name": "Acme new"], type: "Account", in: "accounts")
        _ = try await world.run()
        let ghosts = scenario.levels.count == 1 ? 2 : 4
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == ghosts)
        let extra = try await world.storeLines().filter { $0.contains("__local__") }
        #expect(extra.count == 2 && extra.contains { $0.contains("mine") })
        #expect(try await world.storeLines().filter { !extra.contains($0) } == world.orgLines())
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 0)
        #expect(try await world.kit.store.retrieve([created.id], from: "accounts").count == 1)
    }

    @Test(arguments: scenarios) func `Local changes are skipped`(scenario: DownScenario) async throws {
        let world = try await DownWorld(scenario)
        _ = try await world.run()
        let edited = try #require(try await world.entry("a1"))
        let deleted = try #require(try await world.entry("a2"))
        try await world.kit.store.edit(edited.id, setting: ["Description": "mine"], in: "accounts")
        try await world.kit.store.delete(deleted.id, in: "accounts")
        let before = try await world.storeLines()
        try world.edit("a1", "a2", "a3", to: "theirs")
        let result = try await world.run()
        #expect(result.skipped == 2)
        let mine = before.filter { $0.contains("__local__") }
        #expect(mine.count == 2)
        #expect(try await world.storeLines().filter { $0.contains("__local__") } == mine)
        let ids = [world.id("a1"), world.id("a2")]
        func others(_ lines: [String]) -> [String] { lines.filter { line in !ids.contains { line.contains($0) } } }
        #expect(others(try await world.storeLines()) == others(try world.orgLines()))
        // They held the high-water mark back: after they are discarded, the server's version is fetched.
        for id in [edited.id, deleted.id] { try await world.discardChanges(of: id) }
        _ = try await world.run()
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: scenarios) func `Overwrite replaces local changes`(scenario: DownScenario) async throws {
        let world = try await DownWorld(scenario, mergeMode: .overwrite)
        _ = try await world.run()
        let edited = try #require(try await world.entry("a1"))
        try await world.kit.store.edit(edited.id, setting: ["Description": "mine"], in: "accounts")
        world.clock.advance(by: .seconds(1))
        try world.edit("a1", to: "theirs")
        #expect(try await world.run().replaced == 1)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: scenarios) func `A run that is cancelled at any request resumes`(scenario: DownScenario)
        async throws
    {
        var number = 0
        var isWhole = false
        while !isWhole {
            number += 1
            let world = try await DownWorld(scenario)
            world.clock.advance(by: .seconds(10))
            world.transport.hold(number)
            let run = try await world.kit.syncs.reSync(named: "down")
            let arrival = Task { await world.transport.arrived() }
            let end = Task {
                defer { arrival.cancel() }
                return await run.result
            }
            await arrival.value
            isWhole = world.transport.requests.count < number
            run.cancel()
            let result = await end.value
            #expect(result.state.status == (isWhole ? .done : .stopped), "request \(number)")
            world.transport.hold(nil)
            let second = try await world.run()
            #expect(second.state.status == .done)
            #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
            if isWhole { break }
            #expect(second.saved + result.saved == 10 * scenario.levels.count, "no page is fetched twice")
            #expect(try await world.run().saved == 0)
        }
        #expect(number > (scenario.hasOneRequest ? 1 : 4))
    }

    @Test(arguments: [DownScenario.refresh, .briefcase]) func `Rows that change during a run are not missed`(
        scenario: DownScenario
    ) async throws {
        let world = try await DownWorld(scenario)
        world.clock.advance(by: .seconds(10))
        world.transport.hold(3)
        let run = try await world.kit.syncs.reSync(named: "down")
        await world.transport.arrived()
        // Some of them were already fetched.
        try world.edit("a1", "a10", "c1", "c10", to: "meanwhile")
        try world.delete("a9")
        world.transport.release()
        #expect(await run.result.state.status == .done)
        #expect(try await world.run().state.status == .done)
        _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
        // The deleted record was never fetched, so only its entry without fields may remain.
        #expect(
            try await world.storeLines().filter { !$0.contains(world.id("a9")) } == world.orgLines())
    }
}

extension DownWorld {
    /// Discards the local changes of an account.
    func discardChanges(of id: Int64) async throws {
        _ = try await kit.store.write { writer in
            try writer.stamp([EntryStamp(id: id, stamp: .clean)], in: "accounts")
        }
    }
}
