// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit
internal import Synchronization

/// The clock of a test: it moves only when a step begins, and when something waits.
final class TestClock: SoupClock {
    private let time: Mutex<Int64>

    /// The time between two steps, in milliseconds: timestamps of different steps differ, also in whole seconds.
    static let step: Int64 = 60_000

    /// - Parameter time: in milliseconds since 1970.
    init(at time: Int64) { self.time = Mutex(time) }

    var now: Date { Date(millisecondsSince1970: time.withLock { $0 }) }

    func advance(by milliseconds: Int64) {
        time.withLock { time in
            let (sum, isTooLarge) = time.addingReportingOverflow(max(0, milliseconds))
            if !isTooLarge { time = sum }
        }
    }

    /// Moves the time forward, and returns at once.
    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        advance(by: duration.milliseconds)
        await Task.yield()
    }
}

#endif
