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

/// Every kind of fault at every request of a push and a pull: afterwards store and org are equal, no record is
/// duplicated, no edit is lost, and no change remains unsent.
///
/// By default, tests every sixth request of one of 16 pairs of a sync and a fault; with `SOUPKIT_MATRIX=all`, tests
/// all.
@Suite struct FaultMatrixTests {
    private static let counter = CellCounter()

    @Test(arguments: MatrixScenarios.all, RequestFault.all) func `Both sides are equal after a fault`(
        scenario: SyncScenario, fault: RequestFault
    ) async throws { try await play(scenario, fault) }

    /// A pair that the sample does not include: the response to an update has the ID of a creation.
    @Test(arguments: MergeMode.allCases) func `The response to another request is not accepted`(mode: MergeMode)
        async throws
    {
        let fault = try #require(RequestFault.all.first { $0.testDescription == "the answer before" })
        for scenario in MatrixScenarios.all where scenario.isSingle && scenario.mode == mode {
            try await play(scenario, fault, includesAll: true)
        }
    }

    @Test(arguments: MatrixScenarios.further, RequestFault.all)
    func `Both sides are equal after a fault in other scenarios`(
        scenario: SyncScenario, fault: RequestFault
    ) async throws { try await play(scenario, fault, once: !MatrixSample.includesAll) }

    /// - Parameters:
    ///   - once: whether to test only one cell.
    ///   - includesAll: whether to test every request.
    private func play(
        _ scenario: SyncScenario, _ fault: RequestFault, once: Bool = false,
        includesAll: Bool = MatrixSample.includesAll
    ) async throws {
        let (row, column) = (scenario.description, fault.testDescription)
        let rows = (MatrixScenarios.all + MatrixScenarios.further).map(\.description)
        let matrix = (rows, RequestFault.all.map(\.testDescription))
        guard try includesAll || MatrixSample.includes(row, column, of: matrix, oneOf: 16) else { return }
        let seed = MatrixSample.number(of: "\(row) \(column)")
        var number = includesAll || fault.isPersistent || fault.affectsSingleRecords ? 1 : 1 + seed % 6
        var cells = 0
        while number < 200 {
            let world = try await MatrixWorld(scenario)
            world.clock.advance(by: .seconds(10))
            let first = try await world.kit.syncs.reSync(named: "down").result
            try #require(first.state.status == .done, "\(first.state.error)")
            try await world.changeBothSides()
            world.org.add(OrgFault(fault.effect, id: "fault", nth: fault.isPersistent ? [] : [number]))
            // Pages of two, so that a pull has several. Only the first matching rule applies to a request.
            world.org.add(OrgFault(.shrinkPages(2), id: "pages"))
            let before = world.org.journal.count
            try await world.sync()
            if !fault.isPersistent, number > world.org.journal.count - before { break }
            if !fault.isPersistent, world.org.faults.first(where: { $0.fault.id == "fault" })?.fired == 0 {
                // The fault does not apply to this request.
                number += 1
                continue
            }
            world.org.removeFault()
            try await world.syncUntilClean()
            let (left, right) = (try await world.storeLines(), world.expected)
            let comment: Comment =
                "request \(number): surplus \(left.filter { !right.contains($0) }), missing \(right.filter { !left.contains($0) }); \(try world.journal())"
            #expect(try world.orgLines() == world.expected, comment)
            #expect(try await world.storeLines() == world.expected, comment)
            #expect(try await world.kit.syncs.syncs().map(\.status) == [.done, .done], comment)
            #expect(try await world.kit.syncs.unknownCreations() == [:], comment)
            #expect(try await world.kit.syncs.conflicts() == [], comment)
            cells += 1
            if fault.isPersistent || once { break }
            number += includesAll ? 1 : 6
        }
        // A request with a single record is refused by another fault, the 400.
        #expect(cells > 0 || fault.affectsSingleRecords && scenario.isSingle)
        let total = Self.counter.add(cells)
        print("fault matrix: \(scenario.description), \(fault.testDescription): \(cells) cells, \(total) in all")
    }
}

extension MatrixWorld {
    /// Returns the latest requests, for messages.
    fileprivate func journal() throws -> String {
        org.journal.suffix(40).map { "\($0.method) \($0.path) \($0.status)" }.joined(separator: "; ")
    }
}
