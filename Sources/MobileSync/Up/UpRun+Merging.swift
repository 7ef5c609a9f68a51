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
            let newer = asked.filter { !Self.mayPush($0.member, over: $0.state) }
            if !newer.isEmpty { try await merge(newer, &batch) }
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

    private mutating func merge(_ newer: [AskedState], _ batch: inout PushBatch) async throws {
        var reasons: [Int: PushFailure] = [:]
        // What was merged and still looks older than the server's version would go round for ever.
        for asked in newer where merged.contains(asked.member.key) { reasons[asked.position] = .newerOnServer }
        let fresh = newer.filter { reasons[$0.position] == nil }
        guard let remotes = try await remotes(of: fresh) else {
            for asked in fresh { reasons[asked.position] = .newerOnServer }
            try await note(reasons, newer, batch)
            return batch.refuse(reasons)
        }
        try await note(reasons, newer, batch)
        let outcomes = try await merge(fresh, with: remotes)
        merged.formUnion(fresh.map(\.member.key))
        for (asked, outcome) in zip(fresh, outcomes) where outcome == .unresolved {
            reasons[asked.position] = .conflict
        }
        let changed = Set(fresh.map(\.position).filter { reasons[$0] == nil })
        let roots = changed.map { batch.open[$0].root.key.id }
        batch.refuse(reasons, withdrawing: changed)
        try await sort(roots.sorted())
    }

    private func merge(_ newer: [AskedState], with remotes: [JSONText?]) async throws -> [EntryMerge.Outcome] {
        let decide = services.decision(by: resolver)
        let layout = layout
        return try await services.backend.write { writer in
            try zip(newer, remotes).map { asked, remote in
                let part = layout.parts[asked.member.part]
                let entries = try writer.retrieve([asked.member.key.id], from: part.soup)
                // Whoever took the changes back meanwhile has nothing to merge any more.
                guard let entry = entries.first, entry.flags.local else { return .stale }
                return try EntryMerge(writer: writer, decide: decide).merge(entry, with: remote, part)
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
