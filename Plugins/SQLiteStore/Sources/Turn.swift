// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A task that waits for its turn at a connection.
///
/// Cancelling the task while it waits ends the wait with `CancellationError`, and the work is never begun. Work that
/// has begun is told at most: a write runs to its end, whatever happens to the task, so that no transaction is broken
/// off in the middle.
final class Turn<T: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<T, any Error>)
        case cancelled
        case taken
    }

    private let state = Mutex(State.new)

    /// - Parameters:
    ///   - cancellation: is told of a cancellation, so that work which has begun can end early; nil for work that must
    ///     not.
    ///   - queue: puts the turn in the queue; whoever comes to it calls ``take(_:)``.
    static func wait(
        telling cancellation: ReadCancellation? = nil, _ queue: @escaping (Turn<T>) -> Void
    ) async throws -> T {
        try Task.checkCancellation()
        let turn = Turn<T>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if turn.begin(continuation) { queue(turn) }
            }
        } onCancel: {
            cancellation?.cancel()
            turn.cancel()
        }
    }

    /// The turn has come: runs `work` unless the task was cancelled, and hands its result to the task.
    func take(_ work: () throws -> T) {
        let continuation = state.withLock { state -> CheckedContinuation<T, any Error>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .taken
            return continuation
        }
        continuation?.resume(with: Result(catching: work))
    }

    private func begin(_ continuation: CheckedContinuation<T, any Error>) -> Bool {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .waiting(continuation)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    private func cancel() {
        let continuation = state.withLock { state -> CheckedContinuation<T, any Error>? in
            switch state {
            case .waiting(let continuation):
                state = .cancelled
                return continuation
            case .new:
                state = .cancelled
                return nil
            case .cancelled, .taken: return nil
            }
        }
        continuation?.resume(throwing: CancellationError())
    }
}
