// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The decision about trees that wait for records without a server ID while nothing else is left to send.
struct WaitDecision {
    /// The texts that look like local IDs but are none of any entry; they are sent as they are.
    private(set) var notReferences: Set<String> = []
    /// The trees that are sent without their references, because the other records refer to them too.
    private(set) var broken: Set<EntryKey> = []
    /// The trees that have to wait for a later run.
    private(set) var failed: [(tree: PushTree, failure: PushFailure)] = []

    /// Whether no tree can be sent now.
    var changesNothing: Bool { notReferences.isEmpty && broken.isEmpty }

    /// - Parameters:
    ///   - pending: the creations that the server does not have, of all syncs.
    ///   - synced: the last synced versions of updated records.
    ///   - notReferences: the texts that were found to be no references before.
    init(
        _ trees: [PushTree], plan: PushPlan, pending: PendingCreations, synced: [EntryKey: JSONText],
        notReferences known: Set<String>
    ) {
        let groups = pending.groups()
        var brokenGroups: Set<Int> = []
        for tree in trees {
            let own = Set(tree.creations.compactMap(\.id))
            var missing: [(record: PushRecord, reference: LocalReference)] = []
            var notUpdatable: PushFailure?
            for (record, references) in plan.references(in: tree) {
                let base = record.base ?? synced[record.key]
                for reference in references where !known.contains(reference.id) {
                    // The server itself has this text in the field, so it is no ID of a record that it lacks.
                    let isOnServer = base?[JSONPath(keys: [reference.field])]?.stringValue == reference.id
                    if pending.entries[reference.id] == nil, isOnServer || !reference.isCertain {
                        notReferences.insert(reference.id)
                        continue
                    }
                    if record.kind == .create, !reference.isUpdatable {
                        notUpdatable =
                            notUpdatable
                            ?? .notUpdatable(reference, of: record, otherTree: !own.contains(reference.id))
                    }
                    if !own.contains(reference.id) { missing.append((record, reference)) }
                }
            }
            // An update can follow the creations of its tree, so only the references of the creations count.
            let ofCreations = Set(missing.filter { $0.record.kind == .create }.map { groups[$0.reference.id] })
            let group = ofCreations.first ?? nil
            let isInGroup = ofCreations.isEmpty || ofCreations.count == 1 && own.contains { groups[$0] == group }
            if let first = missing.first, own.isEmpty || ofCreations.contains(nil) || !isInGroup {
                failed.append((tree, .noReference(first.reference, of: first.record, pending)))
            } else if let notUpdatable {
                failed.append((tree, notUpdatable))
            } else if !missing.isEmpty, group.map({ brokenGroups.insert($0).inserted }) ?? true {
                // One tree of a cycle is enough for now: the others may be able to follow it.
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
    func referencedIds(in trees: [PushTree]) -> Set<String> {
        Set(trees.flatMap { references(in: $0) }.flatMap(\.references).map(\.id))
    }

    private func references(of record: PushRecord) -> [LocalReference] {
        guard record.kind == .create || record.kind == .update else { return [] }
        // The own ID can also be a text, such as the external ID, unless the description says that it is a reference.
        let described = description(of: record)
        let references = record.record.localReferences(except: described == nil ? record.id : nil)
        let link = layout.levels[record.level].parentIdField
        guard references.contains(where: { $0.field != link }) else { return [] }
        // A transform can rename the field.
        let sent = valuesToSend(record)
        return references.filter { $0.field != link }.compactMap { reference in
            let same = sent.filter { $0.value.string == reference.id }.map(\.key)
            let names = same.contains(reference.field) ? [reference.field] : same
            let isReference = !names.isEmpty && names.allSatisfy { described?.isReference($0) ?? false }
            guard !names.isEmpty, isReference || reference.id != record.id else { return nil }
            var reference = reference
            reference.isDescribed = isReference
            reference.isUpdatable = names.allSatisfy { isSentByUpdates($0, level: record.level) }
            return reference
        }
    }
}
