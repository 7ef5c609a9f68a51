// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpRun {
    /// For MERGE: brings together what was changed here and on the server, before anything is sent.
    ///
    /// Units with a member of which the server has another version leave the batch: what is left to be sent of them is
    /// sorted in anew, and those in conflict stay behind.
    ///
    /// - Throws: what the target throws, when no question gets through.
    mutating func mergeNewer(_ batch: inout PushBatch) async throws {
        if let asked = try await askedStates(&batch) {
            // What the server has changed of a record without changes here is none of ours; a sync down brings it.
            let newer = asked.filter { $0.member.isDirty && !Self.mayPush($0.member, over: $0.state) }
            let reasons = lostParents(asked, but: newer, batch)
            if !newer.isEmpty || !reasons.isEmpty { try await merge(newer, asked, reasons, &batch) }
        }
        // Where the server cannot tell its versions, a conflict that a sync down found still stands.
        let open = batch.open
        let inConflict = try await services.backend.read { reader in
            let keys = Set(
                try ConflictLog.notes(in: reader).filter { try !$0.isWhole && ConflictLog.isOpen($0, in: reader) }
                    .map(\.key))
            return Set(open.indices.filter { open[$0].members.contains { keys.contains($0.key) } })
        }
        batch.refuse(inConflict, because: .conflict)
    }

    /// The units that cannot be pushed because a parent is gone that was not changed here.
    ///
    /// What is below it may be in conflict itself, and then that comes first: whoever takes it back needs no parent.
    private func lostParents(
        _ asked: [AskedState], but newer: [AskedState], _ batch: PushBatch
    ) -> [Int: PushFailure] {
        let passed = Set(newer.map(\.position)).union(Self.agreed(asked, batch))
        var reasons: [Int: PushFailure] = [:]
        for lost in asked where lost.isLostParent && !passed.contains(lost.position) {
            let unit = batch.open[lost.position]
            let needsIt = unit.members.contains {
                $0.isDirty && $0.kind != .delete && unit.isAbove(lost.member.key, $0.key)
            }
            if needsIt { reasons[lost.position] = .goneOnServer }
        }
        return reasons
    }

    /// - Parameters:
    ///   - newer: what the server has another version of.
    ///   - asked: all that is known of the units.
    ///   - reasons: the units that stay behind for another reason.
    private mutating func merge(
        _ newer: [AskedState], _ asked: [AskedState], _ reasons: [Int: PushFailure], _ batch: inout PushBatch
    ) async throws {
        var reasons = reasons
        // What was merged and still looks older than the server's version would go round for ever.
        for asked in newer where merged.contains(asked.member.key) { reasons[asked.position] = .newerOnServer }
        let fresh = newer.filter { reasons[$0.position] == nil }
        guard let remotes = try await remotes(of: fresh) else {
            for asked in fresh { reasons[asked.position] = .newerOnServer }
            try await note(reasons, asked, batch)
            return batch.refuse(reasons)
        }
        try await note(reasons, asked, batch)
        let outcomes = try await merge(fresh, with: remotes, lost: Self.lostParents(asked, batch))
        merged.formUnion(fresh.map(\.member.key))
        for (asked, outcome) in zip(fresh, outcomes) where outcome == .unresolved {
            reasons[asked.position] = .conflict
        }
        let changed = Set(fresh.map(\.position).filter { reasons[$0] == nil })
        let roots = changed.map { batch.open[$0].root.key.id }
        batch.refuse(reasons, withdrawing: changed)
        try await sort(roots.sorted())
    }

    /// - Parameter lost: the parents that are gone, by what is below them.
    private func merge(
        _ newer: [AskedState], with remotes: [JSONText?], lost: [EntryKey: [PushMember]]
    ) async throws -> [EntryMerge.Outcome] {
        let decide = services.decision(by: resolver)
        let layout = layout
        return try await services.backend.write { writer in
            try zip(newer, remotes).map { asked, remote in
                let part = layout.parts[asked.member.part]
                let entries = try writer.retrieve([asked.member.key.id], from: part.soup)
                // Whoever took the changes back meanwhile has nothing to merge any more.
                guard let entry = entries.first, entry.flags.local else { return .stale }
                let key = asked.member.key
                let outcome = try EntryMerge(writer: writer, decide: decide).merge(entry, with: remote, part)
                guard remote == nil else { return outcome }
                let above = lost[key] ?? []
                switch outcome {
                case .dirty:
                    let revival = Revival(layout: layout, writer: writer)
                    try revival.reviveDetails(of: asked.member.id, part: asked.member.part)
                    for parent in above { try revival.revive(parent.key, id: parent.id, part: parent.part) }
                case .unresolved:
                    guard var note = try ConflictLog.note(of: key, in: writer) else { break }
                    note.lostParents = above.map(\.key)
                    try ConflictLog.set(note, in: writer)
                default: break
                }
                return outcome
            }
        }
    }

    /// The records of which the server has another version; nil when the target cannot fetch them.
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

extension UpRun {
    /// The parents that are gone and were not changed here, by the members that are below them.
    static func lostParents(_ asked: [AskedState], _ batch: PushBatch) -> [EntryKey: [PushMember]] {
        var lost: [EntryKey: [PushMember]] = [:]
        for parent in asked where parent.isLostParent {
            let unit = batch.open[parent.position]
            for member in unit.children where unit.isAbove(parent.member.key, member.key) {
                lost[member.key, default: []].append(parent.member)
            }
        }
        return lost
    }
}
