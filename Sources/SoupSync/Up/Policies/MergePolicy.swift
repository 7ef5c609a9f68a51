// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A policy that merges the local changes with the server's changes before a tree is pushed.
///
/// Server versions of records without local changes are not merged; a sync down fetches them.
struct MergePolicy: PushPolicy {
    let detectsConflicts = true
    let treatsDeletionsAsConflicts = true
    let recreatesDeletedRecords = false
    let readsUnchangedChildren = false
    let readsBases = true
    /// A merge without the server's version could lose changes of other users.
    let requiresServerRecords = true

    func decide(_ tree: PushTree, knowing facts: TreeFacts) -> PushDecision {
        if let decision = RecreationCheck.decide(tree, knowing: facts) { return decision }
        let checked = tree.recordsToCheck(facts)
        if !checked.isEmpty {
            if let failure = facts.failure { return .hold(.failure(failure)) }
            guard checked.allSatisfy({ facts.states[$0.key] != nil }) else { return .ask(.states(checked)) }
            let finished = tree.finishedDeletions(facts, isAtomic: false)
            guard finished.isEmpty else { return .resolve(finished) }
            if let decision = merge(tree, checked: checked, facts: facts) { return decision }
        }
        // If the server cannot report its versions, conflicts that a sync down found are still open.
        return tree.records.contains { facts.inConflict.contains($0.key) } ? .hold(.conflict) : .push
    }

    /// Returns the decision about the records with another version on the server; `nil` if there are none.
    private func merge(_ tree: PushTree, checked: [PushRecord], facts: TreeFacts) -> PushDecision? {
        let lostParents = tree.lostParents(facts)
        let newer = checked.filter { $0.isDirty && !$0.mayReplace(facts) }
        // For a creation, the deletion of its parent is a conflict like a deletion of the record.
        let orphanedCreations = tree.children.filter {
            $0.kind == .create && lostParents[$0.key] != nil && !facts.merged.contains($0.key)
        }
        guard !newer.isEmpty || !orphanedCreations.isEmpty else {
            // An updated record below a deleted parent exists, and the user must decide whether to create the parent
            // again.
            let hasOrphanedUpdate = tree.children.contains {
                $0.isDirty && $0.kind == .update && lostParents[$0.key] != nil
            }
            return hasOrphanedUpdate ? .hold(.parentDeletedOnServer) : nil
        }
        // A record that was merged but still looks older than the server's version would be merged again forever.
        if newer.contains(where: { facts.merged.contains($0.key) }) { return .hold(.newerOnServer) }
        let remaining = newer.filter { facts.states[$0.key] != .deleted }
        guard remaining.allSatisfy({ facts.records[$0.key] != nil }) else { return .ask(.records(remaining)) }
        if remaining.contains(where: { facts.records[$0.key] == .unsupported }) { return .hold(.newerOnServer) }
        return .resolve(
            (newer + orphanedCreations).map { .init(record: $0, action: .merge(facts.records[$0.key]?.record)) })
    }
}
