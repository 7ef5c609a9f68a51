// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The report of a run to the app: its events and its end.
struct RunReport: Sendable {
    let log = RunLog()
    let end = Promise<SyncResult>()

    func send(_ state: SyncState) { log.append(.state(state)) }

    func send(_ outcome: RecordOutcome) { log.append(.outcome(outcome)) }

    /// Sends the last state, and resumes all tasks that wait for the end.
    func finish(_ result: SyncResult) {
        send(result.state)
        log.finish()
        end.resolve(result)
    }
}
