// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The observers of a store's changes, each with the soups that it observes.
///
/// A backend can use it to implement ``StoreBackend/changes(in:)``.
public final class ChangeObservers: Sendable {
    private struct Observer {
        var soups: Set<SoupName>
        var continuation: AsyncStream<StoreChange>.Continuation
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Creates a list without observers.
    public init() {}

    /// Returns a stream for one more observer, with the guarantees of ``StoreBackend/changes(in:)``.
    ///
    /// After ``finish()`` the stream ends at once.
    public func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreChange.self)
        let key = state.withLock { state -> Int? in
            if state.isFinished { return nil }
            state.next += 1
            state.observers[state.next] = Observer(soups: soups, continuation: continuation)
            return state.next
        }
        guard let key else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: key) }
        }
        return stream
    }

    /// Ends the streams of all observers; no write follows.
    public func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            return Array(state.observers.values)
        }
        for observer in observers { observer.continuation.finish() }
    }

    /// Notifies each observer of a committed write to the soups that it observes.
    ///
    /// - Parameter changed: the soups whose entries changed; if it is empty, no observer is notified.
    public func send(_ changed: Set<SoupName>) {
        if changed.isEmpty { return }
        let observers = state.withLock { Array($0.observers.values) }
        for observer in observers {
            let seen = observer.soups.intersection(changed)
            if !seen.isEmpty { observer.continuation.yield(StoreChange(soups: seen)) }
        }
    }
}
