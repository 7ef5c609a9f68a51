// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A policy that pushes every change, whatever version the server has.
///
/// Records that were deleted on the server are recreated.
struct OverwritePolicy: PushPolicy {
    let detectsConflicts = false
    let treatsDeletionsAsConflicts = false
    let recreatesDeletedRecords = true
    let readsUnchangedChildren = false
    let readsBases = false
    let requiresServerRecords = false

    func decide(_ tree: PushTree, knowing facts: TreeFacts) -> PushDecision {
        RecreationCheck.decide(tree, knowing: facts) ?? .push
    }
}
