// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The conflicts of trees that are held because of the server's versions, as they are saved for the user.
///
/// A tree is held as a whole. For a record that waits for another one, only the server's date is known.
struct HeldConflicts {
    let plan: PushPlan
    let reader: any StoreReader

    /// Returns the notes about all held trees of a batch, without those that are already saved.
    func notes(about batch: PushBatch) throws -> [ConflictStore.Note] {
        try batch.held.flatMap { tree, reason in
            try notes(about: tree, because: reason, knowing: batch.facts[tree.key] ?? TreeFacts())
        }
    }

    /// Returns the notes about the changed records of a held tree, without those that are already saved.
    ///
    /// - Returns: no notes if the server's versions are not the reason.
    func notes(
        about tree: PushTree, because reason: HoldReason, knowing facts: TreeFacts
    ) throws -> [ConflictStore.Note] {
        guard reason.savesConflicts else { return [] }
        let records = tree.records.filter(\.isDirty)
        let known = try ConflictStore.notes(of: records.map(\.key), in: reader)
        let lostParents = tree.lostParents(facts).mapValues { $0.map(\.key) }
        return try records.compactMap { record in
            let key = record.key
            let level = plan.layout.levels[record.level]
            guard let entry = try reader.retrieve([key.id], from: key.soup).first, entry.flags.local else { return nil }
            // A creation below a deleted parent cannot exist on the server either.
            let isCreationBelowLostParent = record.kind == .create && lostParents[key] != nil
            let isOrphanedCreation =
                isCreationBelowLostParent && plan.policy.treatsDeletionsAsConflicts && !facts.merged.contains(key)
            let state = isOrphanedCreation ? .deleted : facts.states[key]
            let isFree = record.mayReplace(facts)
            // A deletion is no conflict if both sides deleted the record, or if only its parent was deleted; it waits
            // for the other changes of its tree.
            if record.kind == .delete, state == .deleted || isFree && reason == .parentDeletedOnServer { return nil }
            if let note = known[key], try ConflictStore.isOpen(note, in: reader) {
                // The existing note contains more: the result of a merge, or the user's decision.
                if !note.isWhole || note.isDecided && isFree && lostParents[key] == nil { return nil }
            }
            let baseTime = EntryMerge.time(try reader.syncedCopy(of: key), level)
            var note = ConflictStore.Note(
                key, remote: serverVersion(of: record, state, facts, isMissing: isCreationBelowLostParent), fields: [],
                code: (state == .deleted ? HoldReason.deletedOnServer : reason).code, baseTime: baseTime,
                version: baseTime == nil ? entry.version : nil, level)
            note.lostParents = lostParents[key] ?? []
            return note == known[key] ? nil : note
        }
    }

    /// Returns the known values of the server's version; `nil` if the record was deleted.
    private func serverVersion(
        of record: PushRecord, _ state: ServerState?, _ facts: TreeFacts, isMissing: Bool
    ) -> JSONText? {
        let remote = facts.records[record.key]?.record
        switch state {
        case nil: return isMissing ? nil : .object([])
        case .deleted: return nil
        case .unknown: return remote ?? .object([])
        case .modified(let date):
            let level = plan.layout.levels[record.level]
            let members = level.value(ofDate: date).map { [(name: level.modificationDateField, value: $0)] } ?? []
            return remote ?? .object(members)
        }
    }
}
