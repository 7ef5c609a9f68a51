// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A request of a task for access to a connection.
///
/// If the task is cancelled while it waits, the wait ends with `CancellationError`, and the work does not begin. Work
/// that has begun can at most be notified of a cancellation: a write always completes, so that no transaction is
/// interrupted.
final class ConnectionRequest<T: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<T, any Error>)
        case cancelled
        case started
    }

    private let state = Mutex(State.new)

    /// Waits for a connection, and returns the result of the work.
    ///
    /// - Parameters:
    ///   - cancellation: is notified of a cancellation, so that a running read can end early; nil for work that must
    ///     not end early.
    ///   - enqueue: adds the request to a queue of GRDB, which calls ``perform(_:)`` when the work can run.
    static func wait(
        notifying cancellation: ReadCancellation? = nil, _ enqueue: @escaping (ConnectionRequest<T>) -> Void
    ) async throws -> T {
        try Task.checkCancellation()
        let request = ConnectionRequest<T>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if request.begin(continuation) { enqueue(request) }
            }
        } onCancel: {
            cancellation?.cancel()
            request.cancel()
        }
    }

    /// Runs `work` unless the task was cancelled, and resumes the task with its result.
    func perform(_ work: () throws -> T) {
        let continuation = state.withLock { state -> CheckedContinuation<T, any Error>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .started
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
            case .cancelled, .started: return nil
            }
        }
        continuation?.resume(throwing: CancellationError())
    }
}
