// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Deletions with which the server would delete details that the app has moved away.
///
/// Such a deletion is sent after everything else, as a tree of its own: the move can be in the same tree, in another
/// tree of the batch, or in one that is locked. If the server has not accepted the move by then, the deletion fails,
/// and a later run tries again.
extension UpRun {
    /// Returns the details that were moved away; `nil` if the trees contain no deletion with which the server deletes
    /// details.
    func departedDetails(of trees: [PushTree]) async throws -> DepartedDetails? {
        let layout = plan.layout
        let masters = Set(layout.levels.indices.filter { layout.isDetail($0) }.map { layout.levels[$0].parentLevel })
        let deletions = trees.flatMap(\.records).filter { $0.kind == .delete }
        guard deletions.contains(where: { masters.contains($0.level) }) else { return nil }
        return try await services.backend.read { try DepartedDetails(of: layout, in: $0) }
    }

    /// Removes the deletions from a tree that have to wait, and those that waited before.
    ///
    /// - Returns: whether there is anything left to push.
    mutating func postpone(deletionsIn tree: inout PushTree, with departed: DepartedDetails) -> Bool {
        guard departed.details(below: tree.root).isEmpty else {
            queue.postpone(tree.key)
            return false
        }
        let separate = tree.children.filter {
            runState.separateDeletions.contains($0.key) && $0.kind == .delete || !departed.details(below: $0).isEmpty
        }
        guard !separate.isEmpty else { return true }
        let keys = Set(separate.map(\.key))
        tree.removeChildren { keys.contains($0.key) }
        for key in separate.map(\.key) where runState.separateDeletions.insert(key).inserted {
            progress.add(trees: 1)
            queue.add(key, .delete)
        }
        guard tree.isEmpty, tree.localOnlyChildren.isEmpty else { return true }
        progress.finish(trees: 1)
        return false
    }

    /// Adds the deletions to the queue again that no longer have to wait; if there are none, the others fail.
    ///
    /// - Returns: whether there are any.
    mutating func decidePostponedDeletions() async throws -> Bool {
        guard let waiting = queue.takePostponedDeletions() else { return false }
        let (reader, layout) = (plan.reader(runState), plan.layout)
        let (found, departed) = try await services.backend.read { store in
            (try reader.read(waiting, in: store), try DepartedDetails(of: layout, in: store))
        }
        var failed: [PushTree] = []
        var ready: [EntryKey] = []
        for (root, entry) in zip(waiting, found) {
            if case .tree(let tree) = entry, !departed.details(below: tree.root).isEmpty {
                failed.append(tree)
            } else {
                ready.append(root)
            }
        }
        guard ready.isEmpty else {
            for tree in failed { queue.postpone(tree.key) }
            try await enqueue(ready)
            return true
        }
        let trees = failed
        try await write { writer in
            for tree in trees {
                let failure = PushFailure.movedDetails(departed.details(below: tree.root))
                for record in tree.records where record.isDirty { try writer.fail(record, failure) }
            }
            writer.finish(trees: trees.count)
        }
        return false
    }
}
