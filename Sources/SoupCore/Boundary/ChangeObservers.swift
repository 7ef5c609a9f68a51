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
    ///
    /// - Parameter onEnd: called when the observer was removed: the stream was ended, or is no longer used.
    public func changes(
        in soups: Set<SoupName>, onEnd: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<StoreChange> {
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
            onEnd()
        }
        return stream
    }

    /// The soups that at least one observer observes.
    public var observedSoups: Set<SoupName> {
        state.withLock { $0.observers.values.reduce(into: []) { $0.formUnion($1.soups) } }
    }

    /// Whether there is no observer.
    public var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

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
