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
    final class Ticket: Sendable {
        fileprivate let claim: Claim
        /// Resolved when the run can begin.
        fileprivate let turn = Promise<Void>()

        fileprivate init(_ claim: Claim) { self.claim = claim }
    }

    private struct State {
        var running: [Ticket] = []
        var waiting: [Ticket] = []

        /// Starts all runs that can begin, and returns them.
        mutating func admit(cap: Int) -> [Ticket] {
            var admitted: [Ticket] = []
            var remaining: [Ticket] = []
            for ticket in waiting {
                let clashes = (running + remaining).contains { $0.claim.clashes(with: ticket.claim) }
                if running.count < cap && !clashes {
                    running.append(ticket)
                    admitted.append(ticket)
                } else {
                    remaining.append(ticket)
                }
            }
            waiting = remaining
            return admitted
        }
    }

    private let cap: Int
    private let state = Mutex(State())

    init(cap: Int) { self.cap = cap }

    /// Adds a ticket at the end of the queue.
    ///
    /// The caller must call ``leave(_:)`` with it in every case.
    func join(_ claim: Claim) -> Ticket {
        let ticket = Ticket(claim)
        update { $0.waiting.append(ticket) }
        return ticket
    }

    /// Waits until it is this ticket's turn.
    ///
    /// - Throws: `CancellationError`; the caller must call ``leave(_:)`` in this case too.
    func turn(of ticket: Ticket) async throws {
        do {
            try await ticket.turn.wait()
        } catch {
            // Other runs need not wait until the caller leaves.
            leave(ticket)
            throw error
        }
        try Task.checkCancellation()
    }

    /// Removes a ticket, so that other runs can begin.
    func leave(_ ticket: Ticket) {
        update { state in
            state.running.removeAll { $0 === ticket }
            state.waiting.removeAll { $0 === ticket }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admit(cap: cap)
        }
        for ticket in admitted { ticket.turn.resolve(()) }
    }
}
