// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// Those who want to know of changes.
final class ChangeObservers: Sendable {
    private struct State {
        var observers: [Int: (soups: Set<SoupName>, continuation: AsyncStream<StoreChange>.Continuation)] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreChange.self)
        let key = state.withLock { state -> Int? in
            if state.isFinished { return nil }
            state.next += 1
            state.observers[state.next] = (soups, continuation)
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

    /// Ends the streams of everybody who listens: no write follows.
    func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            return Array(state.observers.values)
        }
        for observer in observers { observer.continuation.finish() }
    }

    /// Tells of a write that was kept.
    func send(_ changed: Set<SoupName>) {
        for (soups, continuation) in state.withLock({ Array($0.observers.values) }) {
            let seen = soups.intersection(changed)
            if !seen.isEmpty { continuation.yield(StoreChange(soups: seen)) }
        }
    }
}
