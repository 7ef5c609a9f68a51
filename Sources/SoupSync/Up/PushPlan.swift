// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The fixed values of one sync up run.
struct PushPlan: Sendable {
    let target: any SyncUpTarget
    let layout: RecordLayout
    let mode: MergeMode
    let policy: any PushPolicy
    /// Resolves the conflicts that a merge by field leaves.
    let decideConflict: @Sendable (RecordConflict) -> ConflictResolution
    /// Whether the store keeps synced copies.
    let keepsSyncedCopies: Bool

    init(
        _ definition: SyncDefinition, target: any SyncUpTarget, resolver: (any ConflictResolver)?,
        services: RunServices
    ) {
        self.target = target
        decideConflict = services.decision(by: resolver)
        layout = target.recordLayout(for: definition.soup)
        mode = definition.options.mergeMode
        policy = mode.policy(for: layout)
        keepsSyncedCopies = services.backend.capabilities.contains(.syncedCopies)
    }

    /// The maximum number of trees in a batch.
    var batchSize: Int { max(1, target.maxBatchSize) }

    /// Returns a reader of the changes to push.
    func reader(_ memory: RunMemory) -> TreeReader {
        TreeReader(
            layout: layout, blocked: memory.blocked, independent: memory.independent,
            readsUnchangedChildren: mode == .leaveIfChanged, readsBases: mode == .merge,
            keepsSyncedCopies: keepsSyncedCopies)
    }
}
