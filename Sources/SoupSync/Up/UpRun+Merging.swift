// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpRun {
    /// For MERGE: merges the local changes with the server's changes before the batch is sent.
    ///
    /// Units with a member that has another version on the server are removed from the batch. The changes that remain
    /// to be sent after the merge are sorted again. Units in conflict are not sent.
    ///
    /// - Throws: the target's error, if no request can succeed.
    mutating func mergeNewer(_ batch: inout PushBatch) async throws {
        if let all = try await askedStates(&batch) {
            let asked = try await settleGone(all, &batch)
            let lost = Self.lostParents(asked, batch)
            // Server versions of records without local changes are not merged here; a sync down fetches them.
            let newer = asked.filter { $0.member.isDirty && !Self.mayPush($0.member, over: $0.state) }
            let fresh = newer + stranded(batch, lost)
            let reasons = Self.unreachable(batch, lost, but: Set(fresh.map(\.position)))
            if !fresh.isEmpty || !reasons.isEmpty { try await merge(fresh, lost, reasons, &batch) }
        }
        // If the server cannot report its versions, conflicts that a sync down found are still open.
        let open = batch.open
        let inConflict = try await services.backend.read { reader in
            let keys = Set(
                try ConflictStore.notes(in: reader).filter { try !$0.isWhole && ConflictStore.isOpen($0, in: reader) }
                    .map(\.key))
            return Set(open.indices.filter { open[$0].members.contains { keys.contains($0.key) } })
        }
        batch.refuse(inConflict, because: .conflict)
    }

    /// Returns the creations below deleted parents; the deletion of the parent is a conflict like a deletion of the
    /// record.
    private func stranded(_ batch: PushBatch, _ lost: [EntryKey: [PushMember]]) -> [AskedState] {
        guard !lost.isEmpty else { return [] }
        return batch.open.enumerated().flatMap { position, unit in
            unit.children.filter { $0.kind == .create && lost[$0.key] != nil && !merged.contains($0.key) }
                .map { AskedState(position: position, member: $0, state: .deleted) }
        }
    }

    /// Returns the units with updates below deleted parents.
    ///
    /// The records exist, and the user must decide whether to create their parents again.
    ///
    /// - Parameter passed: units in which other members have to be merged first.
    private static func unreachable(
        _ batch: PushBatch, _ lost: [EntryKey: [PushMember]], but passed: Set<Int>
    ) -> [Int: PushFailure] {
        guard !lost.isEmpty else { return [:] }
        let positions = batch.open.indices.filter { position in
            !passed.contains(position)
                && batch.open[position].children.contains {
                    $0.isDirty && $0.kind == .update && lost[$0.key] != nil
                }
        }
        return Dictionary(uniqueKeysWithValues: positions.map { ($0, PushFailure.lostParent) })
    }

    /// - Parameters:
    ///   - newer: the members that have another version on the server.
    ///   - lost: the deleted parents, by the members below them.
    ///   - reasons: the units that are refused for another reason.
    private mutating func merge(
        _ newer: [AskedState], _ lost: [EntryKey: [PushMember]], _ reasons: [Int: PushFailure],
        _ batch: inout PushBatch
    ) async throws {
        var reasons = reasons
        // A member that was merged but still looks older than the server's version would be merged again forever.
        for asked in newer where merged.contains(asked.member.key) { reasons[asked.position] = .newerOnServer }
        let fresh = newer.filter { reasons[$0.position] == nil }
        guard let remotes = try await remotes(of: fresh) else {
            for asked in fresh { reasons[asked.position] = .newerOnServer }
            try await note(reasons, newer, lost, batch)
            return batch.refuse(reasons)
        }
        try await note(reasons, newer, lost, batch)
        let outcomes = try await merge(fresh, with: remotes, lost)
        merged.formUnion(fresh.map(\.member.key))
        for (asked, outcome) in zip(fresh, outcomes) where outcome == .unresolved {
            reasons[asked.position] = .conflict
        }
        let changed = Set(fresh.map(\.position).filter { reasons[$0] == nil })
        let roots = changed.map { batch.open[$0].root.key.id }
        batch.refuse(reasons, withdrawing: changed)
        try await sort(roots.sorted())
    }

    private func merge(
        _ newer: [AskedState], with remotes: [JSONText?], _ lost: [EntryKey: [PushMember]]
    ) async throws -> [EntryMerge.Outcome] {
        let decide = services.decision(by: resolver)
        let layout = layout
        return try await services.backend.write { writer in
            try zip(newer, remotes).map { asked, remote in
                let part = layout.parts[asked.member.part]
                let entries = try writer.retrieve([asked.member.key.id], from: part.soup)
                // If the local changes were discarded in the meantime, there is nothing to merge.
                guard let entry = entries.first, entry.flags.local else { return .stale }
                let key = asked.member.key
                let outcome = try EntryMerge(writer: writer, decide: decide).merge(entry, with: remote, part)
                guard remote == nil else { return outcome }
                let above = (lost[key] ?? []).map(\.key)
                switch outcome {
                case .dirty:
                    try Revival(layout: layout, writer: writer).reviveFamily(of: key, id: asked.member.id, above)
                case .unresolved:
                    guard var note = try ConflictStore.note(of: key, in: writer) else { break }
                    note.lostParents = above
                    try ConflictStore.set(note, in: writer)
                default: break
                }
                return outcome
            }
        }
    }

    /// Returns the server's versions of the records; `nil` if the target cannot fetch them.
    private func remotes(of newer: [AskedState]) async throws -> [JSONText?]? {
        let there = newer.indices.filter { newer[$0].state != .deleted }
        var remotes: [JSONText?] = Array(repeating: nil, count: newer.count)
        guard !there.isEmpty else { return remotes }
        do {
            let records = try await target.serverRecords(of: there.map { newer[$0].member.change() }, in: context)
            guard records.count == there.count else {
                throw SoupError(
                    "badTarget",
                    "target \"\(type(of: target).name)\" gave \(records.count) records for \(there.count) changes")
            }
            for (position, record) in zip(there, records) { remotes[position] = record }
            return remotes
        } catch let error as SoupError where error.code == .notSupported {
            return nil
        }
    }
}
