// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A gate at which tasks wait until the test opens it.
///
/// Cancelling one waiting task does not affect the others.
final class Gate: Sendable {
    private struct State {
        /// The number of openings that no task has used yet.
        var openings = 0
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrive: AsyncStream<Void>.Continuation

    init() { (arrivals, arrive) = AsyncStream.makeStream() }

    /// Waits until ``open()``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func pass() async throws {
        let opening = enter()
        for await _ in opening { return }
        try Task.checkCancellation()
    }

    /// Waits until ``open()``, whether the task is cancelled or not.
    func passUninterrupted() async {
        let opening = enter()
        await Task { for await _ in opening { return } }.value
    }

    /// Returns when a task waits.
    func arrived() async { for await _ in arrivals { return } }

    /// Lets one task continue: the first that waits, or the next that arrives.
    func open() {
        state.withLock { state in
            while !state.waiting.isEmpty {
                // A cancelled task does not use up the opening.
                if case .enqueued = state.waiting.removeFirst().yield() { return }
            }
            state.openings += 1
        }
    }

    private func enter() -> AsyncStream<Void> {
        let (opening, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            if state.openings > 0 {
                state.openings -= 1
                continuation.yield()
            } else {
                state.waiting.append(continuation)
            }
        }
        arrive.yield()
        return opening
    }
}
