// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A lock for writes, which callers acquire in the order of their calls.
final class WriteLock: Sendable {
    private struct State {
        var isHeld = false
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        /// The callers that have not joined the queue yet, and whether each was cancelled before it joined.
        var joining: [Int: Bool] = [:]
        var lastId = 0
    }

    private enum Request { case waiting, granted, cancelled }

    private let state = Mutex(State())

    /// Waits for exclusive write access.
    ///
    /// The caller must release it with ``release()``.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; then the caller does not have access.
    func acquire() async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastId += 1
            state.joining[state.lastId] = false
            return state.lastId
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { join(id, $0) }
        } onCancel: {
            cancel(id)
        }
    }

    /// Releases the lock, or passes it to the next waiting caller.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if state.waiting.isEmpty {
                state.isHeld = false
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }

    /// The number of waiting callers.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func join(_ id: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        let request = state.withLock { state -> Request in
            if state.joining.removeValue(forKey: id) == true { return .cancelled }
            if state.isHeld {
                state.waiting.append((id, continuation))
                return .waiting
            }
            state.isHeld = true
            return .granted
        }
        switch request {
        case .waiting: break
        case .granted: continuation.resume()
        case .cancelled: continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                if state.joining[id] != nil { state.joining[id] = true }
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
