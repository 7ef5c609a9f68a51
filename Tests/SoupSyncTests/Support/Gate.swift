// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// A gate at which tasks wait until the test opens it.
///
/// Cancelling one waiting task does not affect the others.
final class Gate: Sendable {
    private let openings = AsyncSemaphore(permits: 0)
    private let arrivals: AsyncStream<Void>
    private let arrive: AsyncStream<Void>.Continuation

    init() { (arrivals, arrive) = AsyncStream.makeStream() }

    /// Waits until ``open()``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func pass() async throws {
        arrive.yield()
        try await openings.wait()
    }

    /// Waits until ``open()``, whether the task is cancelled or not.
    func passUninterrupted() async {
        arrive.yield()
        _ = await Task { try await openings.wait() }.result
    }

    /// Returns when a task waits.
    func arrived() async { for await _ in arrivals { return } }

    /// Lets one task continue: the first that waits, or the next that arrives.
    ///
    /// A cancelled task does not use up the opening.
    func open() { openings.signal() }
}
