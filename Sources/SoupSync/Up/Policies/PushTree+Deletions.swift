// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The deletions on the server that affect a tree.
extension PushTree {
    /// Returns the unchanged parents that were deleted on the server, by the records below them that need them.
    ///
    /// Deletions do not need a parent and are left out.
    func lostParents(_ facts: TreeFacts) -> [EntryKey: [PushRecord]] {
        ancestors.filter { child, _ in children.first { $0.key == child }?.kind != .delete }
            .mapValues { $0.filter { !$0.isDirty && facts.states[$0.key] == .deleted } }
            .filter { !$0.value.isEmpty }
    }

    /// Returns the deletions of records that are already deleted on the server and can be completed.
    ///
    /// A deletion stays in the tree if other changes are below it.
    ///
    /// - Parameter isAtomic: whether it also stays if there is any other change in the tree, because the tree is then
    ///   pushed as a whole or not at all.
    func finishedDeletions(_ facts: TreeFacts, isAtomic: Bool) -> [PushDecision.Resolution] {
        let deleted = (records + unchangedChildren).filter { $0.kind == .delete && facts.states[$0.key] == .deleted }
        guard !deleted.isEmpty else { return [] }
        let keys = Set(deleted.map(\.key))
        let others = records.filter { $0.isDirty && !keys.contains($0.key) }
        if isAtomic, !others.isEmpty { return [] }
        let ancestors = ancestors
        let needed = Set(others.flatMap { ancestors[$0.key] ?? [] }.map(\.key))
        return deleted.filter { !needed.contains($0.key) }.map { .init(record: $0, action: .finishDeletion) }
    }
}
