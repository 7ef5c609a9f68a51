// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import Synchronization

/// A clock that advances by one millisecond at each reading, so that no two times are equal.
public final class TickingClock: SoupClock {
    private let time: Mutex<Int64>

    /// - Parameter start: milliseconds since 1970.
    public init(startingAt start: Int64 = 1_700_000_000_000) { time = Mutex(start) }

    /// The next millisecond.
    public var now: Int64 {
        time.withLock { time in
            time += 1
            return time
        }
    }

    /// Returns at once.
    public func sleep(milliseconds: Int64) async throws { try Task.checkCancellation() }
}
