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

/// The facts about entries that a run learns, and that apply until its end.
struct RunMemory: Sendable {
    /// Creations with an unknown outcome; they are not sent.
    var blocked: Set<EntryKey> = []
    /// Creations of earlier runs that are sent again although the server may have them.
    ///
    /// They keep their in-flight marks until the server confirms them.
    var sentAgain: Set<EntryKey> = []
    /// Entries that were pushed again as creations; this happens at most once per entry.
    var recreated: Set<EntryKey> = []
    /// Entries that were merged with the server's version; this happens at most once per entry.
    var merged: Set<EntryKey> = []
    /// Entries whose existence on the server was checked: those created again, or below such an entry.
    var verified: Set<EntryKey> = []
    /// Entries among these that exist without local changes and keep their parent; a sync down fetches them.
    var independent: Set<EntryKey> = []
    /// The places at which the soups have children in the trees of other sync ups.
    var otherTrees: [SoupName: [TreePlace]] = [:]
}
