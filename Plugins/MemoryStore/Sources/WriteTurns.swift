// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets writes in one at a time, in the order in which they came.
final class WriteTurns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        /// Those on their way to the queue, and whether they have been cancelled there.
        var coming: [Int: Bool] = [:]
        var next = 0
    }

    private enum Start { case wait, go, cancelled }

    private let state = Mutex(State())

    /// Returns when nobody else writes; the caller then must ``pass()`` the turn on.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled, and then it is not this caller's turn.
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

    /// Hands the turn to the next who waits.
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

    /// How many wait for their turn.
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
