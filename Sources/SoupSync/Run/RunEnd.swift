// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The end of a run, which any number of tasks can wait for.
final class RunEnd: Sendable {
    private struct State {
        var result: SyncResult?
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<SyncResult, any Error>] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Resumes all waiting tasks with the result; further calls are ignored.
    func resolve(_ result: SyncResult) {
        let waiters = state.withLock { state in
            guard state.result == nil else { return [CheckedContinuation<SyncResult, any Error>]() }
            state.result = result
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    func wait() async throws -> SyncResult {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<SyncResult, any Error>? = state.withLock { state in
                    if let result = state.result { return .success(result) }
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil && state.result == nil { state.cancelled.insert(number) }
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
