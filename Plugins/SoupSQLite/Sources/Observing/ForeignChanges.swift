// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import SoupCore
internal import Synchronization

/// Reports the writes of other processes, and of other opened stores of the file, to the observers of this one.
///
/// A signal leads to a check, which compares the numbers of the last writes of all soups with those of the previous
/// check (see ``WriteNumbers``). The numbers decide, and not the signals: a signal may come for nothing, and one signal
/// may stand for several writes. The numbers of own writes are ignored, because a write notifies the observers itself.
///
/// The store listens while it has observers. The first numbers are read after it begins to listen and before
/// `changes(in:)` returns, so no later write is missed. During a suspension nothing is read, and the first check after
/// it reports all soups.
final class ForeignChanges: Sendable {
    private struct State {
        /// The receiver of the signals; nil while there are no observers.
        var signals: (any CommitListener)?
        /// The numbers of the last check; nil if they could not be read.
        var known: [SoupName: Int64]?
        var lastCheck: ContinuousClock.Instant?
        /// Whether a later check is planned.
        var isPlanned = false
        /// The observer of suspensions, also while there are no observers: one may begin during a suspension.
        var suspension: SuspensionObserver?
        var isSuspended = false
        var isClosed = false
    }

    /// The shortest time between two checks: a load that commits many small transactions causes few checks.
    private static var pause: Duration { .milliseconds(5) }

    private let state = Mutex(State())
    /// The soups that a write of this store is removing.
    ///
    /// They have a lock of their own: a write must not wait for a check, which reads the file.
    private let removals = Mutex<Set<SoupName>>([])
    private let queue = DispatchQueue(label: "SoupKit.SQLiteStore.foreignChanges", qos: .userInitiated)
    private let observers: ChangeObservers
    private let numbers: WriteNumbers
    private let signal: any CommitSignal
    private let read: @Sendable () throws -> [SoupName: Int64]?

    /// - Parameters:
    ///   - center: the notification center of the suspensions.
    ///   - read: returns the number of the last write of each soup; nil if no connection is free at the moment.
    init(
        observers: ChangeObservers, numbers: WriteNumbers, signal: any CommitSignal,
        center: NotificationCenter = .default,
        read: @escaping @Sendable () throws -> [SoupName: Int64]?
    ) {
        self.observers = observers
        self.numbers = numbers
        self.signal = signal
        self.read = read
        let suspension = SuspensionObserver(in: center) { [weak self] in self?.setSuspended($0) }
        state.withLock { $0.suspension = suspension }
    }

    /// Whether the store listens to signals.
    var isListening: Bool { state.withLock { $0.signals != nil } }

    /// Begins to listen if there is an observer, and ends it if there is none.
    func updateListening() {
        state.withLock { state in
            let isNeeded = !observers.isEmpty && !state.isClosed
            guard isNeeded != (state.signals != nil) else { return }
            guard isNeeded else { return stop(&state) }
            state.signals = signal.listen(on: queue) { [weak self] in self?.checkSoon() }
            // The end of a suspension leads to a check.
            if state.isSuspended { return }
            state.known = try? read()
            // Without numbers to compare with, the check reports all observed soups.
            if state.known == nil { planCheck(&state) }
        }
    }

    /// Ends the observation permanently, because the store is closed.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.suspension = nil
            stop(&state)
        }
    }

    /// Notes that a write of this store is about to remove soups, so that their missing numbers are no foreign change.
    ///
    /// Called before the write is committed: a check may read the numbers directly after that.
    func beginRemoval(of soups: Set<SoupName>) {
        if soups.isEmpty { return }
        removals.withLock { $0.formUnion(soups) }
    }

    /// Notes that the write has ended.
    func endRemoval(of soups: Set<SoupName>, isCommitted: Bool) {
        if soups.isEmpty { return }
        state.withLock { state in
            if isCommitted { for soup in soups { state.known?[soup] = nil } }
            removals.withLock { $0.subtract(soups) }
        }
    }

    private func stop(_ state: inout State) {
        state.signals = nil
        state.known = nil
    }

    /// Waits for the check in progress, so that no lock on the file is held when the app is suspended.
    private func setSuspended(_ isSuspended: Bool) {
        state.withLock { state in
            state.isSuspended = isSuspended
            if !isSuspended { planCheck(&state) }
        }
    }

    // MARK: Checks

    /// Checks now, or a little later if the last check was just before.
    private func checkSoon() {
        let isDue = state.withLock { state in
            if let last = state.lastCheck, .now - last < Self.pause {
                planCheck(&state)
                return false
            }
            return true
        }
        if isDue { check() }
    }

    private func planCheck(_ state: inout State) {
        if state.isPlanned { return }
        state.isPlanned = true
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(Self.pause / .milliseconds(1)))) { [weak self] in
            self?.state.withLock { $0.isPlanned = false }
            self?.check()
        }
    }

    /// Compares the numbers, and notifies the observers of the soups whose numbers are new.
    private func check() {
        let changed = state.withLock { state in
            guard state.signals != nil, !state.isSuspended else { return [] as Set<SoupName> }
            state.lastCheck = .now
            do {
                guard let current = try read() else {
                    planCheck(&state)
                    return []
                }
                defer { state.known = current }
                guard let known = state.known else { return observers.observedSoups }
                let removed = removals.withLock { $0 }
                return observers.observedSoups.filter { soup in
                    if current[soup] == nil, removed.contains(soup) { return false }
                    return isForeign(current[soup], after: known[soup])
                }
            } catch {
                // The write that was signalled is committed: an observer that reads the store finds it.
                state.known = nil
                return observers.observedSoups
            }
        }
        observers.send(changed)
    }

    /// Returns whether a write of another opened store replaced a number.
    private func isForeign(_ number: Int64?, after known: Int64?) -> Bool {
        guard number != known else { return false }
        return number.map { !numbers.contains($0) } ?? true
    }
}
