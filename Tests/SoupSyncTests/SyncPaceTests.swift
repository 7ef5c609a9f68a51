// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSync
import SoupCore
import Testing

@Suite struct SyncPaceTests {
    private func state(_ status: SyncStatus, _ progress: Int, of total: Int) -> SyncState {
        SyncState(
            id: 1, definition: SyncDefinition(type: .syncDown, soup: "s", target: TargetReference([:])), status: status,
            progress: progress, totalSize: total)
    }

    /// Adds a state to a pace at a time in milliseconds.
    private func note(_ pace: inout SyncPace, _ state: SyncState, at milliseconds: Int) {
        pace.note(state, at: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }

    @Test func `The pace has a rate and a remaining time`() {
        var pace = SyncPace()
        note(&pace, state(.running, 0, of: -1), at: 0)
        #expect(pace.total == nil && pace.recordsPerSecond == nil && pace.remaining == nil)
        note(&pace, state(.running, 0, of: 1000), at: 100)
        #expect(pace.total == 1000 && pace.recordsPerSecond == nil)
        note(&pace, state(.running, 20, of: 1000), at: 2000)
        #expect(pace.done == 200 && pace.recordsPerSecond == 100 && pace.remaining == .seconds(8))
        note(&pace, state(.done, 100, of: 1000), at: 10_000)
        #expect(pace.done == 1000 && pace.remaining == .zero)
    }

    @Test func `Only recent times count`() {
        var pace = SyncPace()
        for second in 0...60 { note(&pace, state(.running, second / 2, of: 1000), at: second * 1000) }
        #expect(pace.recordsPerSecond == 5)
        // A standstill lowers the rate to zero.
        for second in 61...80 { note(&pace, state(.running, 30, of: 1000), at: second * 1000) }
        #expect(pace.recordsPerSecond == 0)
    }

    @Test func `A clock that is set back does not change the rate`() {
        var pace = SyncPace()
        note(&pace, state(.running, 0, of: 100), at: 5000)
        note(&pace, state(.running, 50, of: 100), at: 1000)
        #expect(pace.recordsPerSecond == nil && pace.done == 50)
        note(&pace, state(.running, 60, of: 100), at: 6000)
        #expect(pace.recordsPerSecond == 60)
    }
}
