// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Every kind of trouble at every request of a run of every target: after it, and one more run, store and org are
/// equal.
///
/// A run of the tests takes every second pair of a target and a trouble, and of these every third request, or fewer;
/// with `SOUPKIT_MATRIX=all` it takes all.
@Suite struct DownFaultTests {
    static let scenarios = DownTargetsTests.scenarios + [.soql, .bulk, .mru, .tree]
    /// One request each, and nothing that anybody changes.
    static let descriptions: [DownScenario] = [.layout, .metadata]
    private static let tally = Tally()

    private func world(
        _ scenario: DownScenario, wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) async throws -> DownWorld {
        try await DownWorld(scenario, bulkPageSize: 3, clock: .advancing(), wrap: wrap)
    }

    @Test(arguments: scenarios + descriptions, Trouble.ofPulls) func `Store and org are equal afterwards`(
        scenario: DownScenario, trouble: Trouble
    ) async throws {
        let pair = "\(scenario.testDescription) \(trouble.testDescription)"
        guard MatrixSample.takes(pair, oneOf: 2) else { return }
        let seed = MatrixSample.number(of: pair)
        // A search is one request.
        let isOne = scenario.testDescription == "sosl" || scenario.description != nil
        let step = MatrixSample.takesAll || isOne ? 1 : 3
        var number = trouble.lasts ? 1 : 1 + seed % step
        var cells = 0
        while true {
            let world = try await world(scenario)
            world.org.add(OrgFault(trouble.effect, id: "trouble", nth: trouble.lasts ? [] : [number]))
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
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
            cells += 1
            if trouble.lasts { break }
            number += step
        }
        #expect(cells > 0)
        tell(cells, scenario, trouble)
    }

    private func tell(_ cells: Int, _ scenario: DownScenario, _ trouble: Trouble) {
        let (name, total) = ("\(scenario.testDescription), \(trouble.testDescription)", Self.tally.add(cells))
        print("faults of pulls: \(name): \(cells) cells, \(total) in all")
    }

    /// What is edited and made here before a run that brings everything again, and at the very request at which it is
    /// struck, is there in the end, and still to be pushed.
    ///
    /// A run of the tests takes one request.
    @Test(arguments: scenarios, Trouble.ofPulls) func `What is changed here stays`(
        scenario: DownScenario, trouble: Trouble
    ) async throws {
        let pair = "\(scenario.testDescription) \(trouble.testDescription)"
        guard MatrixSample.takes(pair, oneOf: 2) else { return }
        let seed = MatrixSample.number(of: pair)
        let isOne = MatrixSample.takesAll || trouble.lasts || scenario.testDescription == "sosl"
        var number = isOne ? 1 : 1 + seed % 3
        var cells = 0
        while true {
            var hooked: HookedTransport?
            let world = try await world(scenario) { base in
                let transport = HookedTransport(base)
                hooked = transport
                return transport
            }
            #expect(try await world.run().state.status == .done)
            // The fourth and the sixth are edited on both sides.
            try world.edit("a1", "a4", "a6", "a9", "c1", to: "theirs")
            let changes = LocalChanges(world)
            try await changes.make(4, "before")
            let definition = try #require(world.kit.configuration[.user].syncs?.syncs.first)
            try await world.kit.syncs.redefine(definition)
            world.org.add(OrgFault(trouble.effect, id: "trouble", nth: trouble.lasts ? [] : [number]))
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
            let (struck, requests) = (number, Tally())
            hooked?.hook(before: { if requests.add(1) == struck { try await changes.make(6, "while") } })
            #expect([.done, .failed].contains(try await world.run().state.status))
            if !trouble.lasts, world.org.faults.first(where: { $0.fault.id == "trouble" })?.fired == 0 { break }
            #expect(try await changes.lines() == changes.made, "request \(number)")
            world.org.removeFault()
            for text in ["after the trouble", "later"] {
                let mended = try await world.run()
                #expect(mended.state.status == .done, "request \(number): \(mended.state.error)")
                _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
                #expect(try await world.storeLines() == changes.expected(), "request \(number)")
                try world.edit("a2", "a4", "c3", to: text)
            }
            cells += 1
            if trouble.lasts || !MatrixSample.takesAll { break }
            number += 1
        }
        #expect(cells > 0)
        tell(cells, scenario, trouble)
    }

    /// The run that follows goes on where the broken one was; what changed on the pages before comes with the one
    /// after.
    @Test(arguments: scenarios) func `What changes while a sync is broken comes`(scenario: DownScenario) async throws {
        for number in 1...4 {
            let world = try await world(scenario)
            world.org.add(OrgFault(.drop(.accept), nth: [number]))
            _ = try await world.run()
            try world.edit("a1", "a2", "a9", "c1", "c10", to: "meanwhile")
            _ = try await world.run()
            _ = try await world.run()
            #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
        }
    }

    /// Somebody edits, makes and deletes records in front of any page but the first.
    @Test(arguments: scenarios.filter { !$0.startsFromIds && !$0.startsFromViews })
    func `What changes between pages comes`(scenario: DownScenario) async throws {
        var number = 1
        while true {
            let world = try await world(scenario)
            let contact = scenario.parts.count > 1
            let changes: [OrgFault.RowChange] =
                [
                    .edit(object: "Account", id: "@a1", values: ["Description": "edited on a page that came"]),
                    .edit(object: "Account", id: "@a9", values: ["Description": "edited on a page to come"]),
                    .insert(object: "Account", values: ["Name": "Acme that is new"]),
                    .delete(object: "Account", id: "@a2"), .delete(object: "Account", id: "@a8"),
                ]
                + (contact
                    ? [
                        .edit(object: "Contact", id: "@c1", values: ["Title": "edited"]),
                        .edit(object: "Contact", id: "@c10", values: ["Title": "edited"]),
                    ] : [])
            world.org.add(OrgFault(.mutateBetweenPages(changes), id: "changes", nth: [number]))
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
            _ = try await world.run()
            if world.org.faults.first(where: { $0.fault.id == "changes" })?.fired == 0 { break }
            world.org.removeFault()
            _ = try await world.run()
            _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
            #expect(try await world.storeLines() == world.orgLines(), "page \(number)")
            number += 1
        }
        // A search, the ids of a briefcase and the result of a job have no pages of a query.
        #expect(number > 1 || ["sosl", "briefcase", "soql by a job"].contains(scenario.testDescription))
    }

    /// A record that is deleted before its page came is missing rightly, also when another one was made meanwhile: a
    /// long run would never end in an org that is used.
    @Test(arguments: scenarios.filter { !$0.startsFromIds && !$0.startsFromViews })
    func `A run ends while records come and go`(scenario: DownScenario) async throws {
        let world = try await world(scenario)
        world.org.add(
            OrgFault(
                .mutateBetweenPages([
                    .insert(object: "Account", values: ["Name": "Acme that is new"]),
                    .edit(object: "Account", id: "@a9", values: ["Description": "edited on a page to come"]),
                    .delete(object: "Account", id: "@a8"),
                ]), id: "changes", nth: [1]))
        world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
        let first = try await world.run()
        #expect(first.state.status == .done, "\(first.state.error)")
        world.org.removeFault()
        #expect(try await world.run().state.status == .done)
        _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
        #expect(try await world.storeLines() == world.orgLines())
    }
}
