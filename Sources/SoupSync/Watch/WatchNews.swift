// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A signal that wakes a waiting task; several signals before a wait count as one.
final class WatchNews: Sendable {
    private struct State {
        var isThere = false
        var waiter: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func signal() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            state.isThere = state.waiter == nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for a signal; only one task may wait at a time.
    ///
    /// - Throws: `CancellationError`.
    func next() async throws {
        state.withLock { $0.isCancelled = false }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if state.isCancelled { return .failure(CancellationError()) }
                    if state.isThere {
                        state.isThere = false
                        return .success(())
                    }
                    state.waiter = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                state.isCancelled = true
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
