// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpRun {
    /// Writes down the local changes that are not sent because of what the server has, for somebody to decide on.
    ///
    /// A tree stays as a whole: of a member that waits for another one only the server's date is known.
    ///
    /// - Parameters:
    ///   - reasons: why units are left alone, by their positions.
    ///   - asked: what the server knows of their members; the last one of a member counts.
    func note(_ reasons: [Int: PushFailure], _ asked: [AskedState], _ batch: PushBatch) async throws {
        let left = reasons.sorted { $0.key < $1.key }.flatMap { position, reason in
            batch.open[position].members.filter(\.isDirty).map { (member: $0, reason: reason) }
        }
        guard !left.isEmpty else { return }
        let states = Dictionary(asked.map { ($0.member.key, $0) }, uniquingKeysWith: { $1 })
        let layout = layout
        try await services.backend.write { writer in
            for (member, reason) in left {
                let part = layout.parts[member.part]
                guard let entry = try writer.retrieve([member.key.id], from: part.soup).first, entry.flags.local,
                    try !Self.isInConflict(member.key, writer)
                else { continue }
                let base = try writer.syncedCopy(of: member.key).map {
                    SoupEntry(id: entry.id, lastModified: 0, stored: $0).recordForServer
                }
                let asked = states[member.key]
                let remote = asked == nil ? JSONText.object([]) : asked?.version(part)
                let merge = remote.map {
                    RecordMerge(
                        base: base, local: entry.recordForServer, remote: $0,
                        serverMembers: EntryMerge.serverMembers(part))
                }
                let code = asked?.state == .deleted ? PushFailure.goneOnServer.code : reason.code
                let baseTime = EntryMerge.time(base, part)
                try ConflictLog.set(
                    ConflictLog.Note(
                        member.key, remote: remote, fields: entry.flags.deleted ? [] : merge?.conflicts ?? [],
                        code: code, baseTime: baseTime, version: baseTime == nil ? entry.lastModified : nil, part),
                    in: writer)
            }
        }
    }

    /// Whether more is known of an entry already: what a merge has found.
    private static func isInConflict(_ key: EntryKey, _ reader: any StoreReader) throws -> Bool {
        guard let note = try ConflictLog.note(of: key, in: reader) else { return false }
        return try !note.isWhole && ConflictLog.isOpen(note, in: reader)
    }
}

extension UpRun.AskedState {
    /// What the server has, as far as it is known; nil when it has nothing.
    fileprivate func version(_ part: RecordLayout.Part) -> JSONText? {
        switch state {
        case .deleted: nil
        case .modified(let date): remote ?? .object([(name: part.modificationDateField, value: .string(date))])
        case .unknown: remote ?? .object([])
        }
    }
}
