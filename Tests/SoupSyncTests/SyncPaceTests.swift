// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSync
import SoupCore
import Testing

@Suite struct SyncPaceTests {
    private func state(_ status: SyncStatus, _ progress: Int, _ total: Int) -> SyncState {
        SyncState(
            id: 1, definition: SyncDefinition(type: .syncDown, soup: "s", target: TargetReference([:])), status: status,
            progress: progress, totalSize: total)
    }

    @Test func `Tells rate and rest`() {
        var pace = SyncPace()
        pace.note(state(.running, 0, -1), at: 0)
        #expect(pace.total == nil && pace.recordsPerSecond == nil && pace.remaining == nil)
        pace.note(state(.running, 0, 1000), at: 100)
        #expect(pace.total == 1000 && pace.recordsPerSecond == nil)
        pace.note(state(.running, 20, 1000), at: 2000)
        #expect(pace.done == 200 && pace.recordsPerSecond == 100 && pace.remaining == 8000)
        pace.note(state(.done, 100, 1000), at: 10_000)
        #expect(pace.done == 1000 && pace.remaining == 0)
    }

    @Test func `Old times are forgotten`() {
        var pace = SyncPace()
        for second in 0...60 { pace.note(state(.running, second / 2, 1000), at: Int64(second) * 1000) }
        #expect(pace.recordsPerSecond == 5)
        // A standstill shows.
        for second in 61...80 { pace.note(state(.running, 30, 1000), at: Int64(second) * 1000) }
        #expect(pace.recordsPerSecond == 0)
    }

    @Test func `A clock that is set back does no harm`() {
        var pace = SyncPace()
        pace.note(state(.running, 0, 100), at: 5000)
        pace.note(state(.running, 50, 100), at: 1000)
        #expect(pace.recordsPerSecond == nil && pace.done == 50)
        pace.note(state(.running, 60, 100), at: 6000)
        #expect(pace.recordsPerSecond == 60)
    }
}
