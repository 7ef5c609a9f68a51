// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSync

@Suite struct CoveredDeletionsTests {
    private let covered = CoveredDeletions(until: 5000)

    @Test func `A cleaning looks back from the end of the period`() {
        #expect(covered.start(lookback: 600, isSkipped: false) == 4400)
        #expect(covered.start(lookback: 600, isSkipped: true) == 5000)
        #expect(covered.start(lookback: 9000, isSkipped: false) == 0)
        #expect(covered.start(lookback: .max, isSkipped: false) == 0)
        #expect(
            covered.extended(to: 6000, lookback: 600, isSkipped: false, unseenChildren: 7)
                == CoveredDeletions(until: 6000, unseenChildren: 7))
        // A report can end a little before the last one.
        #expect(covered.extended(to: 4900, lookback: 600, isSkipped: false, unseenChildren: nil) == covered)
    }

    @Test func `A report from a clock that was set back refutes it`() {
        let covered = CoveredDeletions(until: 5_000_000)
        func isRefuted(_ time: Int64, _ lookback: Int64) -> Bool {
            covered.isRefuted(byReportUntil: time, lookback: lookback)
        }
        #expect([6_000_000, 4_400_000, 4_399_999].map { isRefuted($0, 0) } == [false, false, true])
        #expect([4_000_000, 3_999_999].map { isRefuted($0, 1_000_000) } == [false, true])
        #expect(!isRefuted(0, .max))
    }

    @Test func `A part that was skipped is looked at later`() {
        let first = covered.extended(to: 6000, lookback: 600, isSkipped: true, unseenChildren: nil)
        #expect(first == CoveredDeletions(until: 6000, unconfirmed: 4400))
        let second = first.extended(to: 7000, lookback: 600, isSkipped: true, unseenChildren: nil)
        #expect(second == CoveredDeletions(until: 7000, unconfirmed: 4400))
        #expect(
            [second.start(lookback: 600, isSkipped: true), second.start(lookback: 600, isSkipped: false)] == [
                7000, 4400,
            ])
        // The lookback of the target was made longer.
        #expect(second.start(lookback: 6000, isSkipped: false) == 1000)
        #expect(
            second.extended(to: 8000, lookback: 600, isSkipped: false, unseenChildren: nil)
                == CoveredDeletions(until: 8000))
    }

    @Test(arguments: [CoveredDeletions?.none, CoveredDeletions(until: 1_700_000_000_000, unconfirmed: nil)])
    func `A row keeps the period`(_ covered: CoveredDeletions?) throws {
        for unconfirmed in [nil, 1_600_000_000_000] as [Int64?] {
            var covered = covered
            covered?.unconfirmed = unconfirmed
            covered?.unseenChildren = unconfirmed.map { $0 - 5 }
            let members = covered.setting(RecordBatch.Stamp()).members
            let row = JSONText.object(members.compactMap { member in member.value.map { (member.name, $0) } })
            #expect(CoveredDeletions(row: row.value) == covered)
        }
        #expect(CoveredDeletions(row: ["deletionsCovered": "x"]) == nil)
    }
}
