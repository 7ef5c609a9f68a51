// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// Every invalid answer at every request of every target: afterwards no edit is lost, no record is duplicated, and no
/// entry is removed that the org still has.
///
/// By default, tests one request of one of six pairs of a target and an answer, and of one of 16 for pushes.
/// With `SOUPKIT_MATRIX=all`, tests all requests of all pairs.
@Suite struct AnswerMatrixTests {
    static let pushes = MatrixScenarios.all + MatrixScenarios.further
    static let pulls =
        DownTargetsTests.scenarios + [.soql, .bulk, .mru, .tree, .deletions] + DownFaultTests.descriptions
    private static let counter = CellCounter()

    @Test(arguments: pushes, InvalidAnswer.allCases) func `A push loses and duplicates nothing`(
        scenario: SyncScenario, answer: InvalidAnswer
    ) async throws {
        let matrix = (Self.pushes.map { "\($0)" }, InvalidAnswer.allCases.map(\.rawValue))
        guard try MatrixSample.includes("\(scenario)", answer.rawValue, of: matrix, oneOf: 16) else { return }
        try await forEachCell(of: "\(scenario)", answer: answer) { plan, comment in
            var gateway: InvalidAnswerTransport?
            let world = try await MatrixWorld(scenario) { base in
                let transport = InvalidAnswerTransport(base, wire: WireReplay())
                gateway = transport
                return transport
            }
            let transport = try #require(gateway)
            world.clock.advance(by: .seconds(10))
            #expect(try await world.kit.syncs.reSync(named: "down").result.state.status == .done)
            try await world.changeBothSides()
            transport.start(plan)
            try await world.sync()
            let (count, replaced) = (transport.count, transport.replaced)
            transport.start(nil)
            guard replaced > 0 else { return (count, false) }
            try await world.syncUntilClean()
            #expect(try world.orgLines() == world.expected, comment)
            #expect(try await world.storeLines() == world.expected, comment)
            #expect(try await world.kit.syncs.syncs().map(\.status) == [.done, .done], comment)
            #expect(try await world.kit.syncs.unknownCreations() == [:], comment)
            #expect(try await world.kit.syncs.conflicts() == [], comment)
            return (count, true)
        }
    }

    @Test(arguments: pulls, InvalidAnswer.allCases) func `A pull neither removes nor misses a record`(
        scenario: DownScenario, answer: InvalidAnswer
    ) async throws {
        let matrix = (Self.pulls.map(\.testDescription), InvalidAnswer.allCases.map(\.rawValue))
        guard try MatrixSample.includes(scenario.testDescription, answer.rawValue, of: matrix, oneOf: 6) else { return }
        try await forEachCell(of: scenario.testDescription, answer: answer) { plan, comment in
            var gateway: InvalidAnswerTransport?
            let world = try await DownWorld(scenario, bulkPageSize: 3, clock: .advancing()) { base in
                let transport = InvalidAnswerTransport(base, wire: WireReplay())
                gateway = transport
                return transport
            }
            let transport = try #require(gateway)
            // Pages of two, so that a query has several.
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
            transport.start(plan)
            try await world.pullAndClean(comment)
            try world.edit("a2", "a9", "c3", to: "changed there")
            try world.delete("c4", "a4")
            try await world.pullAndClean(comment)
            let (count, replaced) = (transport.count, transport.replaced)
            transport.start(nil)
            guard replaced > 0 else { return (count, false) }
            for text in ["after the answer", "later"] {
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

    /// Runs the cells of a pair: each request, forwarded to the server and not forwarded, and all requests together.
    ///
    /// - Parameter play: returns the number of requests, and whether a response was replaced.
    private func forEachCell(
        of name: String, answer: InvalidAnswer,
        _ play: (InvalidAnswerTransport.Plan, Comment) async throws -> (count: Int, replaced: Bool)
    ) async throws {
        let includesAll = MatrixSample.includesAll
        let seed = MatrixSample.number(of: "\(name) \(answer.rawValue)")
        var cells = 0
        for reachesServer in answer.isPossibleWithoutServer ? [true, false] : [true] {
            let lasting = InvalidAnswerTransport.Plan(answer: answer, number: nil, reachesServer: reachesServer)
            // A sample begins with one of the first requests and continues until the answer applies to one.
            var number = includesAll ? 1 : 1 + (seed + (reachesServer ? 0 : 1)) % 5
            if includesAll, try await play(lasting, "\(name), \(answer.rawValue) to every request").replaced {
                cells += 1
            }
            while true {
                var plan = lasting
                plan.number = number
                let (count, replaced) = try await play(plan, "\(name), \(answer.rawValue) to request \(number)")
                if replaced { cells += 1 }
                number += 1
                if number > count || (replaced && !includesAll) { break }
            }
        }
        print("invalid answers: \(name), \(answer.rawValue): \(cells) cells, \(Self.counter.add(cells)) in all")
    }
}

extension DownScenario {
    /// A query target that requests deletions at the end of each run.
    static let deletions = soql("soql with deletions", #", "deletes": "incremental""#)
}

extension DownWorld {
    /// Runs the sync and cleans ghosts, with any result; neither may remove an entry whose record the org has.
    fileprivate func pullAndClean(_ comment: Comment) async throws {
        let before = Set(try await entryKeys())
        _ = try await run()
        _ = try? await kit.syncs.cleanResyncGhosts(named: "down")
        let kept = before.intersection(try orgKeys())
        #expect(kept.subtracting(try await entryKeys()) == [], comment)
    }

    /// Returns the soups and IDs of the entries.
    private func entryKeys() async throws -> [String] { Self.keys(try await storeLines()) }

    /// Returns the soups and IDs of the org's records.
    private func orgKeys() throws -> [String] { Self.keys(try orgLines()) }

    private static func keys(_ lines: [String]) -> [String] {
        lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    }
}
