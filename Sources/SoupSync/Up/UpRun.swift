// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// One run of a sync up, which pushes the local changes of a soup, or of a tree of soups.
///
/// The changes are pushed in batches, and each batch takes six steps; see ``push(_:_:)``. The ``PushPolicy`` of the
/// merge mode decides about a tree, and ``UpWriter`` writes to the store.
struct UpRun: SyncBody {
    let plan: PushPlan
    let services: RunServices
    var queue: PushQueue
    var memory = RunMemory()
    var progress: UpProgress

    var row: SyncRow { progress.row }
    var result: SyncResult { progress.result }

    init(
        _ row: SyncRow, target: any SyncUpTarget, resolver: (any ConflictResolver)?, services: RunServices,
        report: RunReport
    ) {
        plan = PushPlan(row.state.definition, target: target, resolver: resolver, services: services)
        self.services = services
        queue = PushQueue(batchSize: plan.batchSize, maximumRounds: services.settings.lockPauses.count)
        progress = UpProgress(row, report: report)
    }

    mutating func run() async throws {
        try await prepare()
        repeat {
            while let work = queue.next() {
                switch work {
                case .remove(let roots): try await removeLocalOnly(roots)
                case .push(let roots, let kind):
                    try Task.checkCancellation()
                    try await push(roots, kind)
                }
            }
        } while try await waitForLocks()
        try await finish()
    }

    /// Pushes a batch of trees, which are given by their roots.
    ///
    /// While the batch is in flight, the run cannot be interrupted until its outcomes are saved.
    private mutating func push(_ roots: [Int64], _ kind: RecordChange.Kind) async throws {
        // Read the trees as they are now, with what the store knows about them.
        var batch = try await read(roots, kind)
        // Ask the server what the policy needs to know, and decide about each tree.
        try await askAndDecide(&batch)
        // Apply the decisions to the store, and mark the creations that are about to be sent.
        let sent = try await mark(batch)
        // Send the trees, and wait for the answer.
        let outcomes = try await send(sent)
        // Apply the outcomes to the store.
        try await apply(outcomes, to: sent)
    }
}
