// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
public import SoupCore

/// The events of one session, in order: the states of the syncs that it started, as JSON objects.
///
/// An event is the row of the sync with `isGlobalStore` and `storeName`. A reader that is slow misses states of a sync
/// in progress, but not the last one. The sequence ends when the session ends, when another sequence for the session is
/// opened, or when 500 events wait: the client then reads the states of its syncs. All iterators share the events.
public struct BridgeEvents: AsyncSequence, Sendable {
    let queue: EventQueue

    /// Returns an iterator, which shares the events with all others.
    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

    /// An element of a stream that must not be silent for long.
    package enum Message: Sendable {
        case event(JSONText)
        /// The answer to ``requestSign()``.
        case sign
    }

    /// Returns the next event or sign; nil at the end, and in a cancelled task.
    package func message() async -> Message? { await queue.message() }

    /// Lets ``message()`` return a sign if no event waits.
    package func requestSign() { queue.requestSign() }

    /// Iterates over the events; a cancelled task gets nil.
    public struct Iterator: AsyncIteratorProtocol {
        let queue: EventQueue

        /// Returns the next event; nil at the end.
        public func next() async -> JSONText? {
            while let message = await queue.message() {
                if case .event(let event) = message { return event }
            }
            return nil
        }
    }
}

/// The events of a session that wait for their reader.
final class EventQueue: Sendable {
    struct Event: Sendable {
        /// The sync, in its store.
        var sync: SyncKey
        /// Whether it is the last event of its run.
        var isLast: Bool
        var json: JSONText
    }

    private struct State {
        var events: [Event] = []
        var isSignRequested = false
        var isClosed = false
    }

    /// The number of waiting events from which on a state in progress replaces the one before it.
    private static let capacity = 100
    /// The number of waiting events at which the sequence ends, because the client does not read it.
    private static let limit = 500

    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ event: Event) {
        let isTooSlow = state.withLock { state -> Bool in
            guard !state.isClosed else { return false }
            let isFull = state.events.count >= Self.capacity
            if isFull, let old = state.events.lastIndex(where: { $0.sync == event.sync }), !state.events[old].isLast {
                state.events[old] = event
            } else {
                state.events.append(event)
            }
            return state.events.count >= Self.limit
        }
        if isTooSlow { close() } else { signal.yield() }
    }

    /// Whether no event waits.
    var isEmpty: Bool { state.withLock { $0.events.isEmpty } }

    /// Ends the sequence after the events that wait now.
    func close() {
        state.withLock { $0.isClosed = true }
        signal.finish()
    }

    func requestSign() {
        state.withLock { $0.isSignRequested = true }
        signal.yield()
    }

    func message() async -> BridgeEvents.Message? {
        while true {
            let (message, isClosed) = state.withLock { state -> (BridgeEvents.Message?, Bool) in
                if !state.events.isEmpty { return (.event(state.events.removeFirst().json), false) }
                defer { state.isSignRequested = false }
                return (state.isSignRequested ? .sign : nil, state.isClosed)
            }
            if let message { return message }
            if isClosed { return nil }
            for await _ in signals { break }
            if Task.isCancelled { return nil }
        }
    }
}
