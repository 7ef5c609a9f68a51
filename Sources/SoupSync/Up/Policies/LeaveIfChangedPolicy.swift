// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A policy that pushes a tree only if no record in it has a newer version on the server, or was deleted there.
///
/// A tree is pushed as a whole or not at all, so unchanged records of the tree are checked too.
struct LeaveIfChangedPolicy: PushPolicy {
    let detectsConflicts = true
    let treatsDeletionsAsConflicts = false
    let recreatesDeletedRecords = false
    let readsUnchangedChildren = true
    let readsBases = false
    let requiresServerRecords = false

    let layout: RecordLayout

    func decide(_ tree: PushTree, knowing facts: TreeFacts) -> PushDecision {
        if let decision = RecreationCheck.decide(tree, knowing: facts) { return decision }
        let checked = tree.recordsToCheck(facts)
        guard !checked.isEmpty else { return .push }
        if let failure = facts.failure { return .hold(.failure(failure)) }
        guard checked.allSatisfy({ facts.states[$0.key] != nil }) else { return .ask(.states(checked)) }
        let finished = tree.finishedDeletions(facts, isAtomic: true)
        guard finished.isEmpty else { return .resolve(finished) }

        let lostParents = Set(tree.lostParents(facts).values.joined().map(\.key))
        let newer = checked.filter { preventsPush($0, of: tree, lostParents: lostParents, facts: facts) }
        guard !newer.isEmpty else { return .push }
        let unknown = newer.filter { $0.isDirty && facts.states[$0.key] != .deleted }
        guard unknown.allSatisfy({ facts.records[$0.key] != nil }) else { return .ask(.records(unknown)) }
        let pushed = newer.compactMap { record -> PushDecision.Resolution? in
            guard record.kind == .update, let remote = facts.records[record.key]?.record else { return nil }
            return isPushed(record, to: remote) ? .init(record: record, action: .markClean(remote)) : nil
        }
        guard pushed.isEmpty else { return .resolve(pushed) }

        if newer.allSatisfy({ !$0.isDirty && !lostParents.contains($0.key) }),
            tree.records.allSatisfy({ !$0.isDirty || facts.decided.contains($0.key) })
        {
            return .push
        }
        return .hold(reason(newer[0], lostParents: lostParents, facts: facts))
    }

    /// Returns whether a record of the tree prevents the push of the tree.
    private func preventsPush(
        _ record: PushRecord, of tree: PushTree, lostParents: Set<EntryKey>, facts: TreeFacts
    ) -> Bool {
        guard !record.mayReplace(facts) else { return false }
        if record.isDirty { return true }
        // If the root was deleted on both sides, a deletion cannot destroy any change on the server.
        if tree.root.kind == .delete, facts.states[tree.key] == .deleted { return false }
        // An unchanged parent that was deleted prevents the push only if a record below it needs it. An unchanged
        // record without changes below it is a sibling, whose deletion is a change of the tree.
        let isParent = tree.records.contains { $0.key == record.key }
        return facts.states[record.key] != .deleted || !isParent || lostParents.contains(record.key)
    }

    /// Returns whether the server's record contains all values that a push would send.
    ///
    /// This is the state after a lost response: the server applied the update, but the entry was not marked as clean.
    /// Otherwise the entry would be refused forever, as older than its own update.
    private func isPushed(_ record: PushRecord, to remote: JSONText) -> Bool {
        // The members that were left out are still to be sent.
        guard record.omitted.isEmpty else { return false }
        let serverMembers = EntryMerge.serverMembers(layout.levels[record.level], in: [record.record, remote])
        return remote.members?.contains { !serverMembers.contains($0.key) } ?? false
            && RecordMerge(base: nil, local: record.record, remote: remote, serverMembers: serverMembers).conflicts
                .isEmpty
    }

    private func reason(
        _ record: PushRecord, lostParents: Set<EntryKey>, facts: TreeFacts
    ) -> HoldReason {
        guard facts.states[record.key] == .deleted else { return .newerOnServer }
        if lostParents.contains(record.key) { return .parentDeletedOnServer }
        return record.isDirty ? .deletedOnServer : .newerOnServer
    }
}
