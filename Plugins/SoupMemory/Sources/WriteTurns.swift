// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A queue that gives write access to one caller at a time, in the order of the calls.
final class WriteTurns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        /// The callers that are about to join the queue, and whether each was cancelled before it joined.
        var coming: [Int: Bool] = [:]
        var next = 0
    }

    private enum Start { case wait, go, cancelled }

    private let state = Mutex(State())

    /// Waits for exclusive write access.
    ///
    /// The caller must release it with ``pass()``.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; then the caller does not have access.
    func take() async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.next += 1
            state.coming[state.next] = false
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin(id, $0) }
        } onCancel: {
            cancel(id)
        }
    }

    /// Gives write access to the next waiting caller.
    func pass() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }

    /// The number of waiting callers.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func begin(_ id: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        let start = state.withLock { state -> Start in
            if state.coming.removeValue(forKey: id) == true { return .cancelled }
            if state.isTaken {
                state.waiting.append((id, continuation))
                return .wait
            }
            state.isTaken = true
            return .go
        }
        switch start {
        case .wait: break
        case .go: continuation.resume()
        case .cancelled: continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                if state.coming[id] != nil { state.coming[id] = true }
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
