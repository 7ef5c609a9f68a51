// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Reports the events and the end of a run to the app.
///
/// It does not keep the stream of events, so that events are not buffered after the app has released the stream.
struct RunReport: Sendable {
    let end = RunEnd()
    private let continuation: AsyncStream<SyncEvent>.Continuation

    private init(_ continuation: AsyncStream<SyncEvent>.Continuation) { self.continuation = continuation }

    /// Returns a new report and its stream of events.
    static func opened() -> (RunReport, events: AsyncStream<SyncEvent>) {
        let (events, continuation) = AsyncStream.makeStream(of: SyncEvent.self, bufferingPolicy: .unbounded)
        return (RunReport(continuation), events)
    }

    func send(_ state: SyncState) { send(.state(state)) }

    func send(_ outcome: RecordOutcome) { send(.outcome(outcome)) }

    /// Sends an event, and returns whether a reader of the stream still exists.
    @discardableResult
    func send(_ event: SyncEvent) -> Bool {
        if case .terminated = continuation.yield(event) { return false }
        return true
    }

    /// Sends the last state, and resumes all tasks that wait for the end.
    func finish(_ result: SyncResult) {
        send(.state(result.state))
        continuation.finish()
        end.resolve(result)
    }
}
