// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A value that becomes available once, and that any number of tasks can wait for.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var nextWaiter = 0
        /// Resumed with the value, or with nil if the waiting task was cancelled.
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        /// The waiters that ignore cancellation.
        var uncancellableWaiters: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())

    /// Creates a promise without a value.
    package init() {}

    /// The value, if it is available.
    package var current: Value? { state.withLock { $0.value } }

    /// Makes the value available, and resumes all waiting tasks, in the order in which they began to wait.
    ///
    /// - Returns: whether the value was set; false if the promise already had one, which stays.
    @discardableResult
    package func resolve(_ value: Value) -> Bool {
        let waiting: State? = state.withLock { state in
            guard state.value == nil else { return nil }
            defer { state = State(value: value) }
            return state
        }
        guard let waiting else { return false }
        for (_, waiter) in waiting.waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: value) }
        for waiter in waiting.uncancellableWaiters { waiter.resume(returning: value) }
        return true
    }

    /// Waits for the value.
    ///
    /// - Throws: `CancellationError` if the waiting task is cancelled before there is a value.
    package func wait() async throws -> Value {
        if let value = current { return value }
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let value: Value?? = state.withLock { state in
                    if let value = state.value { return .some(value) }
                    // The handler below runs after the task was cancelled: it finds the waiter, or it is not needed.
                    if Task.isCancelled { return .some(nil) }
                    state.waiters[number] = waiter
                    return nil
                }
                if let value { waiter.resume(returning: value) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: nil)
        }
        guard let value else { throw CancellationError() }
        return value
    }

    /// Waits for the value, also if the waiting task is cancelled.
    package func waitUncancelled() async -> Value {
        if let value = current { return value }
        return await withCheckedContinuation { waiter in
            let value = state.withLock { state in
                if state.value == nil { state.uncancellableWaiters.append(waiter) }
                return state.value
            }
            if let value { waiter.resume(returning: value) }
        }
    }
}
