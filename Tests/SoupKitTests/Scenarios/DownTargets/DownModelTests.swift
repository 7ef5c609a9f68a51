// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Random changes of other users in the org, with runs that start at any time and fail at any request.
///
/// After two runs without changes, store and org are equal.
@Suite struct DownModelTests {
    @Test(arguments: [DownScenario.refresh, .briefcase], UInt64(1)...12)
    func `Store and org are equal after random changes`(
        scenario: DownScenario, seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let world = try await DownWorld(scenario, accounts: 9, briefcasePageSize: 5)
        var alive = (1...9).flatMap { ["a\($0)", "c\($0)"] }
        var story: [String] = []
        for step in 1...20 {
            // Most steps share a second with the one before, so that their dates in the org are the same.
            world.clock.advance(by: .milliseconds([0, 50, 200, 2000].randomElement(using: &random) ?? 0))
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2:
                let key = alive.randomElement(using: &random) ?? "a1"
                story.append("edit \(key)")
                try world.edit(key, to: "step \(step)")
            case 3 where alive.count > 6:
                let key = alive.remove(at: Int.random(in: 0..<alive.count, using: &random))
                story.append("delete \(key)")
                try world.delete(key)
            case 4 where !scenario.startsFromIds:
                story.append("insert")
                _ = try world.org.insert("Account", ["Name": .string("Acme of step \(step)")])
            case 5, 6:
                let number = Int.random(in: 1...6, using: &random)
                story.append("run that fails at request \(number)")
                world.org.add(OrgFault(.drop(.accept), id: "break", nth: [number]))
                _ = try await world.kit.syncs.reSync(named: "down").result
                world.org.removeFault()
            default:
                story.append("run")
                #expect(try await world.kit.syncs.reSync(named: "down").result.state.status == .done)
            }
        }
        // The first may only resume a failed run.
        for _ in 1...2 { #expect(try await world.run().state.status == .done) }
        _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
        // An entry that a refresh never filled has only an ID, and is not a ghost.
        let stubs = try await world.storeLines().filter { $0.hasSuffix("[null,null]") }
        #expect(stubs.isEmpty || scenario.startsFromIds, "seed \(seed): \(story)")
        #expect(
            try await world.storeLines().filter { !stubs.contains($0) } == world.orgLines(), "seed \(seed): \(story)")
        #expect(try await world.run().saved == 0, "seed \(seed): \(story)")
    }
}
