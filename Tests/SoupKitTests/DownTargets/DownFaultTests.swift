// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import LocalOrg
import MobileSync
import SoupCore
import SoupKit
import Testing

/// Every kind of trouble at every request of a run: after it, and one more run, store and org are equal.
@Suite struct DownFaultTests {
    @Test(arguments: DownTargetsTests.scenarios, Trouble.ofPulls) func storeAndOrgAreEqualAfterwards(
        scenario: DownScenario, trouble: Trouble
    ) async throws {
        var number = 1
        while true {
            let world = try await DownWorld(scenario)
            if trouble.lasts { world.org.add(OrgFault(.shrinkPages(2), id: "pages")) }
            world.org.add(OrgFault(trouble.effect, id: "trouble", nth: trouble.lasts ? [] : [number]))
            let struck = try await world.run()
            #expect([.done, .failed].contains(struck.state.status))
            let fired = world.org.faults.first { $0.fault.id == "trouble" }?.fired ?? 0
            if !trouble.lasts, fired == 0 { break }
            world.org.removeFault()
            let mended = try await world.run()
            #expect(mended.state.status == .done, "request \(number): \(mended.state.error)")
            #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
            try world.edit("a2", "a9", "c3", to: "after the trouble")
            _ = try await world.run()
            #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
            if trouble.lasts { break }
            number += 1
        }
        #expect(number > 1 || trouble.lasts)
    }

    /// The run that follows goes on where the broken one was; what changed on the pages before comes with the one
    /// after.
    @Test(arguments: DownTargetsTests.scenarios) func whatChangesWhileASyncIsBrokenComes(
        scenario: DownScenario
    ) async throws {
        for number in 1...4 {
            let world = try await DownWorld(scenario)
            world.org.add(OrgFault(.drop(.accept), nth: [number]))
            _ = try await world.run()
            try world.edit("a1", "a2", "a9", "c1", "c10", to: "meanwhile")
            _ = try await world.run()
            _ = try await world.run()
            #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
        }
    }
}
