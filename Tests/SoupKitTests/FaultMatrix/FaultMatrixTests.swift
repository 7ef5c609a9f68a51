// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupLocalOrg
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// Every kind of trouble at every request of a push and a pull: afterwards store and org are equal, no record is
/// doubled, no edit is lost and nothing is stuck.
///
/// A run of the tests takes every third pair of a sync and a trouble, and of these every sixth request; with
/// `SOUPKIT_MATRIX=all` it takes all.
@Suite struct FaultMatrixTests {
    private static let tally = Tally()

    @Test(arguments: MatrixScenarios.all, Trouble.all) func `All is well afterwards`(
        scenario: SyncScenario, trouble: Trouble
    ) async throws { try await play(scenario, trouble) }

    /// One that a run of the tests would not take: an update that is answered with the id of a creation.
    @Test(arguments: MergeMode.allCases) func `An answer of another request is not believed`(mode: MergeMode)
        async throws
    {
        let trouble = try #require(Trouble.all.first { $0.testDescription == "the answer before" })
        for scenario in MatrixScenarios.all where scenario.isSingle && scenario.mode == mode {
            try await play(scenario, trouble, takesAll: true)
        }
    }

    @Test(arguments: MatrixScenarios.further, Trouble.all) func `All is well further on`(
        scenario: SyncScenario, trouble: Trouble
    ) async throws { try await play(scenario, trouble, once: !MatrixSample.takesAll) }

    /// - Parameters:
    ///   - once: whether one cell is enough.
    ///   - takesAll: whether no request is to be left out.
    private func play(
        _ scenario: SyncScenario, _ trouble: Trouble, once: Bool = false, takesAll: Bool = MatrixSample.takesAll
    ) async throws {
        let pair = "\(scenario.description) \(trouble.testDescription)"
        guard takesAll || MatrixSample.takes(pair, oneOf: 3) else { return }
        let seed = MatrixSample.number(of: pair)
        var number = takesAll || trouble.lasts || trouble.isOfCollections ? 1 : 1 + seed % 6
        var cells = 0
        while number < 200 {
            let world = try await MatrixWorld(scenario)
            world.clock.advance(by: 10_000)
            let first = try await world.kit.syncs.reSync(named: "down").result()
            try #require(first.state.status == .done, "\(first.state.error)")
            try await world.changeBothSides()
            world.org.add(OrgFault(trouble.effect, id: "trouble", nth: trouble.lasts ? [] : [number]))
            // Pages of two, so that a pull has some; a request is struck by one rule, the first.
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
            let before = world.org.journal.count
            try await world.sync()
            if !trouble.lasts, number > world.org.journal.count - before { break }
            if !trouble.lasts, world.org.faults.first(where: { $0.fault.id == "trouble" })?.fired == 0 {
                // A request that the trouble has nothing to do with.
                number += 1
                continue
            }
            world.org.removeFault()
            try await world.settle()
            let (left, right) = (try await world.storeLines(), world.expected)
            let comment: Comment =
                "request \(number): too much \(left.filter { !right.contains($0) }), too little \(right.filter { !left.contains($0) }); \(try world.journal())"
            #expect(try world.orgLines() == world.expected, comment)
            #expect(try await world.storeLines() == world.expected, comment)
            #expect(try await world.kit.syncs.syncs().map(\.status) == [.done, .done], comment)
            #expect(try await world.kit.syncs.unknownCreations() == [:], comment)
            #expect(try await world.kit.syncs.conflicts() == [], comment)
            cells += 1
            if trouble.lasts || once { break }
            number += takesAll ? 1 : 6
        }
        // Alone in its request a record is refused by another trouble, the 400.
        #expect(cells > 0 || trouble.isOfCollections && scenario.isSingle)
        let total = Self.tally.add(cells)
        print("fault matrix: \(scenario.description), \(trouble.testDescription): \(cells) cells, \(total) in all")
    }
}

extension MatrixWorld {
    /// What was asked since the trouble began, for messages.
    fileprivate func journal() throws -> String {
        org.journal.suffix(40).map { "\($0.method) \($0.path) \($0.status)" }.joined(separator: "; ")
    }
}
