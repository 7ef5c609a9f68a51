// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Responses that contradict themselves, or that a gateway between the app and the org sends.
///
/// Because of them, no entry is removed, and no record counts as fetched.
@Suite struct DamagedResponseTests {
    static let scenarios: [DownScenario] = [.soql, .bulk, .mru, .tree, .sosl, .refresh, .briefcase]

    private func world(_ scenario: DownScenario) async throws -> (DownWorld, DamagingTransport) {
        var damaging: DamagingTransport?
        let world = try await DownWorld(scenario, accounts: 24, bulkPageSize: 30, clock: .advancing()) { base in
            let transport = DamagingTransport(base)
            damaging = transport
            return transport
        }
        return (world, try #require(damaging))
    }

    @Test(arguments: scenarios, DamagedResponse.allCases)
    func `Cleaning ghosts removes nothing`(scenario: DownScenario, response: DamagedResponse) async throws {
        let (world, transport) = try await world(scenario)
        #expect(try await world.run().state.status == .done)
        try world.delete("a3", "c4")
        let before = try await world.storeLines()
        transport.damage(response)
        for all in [false, true] {
            let error = await #expect(throws: SoupError.self) {
                try await world.kit.syncs.cleanResyncGhosts(named: "down", all: all)
            }
            #expect(error?.hint != nil)
            #expect(try await world.storeLines() == before)
        }
        transport.damage(nil)
        _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: scenarios + [.layout, .metadata], DamagedResponse.allCases)
    func `A run without all its records is not done`(scenario: DownScenario, response: DamagedResponse) async throws {
        // A description is one record, whose ID is not in the response.
        if scenario.description != nil, response == .rowsWithoutIds { return }
        let (world, transport) = try await world(scenario)
        transport.damage(response)
        let damaged = try await world.run()
        if damaged.state.status == .done {
            #expect(try await world.storeLines() == world.orgLines())
        } else {
            #expect(damaged.state.status == .failed)
            #expect(damaged.error?.hint != nil)
            #expect(damaged.state.maxTimeStamp == nil)
        }
        transport.damage(nil)
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// Without `announcesMore`, which contains a record that the org does not have; the run saves it before it fails.
    @Test(arguments: DamagedResponse.allCases.filter { $0 != .announcesMore })
    func `A damaged list of deletions removes nothing`(response: DamagedResponse) async throws {
        let (world, transport) = try await world(.soql("soql", #", "deletes": "incremental""#))
        #expect(try await world.run().state.status == .done)
        let before = try await world.storeLines()
        try world.delete("a3")
        transport.damage(response)
        _ = try await world.run()
        #expect(try await world.storeLines() == before)
        transport.damage(nil)
        #expect(try await world.run().ghosts == 1)
        #expect(try await world.storeLines() == world.orgLines())
    }

    private static let counter = CellCounter()

    /// One damaged response, at each request of a run and of a cleaning.
    ///
    /// By default, tests a few requests of one of eight pairs; with `SOUPKIT_MATRIX=all`, tests all.
    @Test(arguments: scenarios + [.layout, .metadata], DamagedResponse.allCases)
    func `Both sides are equal after one damaged response`(scenario: DownScenario, response: DamagedResponse)
        async throws
    {
        if scenario.description != nil, response == .rowsWithoutIds { return }
        let (row, column) = (scenario.testDescription, response.testDescription)
        let rows = (Self.scenarios + [.layout, .metadata]).map(\.testDescription)
        let matrix = (rows, DamagedResponse.allCases.map(\.testDescription))
        guard try MatrixSample.includes(row, column, of: matrix, oneOf: 8) else { return }
        let seed = MatrixSample.number(of: "\(row) \(column)")
        let step = MatrixSample.includesAll || scenario.hasOneRequest ? 1 : 5
        // The shortest run with several requests has three.
        var number = 1 + seed % min(step, 3)
        var cells = 0
        while true {
            let (world, transport) = try await world(scenario)
            world.org.add(OrgFault(.shrinkPages(10), id: "pages"))
            transport.damage(response, number: number)
            let damaged = try await world.run()
            let runRequests = transport.requests
            transport.damage(nil)
            if damaged.state.status == .done {
                #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
            }
            #expect(try await world.run().state.status == .done, "request \(number)")
            #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
            var cleanRequests = 0
            if scenario.description == nil {
                try world.delete("a3", "c4")
                let before = try await world.storeLines()
                transport.damage(response, number: number)
                let removed = try? await world.kit.syncs.cleanResyncGhosts(named: "down")
                cleanRequests = transport.requests
                transport.damage(nil)
                if removed == nil { #expect(try await world.storeLines() == before, "request \(number)") }
                _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
                #expect(try await world.storeLines() == world.orgLines(), "request \(number)")
            }
            guard number <= max(runRequests, cleanRequests) else { break }
            cells += (number <= runRequests ? 1 : 0) + (number <= cleanRequests ? 1 : 0)
            number += step
        }
        #expect(cells > 0)
        let name = "\(scenario.testDescription), \(response.testDescription)"
        print("damaged responses of pulls: \(name): \(cells) cells, \(Self.counter.add(cells)) in all")
    }

    @Test func `One impossible ID does not prevent the refresh of others`() async throws {
        let (world, _) = try await world(.refresh)
        try await world.kit.store.upsert(["Id": "it's none"], into: "accounts")
        let run = try await world.kit.syncs.reSync(named: "down")
        var outcomes: [RecordOutcome] = []
        for await case .outcome(let outcome) in run.events() { outcomes.append(outcome) }
        let result = await run.result
        #expect(result.state.status == .done && result.saved == 24)
        #expect(result.failed == 1 && !result.isComplete && result.state.unsynced.failed == 1)
        #expect(outcomes.map(\.id) == ["it's none"])
        #expect(outcomes.first?.error?.code == "IMPOSSIBLE_ID" && outcomes.first?.action == .fetch)
        #expect(try await world.storeLines().filter { !$0.contains("it's none") } == world.orgLines())
        let later = try await world.run()
        #expect(later.state.status == .done && later.failed == 1)
        // Ghost cleaning keeps the entry, too.
        try world.delete("a3")
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        #expect(try await world.storeLines().contains { $0.contains("it's none") })
    }
}
