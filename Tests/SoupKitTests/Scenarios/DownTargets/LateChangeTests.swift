// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupSync
import SoupTesting
import Testing

/// Changes that the org dates before a query and commits after it, and changes without a new modification date.
@Suite struct LateChangeTests {
    static let scenarios: [DownScenario] = [.soql, .tree, .refresh, .briefcase]

    /// A world whose last run fetched a change of `a1`, so that its high-water mark is recent.
    private func world(_ scenario: DownScenario, lookback: Int? = nil) async throws -> DownWorld {
        var scenario = scenario
        if let lookback { scenario.target = #"{"lookback": \#(lookback), \#(scenario.target.dropFirst())"# }
        let world = try await DownWorld(scenario)
        #expect(try await world.run().state.status == .done)
        world.clock.advance(by: .seconds(3600))
        try world.edit("a1", to: "new")
        if scenario.levels.count > 1 { try world.edit("c1", to: "new") }
        #expect(try await world.run().state.status == .done)
        return world
    }

    private func changeLate(_ world: DownWorld, by time: Duration) throws {
        try world.org.edit("Account", id: world.id("a2"), ["Description": .string("\(time)")], taking: time)
        if world.scenario.levels.count > 1 {
            try world.org.edit("Contact", id: world.id("c3"), ["Title": .string("\(time)")], taking: time)
        }
    }

    @Test(arguments: scenarios) func `Late changes of every level are fetched`(scenario: DownScenario) async throws {
        let world = try await world(scenario)
        for seconds in [1, 300, 590] {
            try changeLate(world, by: .seconds(seconds))
            let result = try await world.run()
            #expect(result.saved == scenario.levels.count)
            #expect(try await world.storeLines() == world.orgLines())
        }
        // A record that was created late.
        if !scenario.startsFromIds {
            try world.org.insert("Account", ["Name": "Acme late"], taking: .seconds(500))
            _ = try await world.run()
            #expect(try await world.storeLines() == world.orgLines())
        }
        // After a time without changes, nothing is fetched again.
        world.clock.advance(by: .seconds(600))
        _ = try await world.run()
        world.clock.advance(by: .seconds(600))
        let idle = try await world.run()
        #expect([idle.saved, idle.unchanged] == [0, 0])
    }

    @Test(arguments: scenarios) func `The lookback can be set`(scenario: DownScenario) async throws {
        let none = try await world(scenario, lookback: 0)
        try changeLate(none, by: .seconds(60))
        #expect(try await none.run().saved == 0)
        #expect(try await none.storeLines() != none.orgLines())
        let long = try await world(scenario, lookback: 7200)
        try changeLate(long, by: .seconds(7000))
        _ = try await long.run()
        #expect(try await long.storeLines() == long.orgLines())
    }

    /// The org changes only `SystemModstamp`, which is later than the modification date.
    @Test(arguments: [DownScenario.soql, .tree, .briefcase])
    func `A record that is undeleted is fetched`(scenario: DownScenario) async throws {
        let world = try await world(scenario)
        try world.delete("a4")
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        world.clock.advance(by: .seconds(3600))
        _ = try await world.run()
        try world.org.undelete(id: world.id("a4"))
        world.clock.advance(by: .seconds(60))
        _ = try await world.run()
        #expect(try await world.storeLines() == world.orgLines())
        // Its modification date stays before the high-water mark, but it is not fetched for ever.
        for _ in 1...2 {
            world.clock.advance(by: .seconds(900))
            _ = try await world.run()
        }
        let idle = try await world.run()
        #expect([idle.saved, idle.unchanged] == [0, 0])
    }

    /// The records come back unchanged, with those that changed late.
    @Test(arguments: scenarios, MergeMode.allCases)
    func `Local changes of unchanged records stay`(scenario: DownScenario, mode: MergeMode) async throws {
        let world = try await DownWorld(scenario, mergeMode: mode, clock: ManualClock(now: DownWorld.seedTime(20)))
        _ = try await world.run()
        let (edited, deleted) = (try #require(try await world.entry("a2")), try #require(try await world.entry("a3")))
        try await world.kit.store.edit(edited.id, setting: ["Description": "mine"], in: "accounts")
        try await world.kit.store.delete(deleted.id, in: "accounts")
        let local = try await world.storeLines().filter { $0.contains("__local__") }
        #expect(local.count == 2)
        try world.org.edit("Account", id: world.id("a1"), ["Description": "late"], taking: .seconds(5))
        let result = try await world.run()
        #expect([result.saved, result.skipped, result.replaced, result.conflicted] == [1, 0, 0, 0])
        #expect(try await world.storeLines().filter { $0.contains("__local__") } == local)
        #expect(try await world.kit.syncs.conflicts() == [])
        #expect(try await world.kit.syncs.syncs().first?.unsynced == SyncState.UnsyncedCounts())
    }
}
