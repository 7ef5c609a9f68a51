// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Pushes every change, whatever the server has.
///
/// Records that were deleted on the server are recreated.
struct OverwritePolicy: PushPolicy {
    func decide(_ tree: PushTree, knowing facts: TreeFacts) -> PushDecision {
        RecreationCheck.decide(tree, knowing: facts) ?? .push
    }
}
