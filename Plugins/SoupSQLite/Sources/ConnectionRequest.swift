// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// A request of a task for access to a connection.
///
/// If the task is cancelled while it waits, the wait ends with `CancellationError`, and the work does not begin. Work
/// that has begun can at most be notified of a cancellation: a write always completes, so that no transaction is
/// interrupted.
final class ConnectionRequest<T: Sendable>: Sendable {
    private let result = Promise<Result<T, any Error>>()
    /// Whether the work has started or the task was cancelled, whichever was first.
    private let isDecided = Atomic(false)

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
            enqueue(request)
            return try await request.result.waitUncancelled().get()
        } onCancel: {
            cancellation?.cancel()
            request.cancel()
        }
    }

    /// Runs `work` unless the task was cancelled, and resumes the task with its result.
    func perform(_ work: () throws -> T) {
        if decide() { result.resolve(Result(catching: work)) }
    }

    private func cancel() {
        if decide() { result.resolve(.failure(CancellationError())) }
    }

    /// Returns whether this is the first call.
    private func decide() -> Bool { !isDecided.exchange(true, ordering: .acquiringAndReleasing) }
}
