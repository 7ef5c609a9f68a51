// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Every kind of fault at every request of a run of every target: after one more run, store and org are equal.
///
/// By default, tests every third request, or fewer, of one of five pairs of a target and a fault; with
/// `SOUPKIT_MATRIX=all`, tests all.
@Suite struct DownFaultTests {
    static let scenarios = DownTargetsTests.scenarios + [.soql, .bulk, .mru, .tree]
    /// Scenarios with one request each, for data that no user changes.
    static let descriptions: [DownScenario] = [.layout, .metadata]
    private static let counter = CellCounter()

    /// Returns the number that selects the requests of a pair; `nil` if the sample does not include the pair.
    private static func seed(_ scenario: DownScenario, _ fault: RequestFault) throws -> Int? {
        let (row, column) = (scenario.testDescription, fault.testDescription)
        let rows = (scenarios + descriptions).map(\.testDescription)
        let matrix = (rows, RequestFault.forSyncDown.map(\.testDescription))
        let isIncluded = try MatrixSample.includes(row, column, of: matrix, oneOf: 5)
        return isIncluded ? MatrixSample.number(of: "\(row) \(column)") : nil
    }

    private func world(
        _ scenario: DownScenario, wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) async throws -> DownWorld {
        try await DownWorld(scenario, bulkPageSize: 3, clock: .advancing(), wrap: wrap)
    }

    @Test(arguments: scenarios + descriptions, RequestFault.forSyncDown) func `Store and org are equal after a fault`(
        scenario: DownScenario, fault: RequestFault
    ) async throws {
        guard let seed = try Self.seed(scenario, fault) else { return }
        let step = MatrixSample.includesAll || scenario.hasOneRequest ? 1 : 3
        var number = fault.isPersistent ? 1 : 1 + seed % step
        var cells = 0
        while true {
            let world = try await world(scenario)
            world.org.add(OrgFault(fault.effect, id: "fault", nth: fault.isPersistent ? [] : [number]))
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
            let interrupted = try await world.run()
            #expect([.done, .failed, .stopped].contains(interrupted.state.status))
            let fired = world.org.faults.first { $0.fault.id == "fault" }?.fired ?? 0
            if !fault.isPersistent, fired == 0 { break }
            world.org.removeFault()
            let recovered = try await world.run()
            #expect(recovered.state.status == .done, "request \(number): \(recovered.state.error)")
            #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
            try world.edit("a2", "a9", "c3", to: "after the fault")
            _ = try await world.run()
            #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
            cells += 1
            if fault.isPersistent { break }
            number += step
        }
        #expect(cells > 0)
        report(cells, of: scenario, with: fault)
    }

    /// Prints the number of tested cells.
    private func report(_ cells: Int, of scenario: DownScenario, with fault: RequestFault) {
        let (name, total) = ("\(scenario.testDescription), \(fault.testDescription)", Self.counter.add(cells))
        print("faults of pulls: \(name): \(cells) cells, \(total) in all")
    }

    /// Local edits and creations before a run that fetches all records again, and at the request with the fault, are
    /// kept and remain to be pushed.
    ///
    /// By default, tests one request.
    @Test(arguments: scenarios, RequestFault.forSyncDown) func `Local changes are kept`(
        scenario: DownScenario, fault: RequestFault
    ) async throws {
        guard let seed = try Self.seed(scenario, fault) else { return }
        let beginsAtFirst = MatrixSample.includesAll || fault.isPersistent || scenario.hasOneRequest
        var number = beginsAtFirst ? 1 : 1 + seed % 3
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
            try await changes.apply(to: 4, text: "before")
            let definition = try #require(world.kit.configuration[.user].syncs?.syncs.first)
            try await world.kit.syncs.redefine(definition)
            world.org.add(OrgFault(fault.effect, id: "fault", nth: fault.isPersistent ? [] : [number]))
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
            let (faulty, requests) = (number, CellCounter())
            hooked?.setHooks(before: { if requests.add(1) == faulty { try await changes.apply(to: 6, text: "while") } })
            #expect([.done, .failed, .stopped].contains(try await world.run().state.status))
            if !fault.isPersistent, world.org.faults.first(where: { $0.fault.id == "fault" })?.fired == 0 { break }
            #expect(try await changes.lines() == changes.changedLines, "request \(number)")
            world.org.removeFault()
            for text in ["after the fault", "later"] {
                let recovered = try await world.run()
                #expect(recovered.state.status == .done, "request \(number): \(recovered.state.error)")
                _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
                #expect(try await world.storeLines() == changes.expected(), "request \(number)")
                try world.edit("a2", "a4", "c3", to: text)
            }
            cells += 1
            if fault.isPersistent || !MatrixSample.includesAll { break }
            number += 1
        }
        #expect(cells > 0)
        report(cells, of: scenario, with: fault)
    }

    /// The next run resumes where the interrupted one stopped; the run after it fetches changes on earlier pages.
    @Test(arguments: scenarios) func `Changes during an interruption are fetched`(scenario: DownScenario) async throws {
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

    /// Another user edits, creates and deletes records before any page except the first.
    @Test(arguments: scenarios.filter { !$0.startsFromIds && !$0.startsFromViews })
    func `Changes between pages are fetched`(scenario: DownScenario) async throws {
        var number = 1
        while true {
            let world = try await world(scenario)
            let contact = scenario.levels.count > 1
            let changes: [OrgFault.RowChange] =
                [
                    .edit(object: "Account", id: "@a1", values: ["Description": "edited on an earlier page"]),
                    .edit(object: "Account", id: "@a9", values: ["Description": "edited on a later page"]),
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
        // A search, the IDs of a briefcase and the result of a job have no query pages.
        #expect(number > 1 || ["sosl", "briefcase", "soql by a job"].contains(scenario.testDescription))
    }

    /// A record that is deleted before its page is fetched may be missing, even if another one was created meanwhile;
    /// otherwise a long run would never end in an active org.
    @Test(arguments: scenarios.filter { !$0.startsFromIds && !$0.startsFromViews })
    func `A run ends while records are created and deleted`(scenario: DownScenario) async throws {
        let world = try await world(scenario)
        world.org.add(
            OrgFault(
                .mutateBetweenPages([
                    .insert(object: "Account", values: ["Name": "Acme that is new"]),
                    .edit(object: "Account", id: "@a9", values: ["Description": "edited on a later page"]),
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
