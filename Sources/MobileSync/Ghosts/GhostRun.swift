// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// One cleaning of ghosts: deletes entries whose records a sync down would no longer bring.
///
/// Candidates are the clean entries that this very sync brought. One that another sync down brought, too, stays and is
/// that one's alone from then on, so that no other sync over the same soup and no local change loses anything. Entries
/// that a sync up created carry no sync's id and become candidates after the next sync down.
struct GhostRun: Sendable {
    let services: RunServices
    let row: SyncRow
    let target: any SyncDownTarget

    private var syncId: Int64 { row.state.id }

    /// What a cleaning did.
    struct Result: Sendable, Hashable {
        /// Entries that were deleted; for trees: parents.
        var count = 0
        /// The same with those of all kinds, by soup.
        var bySoup: [SoupName: Int] = [:]
        /// See ``SyncRow/deletionsCovered``; saved already.
        var covered: Int64?
        /// See ``SyncRow/deletionsHeld``; saved already.
        var held: [HeldDeletion] = []

        /// - Parameter counts: how many entries of each part were deleted.
        init(_ counts: [Int], _ layout: RecordLayout, covered: Int64?, held: [HeldDeletion] = []) {
            count = layout.isTree ? counts.first ?? 0 : counts.reduce(0, +)
            for (count, part) in zip(counts, layout.parts) where count > 0 { bySoup[part.soup, default: 0] += count }
            self.covered = covered
            self.held = held
        }
    }

    /// Cleans all parts of the target.
    ///
    /// - Parameter completely: whether to compare all ids even when the server tells what was deleted.
    /// - Throws: `notSupported` when the target cannot tell; what the target or the store throws; what was deleted of
    ///   earlier parts stays deleted.
    func run(completely: Bool = false) async throws -> Result {
        let layout = target.recordLayout(for: row.state.definition.soup)
        if target.tracksDeletions, !completely, let since = row.deletionsCovered, try await !hasReleased(layout),
            let result = try await applyDeletions(since: since, layout)
        {
            return result
        }
        return try await compare(layout)
    }

    // MARK: - By the dates of deletions

    /// Whether a deletion that local changes held up can be applied now.
    ///
    /// Then all ids are compared: since it was told the record may have been restored.
    private func hasReleased(_ layout: RecordLayout) async throws -> Bool {
        guard !row.deletionsHeld.isEmpty else { return false }
        let (syncId, sharing, held) = (syncId, services.sharing, row.deletionsHeld)
        return try await services.backend.read { reader in
            try Self.stillThere(held, layout, syncId, sharing, in: reader).contains { !$0.isHeld }
        }
    }

    /// Those of the entries that still hold the records, and whether local changes still keep them.
    private static func stillThere(
        _ notes: [HeldDeletion], _ layout: RecordLayout, _ syncId: Int64, _ sharing: SoupSharing,
        in reader: any StoreReader
    ) throws -> [(note: HeldDeletion, isHeld: Bool)] {
        var found: [(note: HeldDeletion, isHeld: Bool)] = []
        for (position, part) in layout.parts.enumerated() {
            let notes = notes.filter { $0.part == position }
            guard !notes.isEmpty else { continue }
            let deletion = GhostDeletion(syncId: syncId, layout: layout, position: position, sharing: sharing)
            let above = try GhostDeletion.parentsOfDirtyChildren(position, layout, in: reader)
            let entries = try reader.retrieve(notes.map(\.entryId), from: part.soup)
            let byId = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            for note in notes {
                guard let entry = byId[note.entryId], entry[JSONPath(part.idField)]?.idText == note.recordId,
                    try deletion.isOurs(entry, in: reader)
                else { continue }
                found.append((note, !entry.flags.isClean || above.contains(note.recordId)))
            }
        }
        return found
    }

    /// Deletes what the server says was deleted since a time, and saves how far that goes, in one transaction.
    ///
    /// - Returns: nil when the server does not know all of it.
    private func applyDeletions(since: Int64, _ layout: RecordLayout) async throws -> Result? {
        let context = services.context(for: row.state.definition)
        var deletions: [RecordDeletions] = []
        for position in layout.parts.indices {
            guard let found = try await target.deletions(since: since, part: position, in: context) else { return nil }
            deletions.append(found)
        }
        let told = deletions
        // A server that takes its answer back must not have it asked for again and again.
        let covered = max(since, told.map(\.coveredUntil).min() ?? since)
        let (syncId, sharing, known) = (syncId, services.sharing, row.deletionsHeld)
        return try await services.backend.write { writer in
            var counts: [Int] = []
            var held = try Self.stillThere(known, layout, syncId, sharing, in: writer).map(\.note)
            for (position, part) in layout.parts.enumerated() {
                let spent = GhostDeletion(syncId: syncId, layout: layout, position: position, sharing: sharing)
                var ids: Set<Int64> = []
                for id in told[position].ids {
                    let spec = QuerySpec.exact(part.soup, JSONPath(part.idField), .string(id), pageSize: 100)
                    ids.formUnion(try writer.allEntries(spec).map(\.id))
                }
                let outcome = try spent.delete(ids.sorted(), isGone: true, in: writer) { _ in true }
                counts.append(outcome.count)
                held += outcome.held.filter { !held.contains($0) }
            }
            try SyncsSoup.save(deletionsCovered: covered, held: held, of: syncId, in: writer)
            return Result(counts, layout, covered: covered, held: held)
        }
    }

