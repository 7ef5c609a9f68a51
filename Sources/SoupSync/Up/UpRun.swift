// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// One run of a sync up, which pushes the local changes of a soup, or of a tree of soups.
///
/// The changes are pushed in batches: first creations, then updates, then deletions. Each batch takes six steps: read,
/// ask, decide, mark, send, apply; see ``push(_:_:)``. The ``PushPolicy`` of the merge mode decides about a tree, and
/// ``UpWriter`` writes to the store. An error of a step ends the run; the outcomes of finished batches are saved.
struct UpRun: RunOperation {
    var plan: PushPlan
    let services: RunServices
    let observation: SyncObservation?
    var queue: PushQueue
    /// The entries that the run treats specially.
    var runState = UpRunState()
    var progress: UpProgress

    var row: SyncRow { progress.row }
    var result: SyncResult { progress.result }
    var connectionName: String? { plan.target.connectionName }

    init(
        _ row: SyncRow, target: any SyncUpTarget, resolver: (any ConflictResolver)?, services: RunServices,
        report: RunReport
    ) {
        plan = PushPlan(row.state.definition, target: target, resolver: resolver, services: services)
        self.services = services
        observation = services.observation(of: row.state.definition, target: target.pluginName)
        queue = PushQueue(batchSize: plan.batchSize, maximumRounds: services.settings.lockPauses.count)
        progress = UpProgress(row, report: report)
    }

    mutating func run() async throws {
        // Resolve the lost creations of earlier runs, and fill the queue.
        try await prepare()
        repeat {
            while let work = queue.next() {
                switch work {
                // Entries that were created and deleted locally: the server never had them.
                case .remove(let roots): try await removeLocalOnly(roots)
                case .push(let roots, let kind):
                    try Task.checkCancellation()
                    try await push(roots, kind)
                }
            }
        } while try await addWaiting()
        try await finish()
    }

    /// Adds trees to the queue again that could not be pushed before.
    ///
    /// - Returns: whether there are any.
    private mutating func addWaiting() async throws -> Bool {
        // Trees that refer to records that have got their IDs.
        if try await continueWaiting() { return true }
        // After a pause, trees that were locked on the server.
        if try await waitForLocks() { return true }
        if try await decideWaiting() { return true }
        // Deletions of records whose details had to be moved away first.
        return try await decidePostponedDeletions()
    }

    /// Pushes a batch of trees, which are given by their roots.
    ///
    /// Cancellation does not interrupt the steps from `send` on: the response is not lost, and its outcomes are saved.
    private mutating func push(_ roots: [EntryKey], _ kind: RecordChange.Kind) async throws {
        try services.checkRequestLimit(of: plan.target.connectionName)
        // Read the trees as they are now, with the facts about them in the store.
        var batch = try await read(roots, kind)
        // Decide about each tree. If the policy needs more facts, ask the server for them, and decide again.
        var questions = decide(&batch)
        while !questions.isEmpty {
            try await ask(questions, about: &batch)
            questions = decide(&batch)
        }
        // Apply the decisions to the store, and mark the creations that are about to be sent.
        let sent = try await mark(batch)
        // Send the trees, and wait for the answer.
        let (outcomes, duration) = try await send(sent)
        // Apply the outcomes to the store.
        try await apply(outcomes, to: sent, sentWithin: duration)
    }
}
