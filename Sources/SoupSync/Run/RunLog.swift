// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The events of a run, for any number of readers.
///
/// Events are kept for future readers only while a ``Subscription`` exists, because a run outlives its ``SyncRun``.
final class RunLog: Sendable {
    private struct State {
        var events: [SyncEvent] = []
        var readers: [AsyncStream<SyncEvent>.Continuation] = []
        var hasSubscription = true
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The access to the log that a ``SyncRun`` and its copies share.
    final class Subscription: Sendable {
        private let log: RunLog

        init(_ log: RunLog) { self.log = log }

        deinit { log.dropEvents() }

        func events() -> AsyncStream<SyncEvent> { log.events() }
    }

    func append(_ event: SyncEvent) {
        state.withLock { state in
            if state.hasSubscription { state.events.append(event) }
            state.readers.removeAll { reader in
                if case .terminated = reader.yield(event) { true } else { false }
            }
        }
    }

    /// Ends all streams; no event follows.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            for reader in state.readers { reader.finish() }
            state.readers = []
        }
    }

    private func events() -> AsyncStream<SyncEvent> {
        let (stream, reader) = AsyncStream.makeStream(of: SyncEvent.self, bufferingPolicy: .unbounded)
        state.withLock { state in
            for event in state.events { reader.yield(event) }
            if state.isFinished { reader.finish() } else { state.readers.append(reader) }
        }
        return stream
    }

    private func dropEvents() {
        state.withLock { state in
            state.hasSubscription = false
            state.events = []
        }
    }
}
