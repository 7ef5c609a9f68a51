// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
        var sleeps: [Duration] = []
    }

    private let state: Mutex<State>

    /// Creates a clock whose time is rounded to the nearest millisecond; the default is 2024-01-15T12:00:00Z.
    public convenience init(now: Date = Date(timeIntervalSince1970: 1_705_320_000)) {
        self.init(now: now, advancesItself: false)
    }

    private init(now: Date, advancesItself: Bool) {
        state = Mutex(State(now: now.millisecondsSince1970, advancesItself: advancesItself))
    }

    /// Creates a clock on which every sleep advances the time and returns at once.
    public static func advancing(from now: Date = Date(timeIntervalSince1970: 1_705_320_000)) -> ManualClock {
        ManualClock(now: now, advancesItself: true)
    }

    /// The time as set by the test or advanced by sleeps, in whole milliseconds.
    public var now: Date { Date(millisecondsSince1970: state.withLock { $0.now }) }

    /// The requested duration of each sleep, in the order in which they began.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Advances the time, by a duration rounded up to whole milliseconds, and resumes the tasks whose deadline has
    /// passed.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = Self.sum(state.now, duration.milliseconds)
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
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextId += 1
            state.sleeps.append(duration)
            return state.nextId
        }
        guard let end = begin(id, milliseconds: duration.milliseconds) else { return }
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
                state.now = Self.sum(state.now, max(0, milliseconds))
                return (nil, [])
            }
            guard milliseconds > 0 else { return (nil, []) }
            let sleeper = Sleeper(id: id, deadline: Self.sum(state.now, milliseconds))
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let ready = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return (sleeper.end, ready)
        }
        for watcher in watchers { watcher.isReady.resolve(()) }
        return end
    }

    /// Returns the sum, limited to the range of the type.
    private static func sum(_ time: Int64, _ milliseconds: Int64) -> Int64 {
        let (sum, isBeyond) = time.addingReportingOverflow(milliseconds)
        return isBeyond ? (milliseconds < 0 ? .min : .max) : sum
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.sleepers.remove(at: index)
        }
        sleeper?.end.resolve(false)
    }
}
