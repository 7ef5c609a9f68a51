// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpRun {
    /// Saves the changes that are not sent because of the server's versions as conflicts that the user can resolve.
    ///
    /// A tree is refused as a whole. For a member that waits for another one, only the server's date is known.
    ///
    /// - Parameters:
    ///   - reasons: the reasons why units are refused, by their positions.
    ///   - asked: the server states of their members; the last state of a member counts.
    ///   - lost: the deleted parents, by the members below them.
    func note(
        _ reasons: [Int: PushFailure], _ asked: [AskedState], _ lost: [EntryKey: [PushMember]], _ batch: PushBatch
    ) async throws {
        let left = reasons.sorted { $0.key < $1.key }.flatMap { position, reason in
            batch.open[position].members.filter(\.isDirty).map { (member: $0, reason: reason) }
        }
        guard !left.isEmpty else { return }
        let states = Dictionary(asked.map { ($0.member.key, $0) }, uniquingKeysWith: { $1 })
        let lost = lost.mapValues { $0.map(\.key) }
        let layout = layout
        // If the same conflicts are already saved, as in a repeated run, nothing is written.
        let isKnown = try await services.backend.read { try Self.notes(left, states, lost, layout, $0).isEmpty }
        guard !isKnown else { return }
        try await services.backend.write { writer in
            try ConflictStore.set(try Self.notes(left, states, lost, layout, writer), in: writer)
        }
    }

    /// Returns the notes about refused members, without those that are already saved.
    private static func notes(
        _ left: [(member: PushMember, reason: PushFailure)], _ states: [EntryKey: AskedState],
        _ lost: [EntryKey: [EntryKey]], _ layout: RecordLayout, _ reader: any StoreReader
    ) throws -> [ConflictStore.Note] {
        let known = try ConflictStore.notes(of: left.map(\.member.key), in: reader)
        var entries: [EntryKey: SoupEntry] = [:]
        var bases: [EntryKey: JSONText] = [:]
        for (soup, left) in Dictionary(grouping: left, by: \.member.key.soup) {
            let ids = left.map(\.member.key.id)
            for entry in try reader.retrieve(ids, from: soup) { entries[EntryKey(soup: soup, id: entry.id)] = entry }
            for (id, base) in try reader.knownSyncedCopies(of: ids, in: soup) {
                bases[EntryKey(soup: soup, id: id)] = base
            }
        }
        return try left.compactMap { member, reason in
            let key = member.key
            let part = layout.parts[member.part]
            guard let entry = entries[key], entry.flags.local else { return nil }
            let asked = states[key]
            let isFree = asked.map { UpRun.mayPush(member, over: $0.state) } ?? true
            // A deletion is no conflict if both sides deleted the record, or if only its parent was deleted; it waits
            // for the other changes of its tree.
            if member.kind == .delete, asked?.state == .deleted || isFree && reason == .lostParent { return nil }
            if let note = known[key], try ConflictStore.isOpen(note, in: reader) {
                // The existing note contains more: the result of a merge, or the user's decision.
                if !note.isWhole || note.isDecided && isFree && lost[key] == nil { return nil }
            }
            let code = asked?.state == .deleted ? PushFailure.goneOnServer.code : reason.code
            let baseTime = EntryMerge.time(bases[key], part)
            // A creation below a deleted parent cannot exist on the server either.
            let isGone = member.kind == .create && lost[key] != nil
            var note = ConflictStore.Note(
                key, remote: asked == nil && !isGone ? JSONText.object([]) : asked?.version(part), fields: [],
                code: code, baseTime: baseTime, version: baseTime == nil ? entry.lastModified : nil, part)
            note.lostParents = lost[key] ?? []
            return note == known[key] ? nil : note
        }
    }
}

extension UpRun.AskedState {
    /// Returns the known values of the server's version; `nil` if the record was deleted.
    fileprivate func version(_ part: RecordLayout.Part) -> JSONText? {
        switch state {
        case .deleted: nil
        case .modified(let date): remote ?? .object([(name: part.modificationDateField, value: .string(date))])
        case .unknown: remote ?? .object([])
        }
    }
}
