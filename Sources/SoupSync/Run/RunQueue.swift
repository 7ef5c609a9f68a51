// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The queue in which runs wait for their turn.
///
/// A run begins when fewer runs than the cap are in progress and it does not clash with a run that is in progress or
/// ahead of it in the queue.
final class RunQueue: Sendable {
    /// The resources that a run needs.
    struct Claim: Sendable {
        var soups: Set<SoupName>
        /// Whether no other run on one of the soups may be in progress.
        var isExclusive: Bool

        func clashes(with other: Claim) -> Bool {
            (isExclusive || other.isExclusive) && !soups.isDisjoint(with: other.soups)
        }
    }

    /// A ticket in the queue.
    struct Ticket: Sendable, Hashable {
        fileprivate let number: Int
    }

    private struct State {
        var next = 0
        var running: [Ticket: Claim] = [:]
        var waiting: [(ticket: Ticket, claim: Claim)] = []
        var continuations: [Ticket: CheckedContinuation<Void, any Error>] = [:]

        /// Starts all runs that can begin; returns the continuations to resume.
        mutating func admit(cap: Int) -> [CheckedContinuation<Void, any Error>] {
            var resumed: [CheckedContinuation<Void, any Error>] = []
            var still: [(ticket: Ticket, claim: Claim)] = []
            for (ticket, claim) in waiting {
                let clashes =
                    running.values.contains { $0.clashes(with: claim) }
                    || still.contains { $0.claim.clashes(with: claim) }
                if running.count < cap && !clashes {
                    running[ticket] = claim
                    if let continuation = continuations.removeValue(forKey: ticket) { resumed.append(continuation) }
                } else {
                    still.append((ticket, claim))
                }
            }
            waiting = still
            return resumed
        }
    }

    private let cap: Int
    private let state = Mutex(State())

    init(cap: Int) { self.cap = cap }

    /// Adds a ticket at the end of the queue.
    ///
    /// The caller must call ``leave(_:)`` with it in every case.
    func join(_ claim: Claim) -> Ticket {
        update { state in
            state.next += 1
            let ticket = Ticket(number: state.next)
            state.waiting.append((ticket, claim))
            return ticket
        }
    }

    /// Waits until it is this ticket's turn.
    ///
    /// - Throws: `CancellationError`; the caller must call ``leave(_:)`` in this case too.
    func turn(of ticket: Ticket) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.running[ticket] != nil { return .success(()) }
                    // The ticket is no longer in the queue, because it was cancelled before this wait began.
                    guard state.waiting.contains(where: { $0.ticket == ticket }) else {
                        return .failure(CancellationError())
                    }
                    state.continuations[ticket] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard state.running[ticket] == nil else { return nil }
                state.waiting.removeAll { $0.ticket == ticket }
                return state.continuations.removeValue(forKey: ticket)
            }
            waiter?.resume(throwing: CancellationError())
            update { _ in }
        }
        try Task.checkCancellation()
    }

    /// Removes a ticket, so that other runs can begin.
    func leave(_ ticket: Ticket) {
        update { state in
            state.running[ticket] = nil
            state.waiting.removeAll { $0.ticket == ticket }
        }
    }

    private func update<T: Sendable>(_ change: (inout sending State) -> T) -> T {
        let (value, resumed) = state.withLock { state in
            let value = change(&state)
            return (value, state.admit(cap: cap))
        }
        for continuation in resumed { continuation.resume() }
        return value
    }
}
