// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The time of day and waiting, injected so that tests need neither.
public protocol SoupClock: Sendable {
    /// Milliseconds since 1970, UTC.
    var now: Int64 { get }
    /// Waits; throws `CancellationError` when the task is cancelled.
    func sleep(milliseconds: Int64) async throws
}

/// The machine's clock.
public struct SystemClock: SoupClock {
    /// All values are alike; they read the same clock.
    public init() {}
    /// The time of day in whole milliseconds, rounded down; it jumps when somebody sets the clock.
    public var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
    /// Waits by a clock that nobody can set; 0 and less are over at once, and more than a century is a century.
    public func sleep(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(min(max(0, milliseconds), Self.century)))
    }

    /// Whoever counts in nanoseconds comes to the end of 64 bits after three of them.
    private static let century: Int64 = 3_155_760_000_000
}