    // MARK: - By comparison

    private func compare(_ layout: RecordLayout) async throws -> Result {
        var context = services.context(for: row.state.definition)
        let times = AnswerTimes(context.transport, clock: services.clock)
        if target.tracksDeletions { context.transport = times }
        var counts: [Int] = []
        var held: [HeldDeletion] = []
        for (position, part) in layout.parts.enumerated() {
            try Task.checkCancellation()
            let candidates = try await candidates(part, position, layout)
            guard !candidates.isEmpty else {
                counts.append(0)
                continue
            }
            let ids = candidates.map(\.value)
            guard let survivors = try await target.survivors(of: ids, part: position, in: context) else {
                throw SoupError(
                    .notSupported,
                    "target \"\(type(of: target).name)\" cannot tell which records the server still has",
                    hint: "Give it survivors(of:part:in:).")
            }
            let ghosts = candidates.filter { !survivors.contains($0.value) }
            let outcome = try await delete(ghosts, position, layout)
            counts.append(outcome.count)
            held += outcome.held
        }
        var result = Result(counts, layout, covered: row.deletionsCovered)
        guard target.tracksDeletions else { return result }
        // Everything that was deleted before the first question has been found by the answers.
        let (syncId, covered, kept) = (syncId, times.earliest, held)
        result.covered = covered ?? row.deletionsCovered
        result.held = held
        try await services.backend.write {
            try SyncsSoup.save(deletionsCovered: covered, held: kept, of: syncId, in: $0)
        }
        return result
    }

    private struct Candidate: Sendable {
        var id: Int64
        var value: String
    }

    /// The entries to ask for: those that can be deleted, and for a target that tells deletions by their dates those,
    /// too, that local changes keep, because nobody would ever tell theirs again.
    private func candidates(
        _ part: RecordLayout.Part, _ position: Int, _ layout: RecordLayout
    ) async throws -> [Candidate] {
        let (syncId, notesHeld) = (syncId, target.tracksDeletions)
        let deletion = GhostDeletion(
            syncId: syncId, layout: layout, position: position, sharing: services.sharing)
        return try await services.backend.read { reader in
            let clean = try reader.cleanValues(at: JSONPath(part.idField), in: part.soup, writtenBy: syncId)
            let held = try GhostDeletion.parentsOfDirtyChildren(position, layout, in: reader)
            var candidates = clean.map { Candidate(id: $0.id, value: $0.value) }
            let known = Set(clean.map(\.id))
            let noted = try OwnerLog.memberships(of: syncId, in: part.soup, reader).filter {
                !known.contains($0.key.id)
            }
            for start in stride(from: 0, to: noted.count, by: 500) {
                let slice = noted[start..<min(start + 500, noted.count)]
                let recordIds = Dictionary(slice.map { ($0.key.id, $0.recordId) }, uniquingKeysWith: { $1 })
                for entry in try reader.retrieve(slice.map(\.key.id), from: part.soup) where entry.flags.isClean {
                    guard let value = entry[JSONPath(part.idField)]?.idText, value == recordIds[entry.id] else {
                        continue
                    }
                    candidates.append(Candidate(id: entry.id, value: value))
                }
            }
            guard notesHeld else { return candidates.filter { !held.contains($0.value) } }
            for entry in try reader.retrieve(try reader.dirtyIds(in: part.soup), from: part.soup) {
                guard !entry.flags.created, let value = entry[JSONPath(part.idField)]?.idText,
                    try deletion.isOurs(entry, in: reader)
                else { continue }
                candidates.append(Candidate(id: entry.id, value: value))
            }
            return candidates
        }
    }

    /// Deletes those of the ghosts that still are: clean, with the same id, and brought by this sync.
    private func delete(
        _ ghosts: [Candidate], _ position: Int, _ layout: RecordLayout
    ) async throws -> GhostDeletion.Outcome {
        guard !ghosts.isEmpty else { return GhostDeletion.Outcome() }
        let deletion = GhostDeletion(
            syncId: syncId, layout: layout, position: position, sharing: services.sharing)
        let values = Dictionary(ghosts.map { ($0.id, $0.value) }, uniquingKeysWith: { first, _ in first })
        return try await services.backend.write { writer in
            try deletion.delete(ghosts.map(\.id), isGone: false, in: writer) { entry in
                entry[JSONPath(layout.parts[position].idField)]?.idText == values[entry.id]
            }
        }
    }
}
