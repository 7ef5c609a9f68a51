// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The decision about trees that wait for records without a server ID while nothing else is left to send.
struct WaitDecision {
    /// The texts that look like local IDs but that no entry has; they are sent as they are.
    private(set) var notReferences: Set<String> = []
    /// The trees that are sent without their references, because the other records refer to them too.
    private(set) var broken: Set<EntryKey> = []
    /// The trees that have to wait for a later run.
    private(set) var failed: [(tree: PushTree, failure: PushFailure)] = []

    /// Whether no tree can be sent now.
    var changesNothing: Bool { notReferences.isEmpty && broken.isEmpty }

    /// - Parameters:
    ///   - pending: the creations that the server does not have, of all syncs.
    ///   - notReferences: the texts that were found to be no references before.
    init(_ trees: [PushTree], plan: PushPlan, pending: PendingCreations, notReferences known: Set<String>) {
        let groups = pending.groups()
        var brokenGroups: Set<Int> = []
        for tree in trees {
            let own = Set(tree.creations.compactMap(\.id))
            var missing: [(record: PushRecord, reference: LocalReference)] = []
            for (record, references) in plan.references(in: tree) {
                for reference in references where !own.contains(reference.id) && !known.contains(reference.id) {
                    if !reference.isCertain && pending.entries[reference.id] == nil {
                        notReferences.insert(reference.id)
                    } else {
                        missing.append((record, reference))
                    }
                }
            }
            guard let first = missing.first else { continue }
            // An update can follow the creations of its tree, so only the references of the creations count.
            let ofCreations = Set(missing.filter { $0.record.kind == .create }.map { groups[$0.reference.id] })
            if own.isEmpty || ofCreations.count > 1 || ofCreations.contains(nil) {
                failed.append((tree, .noReference(first.reference, of: first.record, pending)))
            } else if let group = ofCreations.first, let group {
                guard own.contains(where: { groups[$0] == group }) else {
                    failed.append((tree, .noReference(first.reference, of: first.record, pending)))
                    continue
                }
                // One tree of a cycle is enough for now: the others may be able to follow it.
                if brokenGroups.insert(group).inserted { broken.insert(tree.key) }
            } else {
                broken.insert(tree.key)
            }
        }
    }
}

extension PushPlan {
    /// Returns the records of a tree that refer to records without a server ID, in fields that a push sends.
    func references(in tree: PushTree) -> [(record: PushRecord, references: [LocalReference])] {
        tree.records.compactMap { record in
            let references = references(of: record)
            return references.isEmpty ? nil : (record, references)
        }
    }

    /// Returns the local IDs to which trees refer.
    func referencedIds(in found: [TreeReader.Found]) -> Set<String> {
        var ids: Set<String> = []
        for case .tree(let tree) in found { ids.formUnion(references(in: tree).flatMap { $0.references.map(\.id) }) }
        return ids
    }

    private func references(of record: PushRecord) -> [LocalReference] {
        guard record.kind == .create || record.kind == .update else { return [] }
        let references = record.record.localReferences(except: record.id)
        guard !references.isEmpty else { return [] }
        let level = layout.levels[record.level]
        let sent = Set((target.record(toSend: record.change()).members ?? []).map(\.key))
        let listed = sentMembers[record.level][record.kind]
        return references.filter { reference in
            // The target sends the link to the parent in the way of its API.
            reference.field != level.parentIdField && sent.contains(reference.field)
                && listed?.contains(reference.field) != false
        }
    }
}
