// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpWriter {
    /// Records that a tree is not sent.
    mutating func hold(_ tree: PushTree, because reason: HoldReason) throws {
        for record in tree.records where record.isDirty { try hold(record, because: reason) }
        finish(trees: 1)
    }

    private mutating func hold(_ record: PushRecord, because reason: HoldReason) throws {
        let result = reason.result(under: plan.policy)
        if result == .failed { return try fail(record, reason.failure) }
        if reason.isConflict, try !ConflictStore.isListed(record.key, in: writer) {
            return report(record, as: .skipped, because: .waitsForTree)
        }
        report(record, as: result, because: reason.failure)
    }

    /// Applies the resolutions of a tree, which is read again afterwards.
    ///
    /// If a merge leaves a conflict, the tree has to be held instead.
    ///
    /// - Returns: the records whose entries were written, while the others were edited since they were read; and
    ///   whether there is a conflict.
    mutating func resolve(
        _ tree: PushTree, _ resolutions: [PushDecision.Resolution], knowing facts: TreeFacts
    ) throws -> (written: Set<EntryKey>, isInConflict: Bool) {
        var written: Set<EntryKey> = []
        var isInConflict = false
        let lostParents = tree.lostParents(facts).mapValues { $0.map(\.key) }
        for (record, action) in resolutions.map({ ($0.record, $0.action) }) {
            var isWritten = true
            switch action {
            case .finishDeletion:
                try entries.finishDeletion(record)
                report(record, as: .ok)
                confirm(record.key)
                try finishDeletion(ofChildrenOf: record)
            case .markClean(let remote): isWritten = try markClean(record, as: remote)
            case .keepOnServer: isWritten = try entries.stamp(record, .clean, ifEdited: .none)
            case .update:
                let flags = RecordBatch.Stamp.update.setting(EntryField.locallyCreated, .false)
                isWritten = try entries.stamp(record, flags, ifEdited: .none)
            case .recreate: isWritten = try entries.stamp(record, .creation, ifEdited: .none)
            case .merge(let remote):
                let outcome = try merge(record, with: remote, lostParents: lostParents[record.key] ?? [])
                isInConflict = isInConflict || outcome == .unresolved
            }
            if isWritten { written.insert(record.key) }
        }
        if !isInConflict { readAgain(tree.key) }
        return (written, isInConflict)
    }

    /// Marks an updated entry as clean, because the server already has its values.
    private mutating func markClean(_ record: PushRecord, as remote: JSONText) throws -> Bool {
        try ConflictStore.clear(record.key, in: writer)
        let level = plan.layout.levels[record.level]
        func value(of field: String) -> JSONText? { remote.members?.first { $0.key == field }?.value }
        let date = RecordBatch.Stamp().setting(level.modificationDateField, value(of: level.modificationDateField))
            .merging(level.stamp(ofVersion: level.versionField.flatMap(value(of:))))
        // An edit that was made meanwhile is based on the server's version.
        let isClean = try entries.stamp(record, RecordBatch.Stamp.clean.merging(date), ifEdited: date)
        if isClean { report(record, as: .ok) }
        return isClean
    }

    /// Merges an entry with the server's version; `nil` if the record was deleted there.
    private func merge(
        _ record: PushRecord, with remote: JSONText?, lostParents: [EntryKey]
    ) throws -> EntryMerge.Outcome {
        // If the local changes were discarded in the meantime, there is nothing to merge.
        guard let entry = try entries.entry(record.key), entry.flags.local else { return .stale }
        let outcome = try EntryMerge(writer: writer, decide: plan.decideConflict)
            .merge(entry, with: remote, plan.layout.levels[record.level])
        guard remote == nil else { return outcome }
        switch outcome {
        case .dirty:
            try Recreation(layout: plan.layout, writer: writer)
                .recreateRelated(to: record.key, id: record.id, lostParents: lostParents)
        case .unresolved:
            guard var note = try ConflictStore.note(of: record.key, in: writer) else { break }
            note.lostParents = lostParents
            try ConflictStore.set(note, in: writer)
        default: break
        }
        return outcome
    }
}

extension UpWriter {
    /// The results of ``mark(_:of:)``.
    struct MarkResults: Sendable {
        /// Whether the creations of trees could be marked; trees without creations are left out.
        var marking: [EntryKey: InFlightCreates.TreeState] = [:]
        /// The store's date of the marks; `nil` without marks.
        var markedAt: Int64?
        /// The records that were resolved, and whose entries were not edited meanwhile.
        var written: Set<EntryKey> = []
        /// The trees in which a merge has left a conflict.
        var inConflict: [PushTree] = []
    }

    /// Applies the decisions about a batch, and saves marks for the creations that are about to be sent.
    ///
    /// A tree that has changed since it was read is read again.
    mutating func mark(_ sent: SentBatch, of batch: PushBatch) throws -> MarkResults {
        var results = MarkResults()
        try ConflictStore.set(try HeldConflicts(plan: plan, reader: writer).notes(about: batch), in: writer)
        for (tree, resolutions) in batch.resolved {
            let facts = batch.facts[tree.key] ?? TreeFacts()
            let (written, isInConflict) = try resolve(tree, resolutions, knowing: facts)
            results.written.formUnion(written)
            if isInConflict { results.inConflict.append(tree) }
        }
        let trees = sent.trees.filter { !$0.creations.isEmpty }
        results.marking = try InFlightCreates.states(of: trees, besides: runState.sentAgain, in: writer)
        for tree in trees where results.marking[tree.key] == .changed { readAgain(tree.key) }
        let unmarked = trees.filter { results.marking[$0.key] == .unmarked }
        results.markedAt = try InFlightCreates.set(
            unmarked.flatMap(\.creations).map {
                InFlightCreates.Mark(
                    key: $0.key, version: $0.omitted.isEmpty ? $0.version : PushRecord.noVersion, record: $0.record,
                    isRepeatable: !sent.unrepeatable.contains($0.key), time: sent.time, dropped: $0.dropped)
            }, in: writer)
        return results
    }
}
