// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type that returns the time of day and waits; it is injected so that tests need neither.
public protocol SoupClock: Sendable {
    /// The current time; SoupKit rounds it to the nearest millisecond.
    var now: Date { get }
    /// Waits; throws `CancellationError` if the task is cancelled.
    ///
    /// Returns at once for 0 and less, and accepts every duration.
    func sleep(for duration: Duration) async throws
}

extension SoupClock {
    /// The current time in milliseconds since 1970, UTC.
    package var milliseconds: Int64 { now.millisecondsSince1970 }
    /// Waits for a number of milliseconds; throws `CancellationError` if the task is cancelled.
    package func sleep(milliseconds: Int64) async throws { try await sleep(for: .milliseconds(milliseconds)) }
}

/// The clock of the device.
public struct SystemClock: SoupClock {
    /// Creates a clock; all values are equal and read the same clock.
    public init() {}
    /// The time of day in whole milliseconds, rounded down; it jumps if the device's clock is set.
    public var now: Date {
        Date(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
    /// Waits by a monotonic clock.
    ///
    /// Returns at once for 0 and less; waits at most a century.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: min(max(.zero, duration), Self.century))
    }

    /// Three centuries in nanoseconds exceed 64 bits.
    private static let century: Duration = .seconds(3_155_760_000 as Int64)
}
