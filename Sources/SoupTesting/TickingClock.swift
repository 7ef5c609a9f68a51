// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock that advances by one millisecond at each reading, so that no two times are equal.
public final class TickingClock: SoupClock {
    private let time: Mutex<Int64>

    /// Creates a clock; the first reading is one millisecond after the start, 2023-11-14T22:13:20Z by default.
    public init(startingAt start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        time = Mutex(start.millisecondsSince1970)
    }

    /// The next millisecond.
    public var now: Date {
        time.withLock { time in
            time += 1
            return Date(millisecondsSince1970: time)
        }
    }

    /// Returns at once.
    public func sleep(for duration: Duration) async throws { try Task.checkCancellation() }
}
