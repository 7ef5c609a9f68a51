// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A request to end a push early without cancelling its task.
///
/// When a run is cancelled, its push continues: if an exchange were cut off, the app could not know whether the server
/// carried the request out. Work between exchanges can end at once: a transport does not wait to send a request again.
/// A target that sends several requests sends no more of them and reports ``PushOutcome/notSent(_:)`` for the remaining
/// changes. Both read the signal from the task that they run in.
///
/// A target or a transport that does not use the signal continues to its end; the run waits for it.
public final class StopSignal: Sendable {
    /// The signal of the push that the current task belongs to; nil outside a push.
    @TaskLocal public static var current: StopSignal?

    private struct State {
        var isRaised = false
        var nextId = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Makes a signal that is not raised.
    public init() {}

    /// Whether the push that the current task belongs to must end before its next exchange.
    public static var isRaised: Bool { current?.isRaised ?? false }

    /// Whether the signal was raised; it is never reset.
    public var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Raises the signal; repeated calls have no effect.
    public func raise() {
        let actions = state.withLock { state in
            state.isRaised = true
            defer { state.actions = [:] }
            return state.actions
        }
        for action in actions.values { action() }
    }

    /// Runs work that can be abandoned at any time, such as waiting.
    ///
    /// The work is cancelled when the signal of the current push is raised, or already was, and when the current task
    /// is cancelled.
    public static func interruptible<T: Sendable>(
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        guard let signal = current else { return try await body() }
        let task = Task { try await body() }
        let id = signal.add { task.cancel() }
        defer { signal.remove(id) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func add(_ action: @escaping @Sendable () -> Void) -> Int? {
        let id = state.withLock { state -> Int? in
            guard !state.isRaised else { return nil }
            state.nextId += 1
            state.actions[state.nextId] = action
            return state.nextId
        }
        if id == nil { action() }
        return id
    }

    private func remove(_ id: Int?) {
        guard let id else { return }
        state.withLock { $0.actions[id] = nil }
    }
}
