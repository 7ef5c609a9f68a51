// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What a run tells the outside: its events and its end.
struct RunReport: Sendable {
    let events: AsyncStream<SyncEvent>
    let end = RunEnd()
    private let continuation: AsyncStream<SyncEvent>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream(of: SyncEvent.self, bufferingPolicy: .unbounded)
    }

    func tell(_ state: SyncState) { continuation.yield(.state(state)) }

    func tell(_ outcome: RecordOutcome) { continuation.yield(.outcome(outcome)) }

    /// Tells the last state and lets everybody go who waits for the end.
    func finish(_ result: SyncResult) {
        continuation.yield(.state(result.state))
        continuation.finish()
        end.resolve(result)
    }
}
