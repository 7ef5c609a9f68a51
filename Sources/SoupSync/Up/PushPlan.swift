// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The fixed values of one sync up run.
struct PushPlan: Sendable {
    let target: any SyncUpTarget
    let layout: RecordLayout
    let mergeMode: MergeMode
    let policy: any PushPolicy
    /// Resolves the conflicts that remain after a merge by field.
    let decideConflict: @Sendable (RecordConflict) -> ConflictResolution
    /// Whether the store keeps synced copies of all soups of the layout.
    let keepsSyncedCopies: Bool
    /// The members of records that a push can send, by the position of the level; without a value for a kind of change,
    /// any member.
    let sentMembers: [[RecordChange.Kind: Set<String>]]
    /// The objects on the server, if the target names them, by the position of the level.
    let objectTypes: [[RecordChange.Kind: String]]

    init(
        _ definition: SyncDefinition, target: any SyncUpTarget, resolver: (any ConflictResolver)?,
        services: RunServices
    ) {
        self.target = target
        decideConflict = services.decision(by: resolver)
        layout = target.recordLayout(for: definition.soup)
        mergeMode = definition.options.mergeMode
        policy = mergeMode.policy(for: layout)
        keepsSyncedCopies = services.keepsSyncedCopies(of: layout)
        let lists = layout.levels.indices.map { position in
            // The target lists the fields of records that the transforms have changed.
            target is TransformedUpTarget ? [] : target.pushedFields(level: position, with: definition.options)
        }
        sentMembers = lists.map { lists in Dictionary(lists.map { ($0.kind, Set($0.members)) }) { $0.union($1) } }
        objectTypes = lists.map { lists in
            Dictionary(lists.compactMap { list in list.objectType.map { (list.kind, $0) } }) { first, _ in first }
        }
    }

    /// The maximum number of trees in a batch.
    var batchSize: Int { max(1, target.maxBatchSize) }

    /// Returns the changes whose push asks the server to compare the versions of their records.
    func conditionalChanges(in trees: [PushTree], except refused: Set<EntryKey>) -> Set<EntryKey> {
        guard policy.detectsConflicts else { return [] }
        let records = trees.flatMap(\.records).filter { record in
            (record.kind == .update || record.kind == .delete) && !refused.contains(record.key)
                && target.isConditional(record.change(), under: mergeMode)
        }
        return Set(records.map(\.key))
    }

    /// Returns a reader of the changes to push.
    func reader(_ runState: UpRunState) -> TreeReader {
        TreeReader(
            layout: layout, blocked: runState.blocked, independent: runState.independent,
            readsUnchangedChildren: policy.readsUnchangedChildren, readsBases: policy.readsBases,
            keepsSyncedCopies: keepsSyncedCopies)
    }
}
