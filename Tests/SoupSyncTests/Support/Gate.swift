// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A place where something under test waits until the test lets it go on.
///
/// Each waits on its own: one that is cancelled leaves the others where they are.
final class Gate: Sendable {
    private struct State {
        /// Openings that nobody has used yet.
        var openings = 0
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrive: AsyncStream<Void>.Continuation

    init() { (arrivals, arrive) = AsyncStream.makeStream() }

    /// Waits until ``open()``; throws when the task is cancelled.
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

    /// Returns when somebody waits.
    func arrived() async { for await _ in arrivals { return } }

    /// Lets one go on: the first that waits, or the next that comes.
    func open() {
        state.withLock { state in
            while !state.waiting.isEmpty {
                // One that was cancelled needs no opening.
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
