// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import Synchronization

/// A clock whose time changes only when a test advances it.
///
/// Tasks that sleep on it resume when it has advanced to their deadlines, in the order of the deadlines. A clock from
/// ``advancing(from:)`` advances itself instead: a sleep returns at once, and the time moves forward by its duration.
public final class ManualClock: SoupClock {
    private struct Sleeper {
        var id: Int
        var deadline: Int64
        /// True if the clock has advanced to the deadline, false if the task was cancelled before.
        let end = Promise<Bool>()
    }

    private struct Watcher {
        var count: Int
        let isReady = Promise<Void>()
    }

    private struct State {
        var now: Int64
        var advancesItself: Bool
        var nextId = 0
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
        var sleeps: [Int64] = []
    }

    private let state: Mutex<State>

    /// - Parameter now: milliseconds since 1970; the default is 2024-01-15T12:00:00Z.
    public init(now: Int64 = 1_705_320_000_000) { state = Mutex(State(now: now, advancesItself: false)) }

    private init(now: Int64, advancesItself: Bool) { state = Mutex(State(now: now, advancesItself: advancesItself)) }

    /// Creates a clock on which every sleep advances the time and returns at once.
    public static func advancing(from now: Int64 = 1_705_320_000_000) -> ManualClock {
        ManualClock(now: now, advancesItself: true)
    }

    /// Milliseconds since 1970, as set by the test or advanced by sleeps.
    public var now: Int64 { state.withLock { $0.now } }

    /// The requested duration of each sleep, in milliseconds, in the order in which they began.
    public var sleeps: [Int64] { state.withLock { $0.sleeps } }

    /// Advances the time and resumes the tasks whose deadline has passed.
    public func advance(by milliseconds: Int64) {
        let woken = state.withLock { state in
            state.now += milliseconds
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in woken { sleeper.end.resolve(true) }
    }

    /// Waits until the clock has advanced by that duration; 0 and less return at once.
    ///
    /// Every call is recorded in ``sleeps``, even if its task is cancelled while it waits.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(milliseconds: Int64) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextId += 1
            state.sleeps.append(milliseconds)
            return state.nextId
        }
        guard let end = begin(id, milliseconds: milliseconds) else { return }
        let isDue = await withTaskCancellationHandler {
            await end.waitUncancelled()
        } onCancel: {
            cancel(id)
        }
        guard isDue else { throw CancellationError() }
    }

    /// Waits until at least `count` tasks sleep on this clock, so that a test can advance it.
    public func waitForSleepers(_ count: Int = 1) async {
        let watcher = Watcher(count: count)
        let isReady = state.withLock { state in
            if state.sleepers.count >= count { return true }
            state.watchers.append(watcher)
            return false
        }
        if !isReady { await watcher.isReady.waitUncancelled() }
    }

    /// Registers a sleeper, and returns the promise of its end; returns nil if the sleep ends at once.
    private func begin(_ id: Int, milliseconds: Int64) -> Promise<Bool>? {
        let (end, watchers) = state.withLock { state -> (Promise<Bool>?, [Watcher]) in
            if state.advancesItself {
                state.now += max(0, milliseconds)
                return (nil, [])
            }
            guard milliseconds > 0 else { return (nil, []) }
            let (sum, isBeyond) = state.now.addingReportingOverflow(milliseconds)
            let sleeper = Sleeper(id: id, deadline: isBeyond ? .max : sum)
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let ready = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return (sleeper.end, ready)
        }
        for watcher in watchers { watcher.isReady.resolve(()) }
        return end
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.sleepers.remove(at: index)
        }
        sleeper?.end.resolve(false)
    }
}
