// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What a run tells the outside: its events and its end.
///
/// It does not keep the stream of its events: when nobody has that any more, nothing is buffered for nobody.
struct RunReport: Sendable {
    let end = RunEnd()
    private let continuation: AsyncStream<SyncEvent>.Continuation

    private init(_ continuation: AsyncStream<SyncEvent>.Continuation) { self.continuation = continuation }

    /// A report, and the events that will be told.
    static func opened() -> (RunReport, events: AsyncStream<SyncEvent>) {
        let (events, continuation) = AsyncStream.makeStream(of: SyncEvent.self, bufferingPolicy: .unbounded)
        return (RunReport(continuation), events)
    }

    func tell(_ state: SyncState) { tell(.state(state)) }

    func tell(_ outcome: RecordOutcome) { tell(.outcome(outcome)) }

    /// Returns whether somebody can still read it.
    @discardableResult
    func tell(_ event: SyncEvent) -> Bool {
        if case .terminated = continuation.yield(event) { return false }
        return true
    }

    /// Tells the last state and lets everybody go who waits for the end.
    func finish(_ result: SyncResult) {
        tell(.state(result.state))
        continuation.finish()
        end.resolve(result)
    }
}
