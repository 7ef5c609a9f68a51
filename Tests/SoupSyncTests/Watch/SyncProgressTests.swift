// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSync
import SoupCore
import Testing

@Suite struct SyncProgressTests {
    private func state(_ status: SyncStatus, _ progress: Int, of total: Int) -> SyncState {
        SyncState(
            id: 1, definition: SyncDefinition(type: .syncDown, soup: "s", target: TargetReference([:])), status: status,
            progress: progress, totalSize: total)
    }

    /// Updates a progress with a state at a time in milliseconds.
    private func update(_ progress: inout SyncProgress, with state: SyncState, at milliseconds: Int) {
        progress.update(with: state, at: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }

    @Test func `The progress has a speed and a remaining time`() {
        var progress = SyncProgress()
        update(&progress, with: state(.running, 0, of: -1), at: 0)
        #expect(progress.total == nil && progress.recordsPerSecond == nil && progress.remaining == nil)
        update(&progress, with: state(.running, 0, of: 1000), at: 100)
        #expect(progress.total == 1000 && progress.recordsPerSecond == nil)
        update(&progress, with: state(.running, 20, of: 1000), at: 2000)
        #expect(progress.done == 200 && progress.recordsPerSecond == 100 && progress.remaining == .seconds(8))
        update(&progress, with: state(.done, 100, of: 1000), at: 10_000)
        #expect(progress.done == 1000 && progress.remaining == .zero)
    }

    @Test func `Only recent times count`() {
        var progress = SyncProgress()
        for second in 0...60 { update(&progress, with: state(.running, second / 2, of: 1000), at: second * 1000) }
        #expect(progress.recordsPerSecond == 5)
        // A standstill lowers the rate to zero.
        for second in 61...80 { update(&progress, with: state(.running, 30, of: 1000), at: second * 1000) }
        #expect(progress.recordsPerSecond == 0)
    }

    @Test func `A clock that is set back does not change the rate`() {
        var progress = SyncProgress()
        update(&progress, with: state(.running, 0, of: 100), at: 5000)
        update(&progress, with: state(.running, 50, of: 100), at: 1000)
        #expect(progress.recordsPerSecond == nil && progress.done == 50)
        update(&progress, with: state(.running, 60, of: 100), at: 6000)
        #expect(progress.recordsPerSecond == 60)
    }
}
