// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// Every strange answer at every request of every target: afterwards no edit is lost, no record is doubled and no
/// entry is removed that the org still has.
///
/// A run of the tests takes one request of every second pair of a target and an answer, for pushes of every eighth;
/// with `SOUPKIT_MATRIX=all` it takes all requests of all pairs.
@Suite struct AnswerMatrixTests {
    static let pushes = MatrixScenarios.all + MatrixScenarios.further
    static let pulls =
        DownTargetsTests.scenarios + [.soql, .bulk, .mru, .tree, .deletions] + DownFaultTests.descriptions
    private static let tally = Tally()

    @Test(arguments: pushes, StrangeAnswer.allCases) func `A push loses and doubles nothing`(
        scenario: SyncScenario, answer: StrangeAnswer
    ) async throws {
        guard MatrixSample.takes("\(scenario) \(answer.rawValue)", oneOf: 8) else { return }
        try await forEachCell("\(scenario)", answer) { plan, comment in
            var gateway: StrangeTransport?
            let world = try await MatrixWorld(scenario) { base in
                let transport = StrangeTransport(base, wire: WireDouble())
                gateway = transport
                return transport
            }
            let transport = try #require(gateway)
            world.clock.advance(by: 10_000)
            #expect(try await world.kit.syncs.reSync(named: "down").result().state.status == .done)
            try await world.changeBothSides()
            transport.follow(plan)
            try await world.sync()
            let (count, struck) = (transport.count, transport.struck)
            transport.follow(nil)
            guard struck > 0 else { return (count, false) }
            try await world.settle()
            #expect(try world.orgLines() == world.expected, comment)
            #expect(try await world.storeLines() == world.expected, comment)
            #expect(try await world.kit.syncs.syncs().map(\.status) == [.done, .done], comment)
            #expect(try await world.kit.syncs.unknownCreations() == [:], comment)
            #expect(try await world.kit.syncs.conflicts() == [], comment)
            return (count, true)
        }
    }

    @Test(arguments: pulls, StrangeAnswer.allCases) func `A pull removes and misses nothing`(
        scenario: DownScenario, answer: StrangeAnswer
    ) async throws {
        guard MatrixSample.takes("\(scenario.testDescription) \(answer.rawValue)", oneOf: 2) else { return }
        try await forEachCell(scenario.testDescription, answer) { plan, comment in
            var gateway: StrangeTransport?
            let world = try await DownWorld(scenario, bulkPageSize: 3, clock: .advancing()) { base in
                let transport = StrangeTransport(base, wire: WireDouble())
                gateway = transport
                return transport
            }
            let transport = try #require(gateway)
            // Pages of two, so that a query has several.
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
            transport.follow(plan)
            try await world.pullAndClean(comment)
            try world.edit("a2", "a9", "c3", to: "changed there")
            try world.delete("c4", "a4")
            try await world.pullAndClean(comment)
            let (count, struck) = (transport.count, transport.struck)
            transport.follow(nil)
            guard struck > 0 else { return (count, false) }
            for text in ["after the trouble", "later"] {
                #expect(try await world.run().state.status == .done, comment)
                _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
                // A refresh keeps the ID of a record that was deleted before any run fetched it.
                let deleted = world.id("a4")
                let lines = try await world.storeLines()
                let kept = scenario.startsFromIds ? lines.filter { !$0.contains(deleted) } : lines
                #expect(try kept == world.orgLines(), comment)
                try world.edit("a2", "a3", "c3", to: text)
            }
            return (count, true)
        }
    }

    /// Plays cells: a request by itself, sent on and not sent on, and all requests together.
    ///
    /// - Parameter play: returns how many requests there were, and whether one was struck.
    private func forEachCell(
        _ name: String, _ answer: StrangeAnswer,
        _ play: (StrangeTransport.Plan, Comment) async throws -> (count: Int, struck: Bool)
    ) async throws {
        let takesAll = MatrixSample.takesAll
        let seed = MatrixSample.number(of: "\(name) \(answer.rawValue)")
        var cells = 0
        for reachesServer in answer.needsNoServer ? [true, false] : [true] {
            let lasting = StrangeTransport.Plan(answer: answer, number: nil, reachesServer: reachesServer)
            // A sample begins with one of the first requests and goes on until the answer applies to one.
            var number = takesAll ? 1 : 1 + (seed + (reachesServer ? 0 : 1)) % 5
            if takesAll, try await play(lasting, "\(name), \(answer.rawValue) to every request").struck { cells += 1 }
            while true {
                var plan = lasting
                plan.number = number
                let (count, struck) = try await play(plan, "\(name), \(answer.rawValue) to request \(number)")
                if struck { cells += 1 }
                number += 1
                if number > count || (struck && !takesAll) { break }
            }
        }
        print("strange answers: \(name), \(answer.rawValue): \(cells) cells, \(Self.tally.add(cells)) in all")
    }
}

extension DownScenario {
    /// A query whose deletions are asked for at the end of each run.
    static let deletions = soql("soql with deletions", #", "deletes": "incremental""#)
}

extension DownWorld {
    /// A run and a cleaning of ghosts, however they end; neither removes an entry of a record that the org has.
    fileprivate func pullAndClean(_ comment: Comment) async throws {
        let before = Set(try await entryKeys())
        _ = try await run()
        _ = try? await kit.syncs.cleanResyncGhosts(named: "down")
        let kept = before.intersection(try orgKeys())
        #expect(kept.subtracting(try await entryKeys()) == [], comment)
    }

    /// The soups and IDs of the entries.
    private func entryKeys() async throws -> [String] { Self.keys(try await storeLines()) }

    /// The soups and IDs of the org's records.
    private func orgKeys() throws -> [String] { Self.keys(try orgLines()) }

    private static func keys(_ lines: [String]) -> [String] {
        lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    }
}
