// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// References to records that have no server ID yet.
///
/// A record that refers to a creation of this run waits until the creation has its ID. If records refer to each other,
/// one of them is sent without these references, and an update sends them later. A record that refers to a creation
/// that this run cannot send fails with `NO_PARENT`, and is sent by a later run.
extension UpRun {
    /// Replaces local IDs in trees for which the server's IDs are known by now.
    ///
    /// The references to a creation are replaced when it gets its ID; this finds those that were saved later.
    ///
    /// - Returns: whether there were any; the trees have to be read again.
    mutating func relinkReferences(in found: [TreeReader.Found]) async throws -> Bool {
        let (plan, layouts, trees) = (plan, runState.pushedLayouts, found.trees)
        let ids = plan.referencedIds(in: trees)
        guard !ids.isEmpty else { return false }
        let (known, synced) = try await services.backend.read { reader in
            let known = try ReplacedIds.currentIds(of: ids, in: layouts, reader)
            return (known, known.isEmpty ? [:] : try plan.syncedVersions(of: trees, in: reader))
        }
        guard !known.isEmpty else { return false }
        var records: [(record: PushRecord, references: [LocalReference])] = []
        for tree in trees {
            for (record, references) in plan.references(in: tree) {
                let found = references.filter { known[$0.id] != nil }
                let base = record.base ?? synced[record.key]
                // The former ID of the record itself is a text, such as its external ID, if the server has it already.
                func isOwn(_ reference: LocalReference) -> Bool {
                    !reference.isDescribed && known[reference.id] == record.id
                        && (base.map { $0[JSONPath(keys: [reference.field])]?.stringValue == reference.id } ?? true)
                }
                runState.notReferences.formUnion(found.filter(isOwn).map(\.id))
                let others = found.filter { !isOwn($0) }
                if !others.isEmpty { records.append((record, others)) }
            }
        }
        guard !records.isEmpty else { return false }
        let asked = records
        try await services.backend.write { writer in
            for (record, references) in asked {
                var stamp = RecordBatch.Stamp()
                for reference in references {
                    guard let id = known[reference.id] else { continue }
                    stamp = stamp.setting(
                        reference.field, try writer.idValue(id, at: reference.field, in: record.key.soup))
                }
                let change = EntryStamp(id: record.key.id, stamp: stamp, ifVersion: record.version, otherwise: .none)
                _ = try writer.stamp([change], in: record.key.soup)
            }
        }
        return true
    }

    /// Returns a tree as it can be sent now; if it has to wait for other records, their local IDs.
    ///
    /// References to creations of the same tree are left out, because the server has none of their IDs before the tree
    /// is sent. An update sends them afterwards.
    func sendable(_ tree: PushTree) -> Sendability {
        let references = plan.references(in: tree).map { record, references in
            (record: record, references: references.filter { !runState.notReferences.contains($0.id) })
        }.filter { !$0.references.isEmpty }
        guard !references.isEmpty else { return .now(tree) }
        let own = Set(tree.creations.compactMap(\.id))
        let isOwn = references.flatMap(\.references).allSatisfy { own.contains($0.id) }
        // A member that no update can send must be in the creation.
        let isUpdatable = references.allSatisfy { record, references in
            record.kind == .update || references.allSatisfy(\.isUpdatable)
        }
        guard isUpdatable, isOwn || (runState.brokenCycles.contains(tree.key) && !own.isEmpty) else {
            return .afterOthers(Set(references.flatMap(\.references).map(\.id)))
        }
        let omitted = Dictionary(references.map { ($0.record.key, Set($0.references.map(\.field))) }) { $0.union($1) }
        var tree = tree
        tree.updateRecords { $0.omit(omitted[$0.key] ?? []) }
        return .now(tree)
    }

    /// Whether a tree can be sent.
    enum Sendability {
        case now(PushTree)
        /// It waits for the records with these local IDs.
        case afterOthers(Set<String>)
    }

    /// Adds the trees to the queue again that wait for records that have got their IDs since.
    ///
    /// - Returns: whether there are any.
    mutating func continueWaiting() async throws -> Bool {
        let ready = queue.takeWaiting(for: runState.replacedIds)
        runState.replacedIds = []
        guard !ready.isEmpty else { return false }
        try await enqueue(ready)
        return true
    }

    /// Decides about the trees that wait while nothing else is left to send: breaks cycles, or reports that the trees
    /// have to wait for a later run.
    ///
    /// - Returns: whether there is more work.
    mutating func decideWaiting() async throws -> Bool {
        guard let waiting = queue.takeWaiting() else { return false }
        let (reader, layouts, plan) = (plan.reader(runState), runState.pushedLayouts, plan)
        let (trees, pending, synced) = try await services.backend.read { store in
            let trees = try reader.read(waiting, in: store).trees
            let pending = try PendingCreations(layouts, tree: plan.layout, in: store)
            return (trees, pending, try plan.syncedVersions(of: trees, in: store))
        }
        let decision = WaitDecision(
            trees, plan: plan, pending: pending, synced: synced, notReferences: runState.notReferences)
        runState.notReferences.formUnion(decision.notReferences)
        runState.brokenCycles.formUnion(decision.broken)
        let failed = decision.changesNothing ? decision.failed : []
        let keys = Set(failed.map(\.tree.key))
        let rest = waiting.filter { !keys.contains($0) }
        if !failed.isEmpty {
            try await write { writer in
                for (tree, failure) in failed { try writer.hold(tree, because: .failure(failure)) }
            }
        }
        try await enqueue(rest)
        return !rest.isEmpty
    }
}
