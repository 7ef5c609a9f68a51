// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A type that returns the time of day and waits; it is injected so that tests need neither.
public protocol SoupClock: Sendable {
    /// The current time in milliseconds since 1970, UTC.
    var now: Int64 { get }
    /// Waits; throws `CancellationError` if the task is cancelled.
    func sleep(milliseconds: Int64) async throws
}

/// The clock of the device.
public struct SystemClock: SoupClock {
    /// Creates a clock; all values are equal and read the same clock.
    public init() {}
    /// The time of day in whole milliseconds, rounded down; it jumps if the device's clock is set.
    public var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
    /// Waits by a monotonic clock.
    ///
    /// Returns at once for 0 and less; waits at most a century.
    public func sleep(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(min(max(0, milliseconds), Self.century)))
    }

    /// A century in milliseconds; three centuries in nanoseconds exceed 64 bits.
    private static let century: Int64 = 3_155_760_000_000
}
