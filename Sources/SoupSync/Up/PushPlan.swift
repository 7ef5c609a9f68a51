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
    /// Whether the store keeps synced copies.
    let keepsSyncedCopies: Bool

    init(
        _ definition: SyncDefinition, target: any SyncUpTarget, resolver: (any ConflictResolver)?,
        services: RunServices
    ) {
        self.target = target
        decideConflict = services.decision(by: resolver)
        layout = target.recordLayout(for: definition.soup)
        mergeMode = definition.options.mergeMode
        policy = mergeMode.policy(for: layout)
        keepsSyncedCopies = services.backend.capabilities.contains(.syncedCopies)
    }

    /// The error of a run whose merge mode compares versions, with a target that cannot report them.
    ///
    /// Without the comparison, a push could replace changes of other users.
    var statesMissing: SoupError {
        SoupError(
            .notSupported,
            "target \"\(type(of: target).name)\" does not report the states of records on the server, which the merge mode "
                + "\(mergeMode.rawValue) compares",
            hint: "Implement serverStates(of:in:) in the target, or use the merge mode OVERWRITE.")
    }

    /// The maximum number of trees in a batch.
    var batchSize: Int { max(1, target.maxBatchSize) }

    /// Returns a reader of the changes to push.
    func reader(_ runState: UpRunState) -> TreeReader {
        TreeReader(
            layout: layout, blocked: runState.blocked, independent: runState.independent,
            readsUnchangedChildren: policy.readsUnchangedChildren, readsBases: policy.readsBases,
            keepsSyncedCopies: keepsSyncedCopies)
    }
}
