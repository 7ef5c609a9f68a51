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
    /// Whether any number of entries may be removed.
    var removesAll = false

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
        /// The entries that were left out of every request because of their IDs; they stay.
        var leftOut: [RecordOutcome] = []

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
    /// - Throws: `notSupported` when the target cannot tell; `tooManyGhosts`; what the target or the store throws.
    ///   Nothing is removed then.
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
        let (syncId, sharing, known, brake) = (syncId, services.sharing, row.deletionsHeld, brake)
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
            let result = Result(counts, layout, covered: covered, held: held)
            try brake.check(result.bySoup) { try Self.cleanCount(of: syncId, in: $0, layout, writer) }
            try SyncsSoup.save(deletionsCovered: covered, held: held, of: syncId, in: writer)
            return result
        }
    }

    // MARK: - By comparison

    private func compare(_ layout: RecordLayout) async throws -> Result {
        var context = services.context(for: row.state.definition)
        let times = AnswerTimes(context.transport, clock: services.clock)
        if target.tracksDeletions { context.transport = times }
        var ghosts: [[Candidate]] = []
        var leftOut: [RecordOutcome] = []
        for (position, part) in layout.parts.enumerated() {
            try Task.checkCancellation()
            let all = try await candidates(part, position, layout)
            let possible = all.filter { target.isPossibleId($0.value, part: position) }
            if possible.count < all.count {
                leftOut += all.filter { !target.isPossibleId($0.value, part: position) }.map {
                    .impossible($0.value, EntryKey(soup: part.soup, id: $0.id))
                }
            }
            ghosts.append(try await self.ghosts(among: possible, position, context))
        }
        var result = try await delete(ghosts, layout, covered: times.earliest)
        result.leftOut = leftOut
        return result
    }

    /// Those of the entries whose records the target no longer gets.
    private func ghosts(
        among candidates: [Candidate], _ position: Int, _ context: SyncContext
    ) async throws -> [Candidate] {
        guard !candidates.isEmpty else { return [] }
        let ids = candidates.map(\.value)
        guard let survivors = try await target.survivors(of: ids, part: position, in: context) else {
            throw SoupError(
                .notSupported,
                "target \"\(type(of: target).name)\" cannot tell which records the server still has",
                hint: "Give it survivors(of:part:in:).")
        }
        return candidates.filter { !survivors.contains($0.value) }
    }

    private var brake: GhostBrake { GhostBrake(row.state, isConfirmed: removesAll) }

    /// How many clean entries of a soup the sync brought.
    private static func cleanCount(
        of syncId: Int64, in soup: SoupName, _ layout: RecordLayout, _ reader: any StoreReader
    ) throws -> Int {
        try layout.parts.filter { $0.soup == soup }.reduce(into: Set<Int64>()) { ids, part in
            ids.formUnion(try cleanEntries(of: syncId, part, in: reader).map(\.id))
        }.count
    }

    /// The clean entries of a part that the sync brought.
    private static func cleanEntries(
        of syncId: Int64, _ part: RecordLayout.Part, in reader: any StoreReader
    ) throws -> [Candidate] {
        let clean = try reader.cleanValues(at: JSONPath(part.idField), in: part.soup, writtenBy: syncId)
        var entries = clean.map { Candidate(id: $0.id, value: $0.value) }
        let known = Set(clean.map(\.id))
        let noted = try OwnerLog.memberships(of: syncId, in: part.soup, reader).filter { !known.contains($0.key.id) }
        for start in stride(from: 0, to: noted.count, by: 500) {
            let slice = noted[start..<min(start + 500, noted.count)]
            let recordIds = Dictionary(slice.map { ($0.key.id, $0.recordId) }, uniquingKeysWith: { $1 })
            for entry in try reader.retrieve(slice.map(\.key.id), from: part.soup) where entry.flags.isClean {
                guard let value = entry[JSONPath(part.idField)]?.idText, value == recordIds[entry.id] else { continue }
                entries.append(Candidate(id: entry.id, value: value))
            }
        }
        return entries
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
            var candidates = try Self.cleanEntries(of: syncId, part, in: reader)
            let held = try GhostDeletion.parentsOfDirtyChildren(position, layout, in: reader)
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
    ///
    /// All parts go in one transaction, with the time up to which the server's deletions are covered.
    ///
    /// - Parameter covered: the time of the server's first answer.
    private func delete(_ ghosts: [[Candidate]], _ layout: RecordLayout, covered: Int64?) async throws -> Result {
        let tracks = target.tracksDeletions
        guard tracks || ghosts.contains(where: { !$0.isEmpty }) else {
            return Result(ghosts.map { _ in 0 }, layout, covered: row.deletionsCovered)
        }
        let (syncId, sharing, brake, known) = (syncId, services.sharing, brake, row.deletionsCovered)
        return try await services.backend.write { writer in
            var counts: [Int] = []
            var held: [HeldDeletion] = []
            for (position, part) in layout.parts.enumerated() {
                let deletion = GhostDeletion(syncId: syncId, layout: layout, position: position, sharing: sharing)
                let values = Dictionary(
                    ghosts[position].map { ($0.id, $0.value) }, uniquingKeysWith: { first, _ in first })
                let outcome = try deletion.delete(ghosts[position].map(\.id), isGone: false, in: writer) { entry in
                    entry[JSONPath(part.idField)]?.idText == values[entry.id]
                }
                counts.append(outcome.count)
                held += outcome.held
            }
            var result = Result(counts, layout, covered: known)
            try brake.check(result.bySoup) { try Self.cleanCount(of: syncId, in: $0, layout, writer) }
            guard tracks else { return result }
            // Everything that was deleted before the first question has been found by the answers.
            result.covered = covered ?? known
            result.held = held
            try SyncsSoup.save(deletionsCovered: covered, held: held, of: syncId, in: writer)
            return result
        }
    }
}
