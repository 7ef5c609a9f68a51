// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A number of permits that tasks acquire in the order of their calls.
///
/// With one permit, it is a lock that can be held across suspensions.
package final class AsyncSemaphore: Sendable {
    /// A waiting call: true if it has got a permit, false if its task was cancelled before.
    private typealias Waiter = Promise<Bool>

    private struct State {
        var permits: Int
        /// In the order of their calls; empty while there are permits.
        var waiters: [Waiter] = []
    }

    private let state: Mutex<State>

    /// - Parameter permits: the number of calls of ``wait()`` that return at once.
    package init(permits: Int) { state = Mutex(State(permits: max(0, permits))) }

    /// The number of waiting calls.
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for a permit, and acquires it.
    ///
    /// The caller must release it with ``signal()``.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; then the caller has no permit. If the task is
    ///   cancelled when it has a permit already, the call returns as usual.
    package func wait() async throws {
        try Task.checkCancellation()
        let waiter = state.withLock { state -> Waiter? in
            guard state.permits == 0 else {
                state.permits -= 1
                return nil
            }
            let waiter = Waiter()
            state.waiters.append(waiter)
            return waiter
        }
        guard let waiter else { return }
        let hasPermit = await withTaskCancellationHandler {
            await waiter.waitUncancelled()
        } onCancel: {
            cancel(waiter)
        }
        guard hasPermit else { throw CancellationError() }
    }

    /// Acquires a permit if one is free, without waiting.
    ///
    /// - Returns: whether the caller has a permit, which it must release with ``signal()``.
    package func tryWait() -> Bool {
        state.withLock { state in
            guard state.permits > 0 else { return false }
            state.permits -= 1
            return true
        }
    }

    /// Adds a permit, or passes it to the call that has waited for the longest time.
    package func signal() {
        // Waiters are resumed outside the lock, because cancellation handlers acquire it.
        while let waiter = nextWaiter() {
            if waiter.resolve(true) { return }
        }
    }

    /// Runs `body` with a permit, which is released when the body ends.
    ///
    /// - Throws: the errors of ``wait()`` and of `body`.
    package func withPermit<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try await wait()
        defer { signal() }
        return try await body()
    }

    /// Removes the first waiter from the queue; if there is none, adds a permit and returns nil.
    private func nextWaiter() -> Waiter? {
        state.withLock { state in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.permits += 1
            return nil
        }
    }

    private func cancel(_ waiter: Waiter) {
        // If `signal()` was first, the waiter has the permit.
        guard waiter.resolve(false) else { return }
        state.withLock { state in state.waiters.removeAll { $0 === waiter } }
    }
}
