// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupStore
internal import SoupSync
internal import Synchronization

/// A sync in one of the stores of a bridge.
struct SyncKey: Sendable, Hashable {
    let store: BridgeStoreName
    let id: Int64
}

/// The numbers of a bridge's cursors.
///
/// A session that ended can begin again with the same identifier; a cursor of the ended one must not be that of another
/// query.
final class CursorNumbers: Sendable {
    private let last = Mutex(0)

    func next() -> String {
        last.withLock { last in
            last += 1
            return String(last)
        }
    }
}

/// The cursors, events and runs of one client of a bridge.
final class BridgeSession: Sendable {
    /// A cursor, and the store that it reads.
    struct OpenCursor: Sendable {
        var place: CursorPlace
        let store: BridgeStoreName
        /// The time of its last use, as a number that counts uses.
        var lastUse: Int
    }

    private struct State {
        var cursors: [String: OpenCursor] = [:]
        var uses = 0
        var runs: [Int: SyncRun] = [:]
        var lastRun = 0
        var queue: EventQueue?
        var isEnded = false
        var lastCall: Int64
        var calls: [Int: Task<BridgeAnswer, Never>] = [:]
        var lastCallNumber = 0
        /// The number of users that found the session, and have not finished.
        var holds = 0
    }

    let maximumCursors: Int
    private let cursorNumbers: CursorNumbers
    private let state: Mutex<State>

    init(maximumCursors: Int, cursorNumbers: CursorNumbers, now: Int64) {
        self.maximumCursors = maximumCursors
        self.cursorNumbers = cursorNumbers
        state = Mutex(State(lastCall: now))
    }

    // MARK: - Cursors

    /// Returns an identifier that no other cursor of the bridge has had.
    func newCursorId() -> String { cursorNumbers.next() }

    /// Saves a cursor; if the session has as many as it may have, the one that was not used for the longest time is
    /// closed.
    func save(_ place: CursorPlace, of store: BridgeStoreName) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.uses += 1
            if state.cursors[place.id] == nil, state.cursors.count >= maximumCursors,
                let oldest = state.cursors.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.cursors[oldest.key] = nil
            }
            state.cursors[place.id] = OpenCursor(place: place, store: store, lastUse: state.uses)
        }
    }

    /// Returns an open cursor.
    ///
    /// - Throws: ``SoupError`` with `unknownCursor` if the session has no such cursor for this store.
    func cursor(_ id: String, of store: BridgeStoreName) throws -> CursorPlace {
        let cursor = state.withLock { state in
            state.uses += 1
            state.cursors[id]?.lastUse = state.uses
            return state.cursors[id]
        }
        guard let cursor, cursor.store == store else {
            throw SoupError(
                .unknownCursor, "Invalid cursor id: \(id.excerpt(100))",
                hint: "A cursor is valid in its session and for its store, until it is closed. Query again.")
        }
        return cursor.place
    }

    /// Replaces the place of a cursor, unless it was closed in the meantime.
    func replace(_ place: CursorPlace) { state.withLock { $0.cursors[place.id]?.place = place } }

    /// Closes a cursor of a store; an unknown one is ignored.
    func closeCursor(_ id: String, of store: BridgeStoreName) {
        state.withLock { state in
            if state.cursors[id]?.store == store { state.cursors[id] = nil }
        }
    }

    /// Closes the cursors of a store that is removed.
    func closeCursors(of store: BridgeStoreName) {
        state.withLock { state in state.cursors = state.cursors.filter { $0.value.store != store } }
    }

    // MARK: - Events

    /// Opens the sequence of events; an earlier one ends.
    func openEvents() -> EventQueue {
        let queue = EventQueue()
        let earlier = state.withLock { state -> EventQueue? in
            defer { state.queue = queue }
            return state.queue
        }
        earlier?.close()
        return queue
    }

    /// Whether a sequence of events is the current one.
    func reads(_ queue: EventQueue) -> Bool { state.withLock { $0.queue === queue } }

    /// Sends the events of a run to the client, until it ends; a client that does not read events gets none.
    ///
    /// - Parameter answered: fulfilled when the client has the answer of the call that began the run.
    func follow(_ run: SyncRun, of store: BridgeStoreName, after answered: Promise<Void>) {
        let (number, isEnded) = state.withLock { state in
            state.lastRun += 1
            if !state.isEnded { state.runs[state.lastRun] = run }
            return (state.lastRun, state.isEnded)
        }
        // The client is gone: no sync that it started stays behind.
        if isEnded { return run.cancel() }
        let key = SyncKey(store: store, id: run.id)
        Task {
            await answered.waitUncancelled()
            for await event in run.events() {
                guard case .state(let state) = event else { continue }
                let queue = self.state.withLock { $0.queue }
                queue?.add(
                    EventQueue.Event(sync: key, isLast: state.status != .running, json: state.bridgeJSON(in: store)))
            }
            self.state.withLock { $0.runs[number] = nil }
        }
    }

    // MARK: - Life

    /// Adds a call in progress, and returns its number; a session that has ended cancels it.
    func begin(_ call: Task<BridgeAnswer, Never>) -> Int {
        let (number, isEnded) = state.withLock { state in
            state.lastCallNumber += 1
            state.calls[state.lastCallNumber] = call
            return (state.lastCallNumber, state.isEnded)
        }
        if isEnded { call.cancel() }
        return number
    }

    /// Removes a call that is complete.
    func end(call number: Int) { state.withLock { $0.calls[number] = nil } }

    /// Keeps the session in use until ``release(at:)``.
    func hold() { state.withLock { $0.holds += 1 } }

    /// Ends a ``hold()``.
    func release(at now: Int64) {
        state.withLock { state in
            state.holds -= 1
            state.lastCall = now
        }
    }

    /// The time of the last use if nothing keeps the session, and nil if something does: events that are read, a call
    /// or a sync in progress.
    var unusedSince: Int64? {
        state.withLock { $0.queue == nil && $0.holds == 0 && $0.runs.isEmpty ? $0.lastCall : nil }
    }

    /// Ends the session: closes its cursors and its events, cancels its calls, and stops the syncs that it started.
    func end() {
        let (queue, runs, calls) = state.withLock { state in
            defer {
                state.isEnded = true
                state.cursors = [:]
                state.runs = [:]
                state.queue = nil
            }
            return (state.queue, Array(state.runs.values), Array(state.calls.values))
        }
        queue?.close()
        for call in calls { call.cancel() }
        for run in runs { run.cancel() }
    }

    /// The numbers of open cursors and of runs in progress.
    var counts: (cursors: Int, runs: Int) { state.withLock { ($0.cursors.count, $0.runs.count) } }
}
