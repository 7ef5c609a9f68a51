// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One ghost cleaning, which deletes the entries whose records a sync down would no longer fetch.
///
/// Candidates are the clean entries that this sync fetched. If another sync down fetched an entry too, the entry stays
/// and belongs only to that sync from then on. Therefore no other sync of the same soup loses an entry, and no local
/// change is lost. Entries that a sync up created, and that no sync down has fetched yet, belong to no sync: a complete
/// cleaning removes those whose records no longer exist on the server.
struct GhostRun: Sendable {
    let services: RunServices
    let row: SyncRow
    let target: any SyncDownTarget
    var observation: SyncObservation?
    /// Whether any number of entries may be removed.
    var removesAll = false
    /// The query of the run that ends with this cleaning; `nil` for a cleaning without a run.
    var query: QueryProgress?

    /// Whether to leave late deletions to a later cleaning, if the last one that looked back is recent enough.
    private var skipsLookback: Bool { query?.skipsLookback ?? false }

    /// See ``CoveredDeletions/unseenChildren``, after this cleaning.
    private var unseenChildren: Int64? {
        if let query, !query.skipsLookback { return query.finalStarts.earliestLevel }
        return row.deletionsCovered?.unseenChildren ?? row.starts.earliestLevel
    }

    /// Returns the time since which changed children are looked up.
    ///
    /// - Parameter since: the time since which changed records of the first level are looked up.
    private func childTime(_ since: Int64, _ covered: CoveredDeletions) -> Int64 {
        let unseen = skipsLookback ? query?.starts.earliestLevel : covered.unseenChildren
        return min(since, unseen ?? since)
    }

    var syncId: Int64 { row.state.id }

    /// The result of a ghost cleaning.
    struct Result: Sendable, Hashable {
        /// The number of deleted entries; for trees, the number of parents.
        var count = 0
        /// The number of deleted entries of all levels, by soup.
        var bySoup: [SoupName: Int] = [:]
        /// See ``SyncRow/deletionsCovered``; already saved.
        var covered: CoveredDeletions?
        /// See ``SyncRow/deletionsHeld``; already saved.
        var held: [HeldDeletion] = []
        /// The entries that were left out of every request because of their IDs; they are kept.
        var leftOut: [RecordOutcome] = []

        /// - Parameter counts: the number of deleted entries of each level.
        init(_ counts: [Int], _ layout: RecordLayout, covered: CoveredDeletions?, held: [HeldDeletion] = []) {
            count = layout.isTree ? counts.first ?? 0 : counts.reduce(0, +)
            for (count, level) in zip(counts, layout.levels) where count > 0 { bySoup[level.soup, default: 0] += count }
            self.covered = covered
            self.held = held
        }
    }

    /// Cleans the ghosts of all levels of the target.
    ///
    /// - Parameter completely: whether to compare all IDs even if the server reports deletions.
    /// - Throws: `notSupported` if the target cannot report which records still exist; `tooManyGhosts`; `requestLimit`
    ///   if the server's requests are used up; the errors of the target and of the store. In that case nothing is
    ///   removed.
    func run(completely: Bool = false) async throws -> Result {
        try services.checkRequestLimit(of: target.connectionName)
        let layout = target.recordLayout(for: row.state.definition.soup)
        var covered = completely ? nil : row.deletionsCovered
        if covered != nil, try await hasReleased(layout) { covered = nil }
        let lookback = max(0, target.lookback.milliseconds)
        let since = covered?.start(lookback: lookback, isSkipped: skipsLookback)
        guard let reports = try await deletionReports(since: since, layout) else {
            return try await compare(layout, isCovered: false)
        }
        guard let covered, let since, let deletions = Deletions(reports),
            !covered.isRefuted(byReportUntil: deletions.end ?? covered.until, lookback: lookback)
        else { return try await compare(layout, isCovered: true) }
        let departures = try await departures(
            since: since, ofChildren: childTime(since, covered), besides: deletions, layout)
        let extended = covered.extended(
            to: deletions.end ?? covered.until, lookback: lookback, isSkipped: skipsLookback,
            unseenChildren: unseenChildren)
        return try await apply(deletions, and: departures, until: extended, layout)
    }

    /// Cleans the ghosts as ``run(completely:)``, as an activity for the observer.
    func observedRun(completely: Bool = false) async throws -> Result {
        try await observation.measuring(.ghostCleaning) {
            try await run(completely: completely)
        } describe: { cleaning, result in
            if case .success(let cleaning) = cleaning, cleaning.count > 0 { result.records[.ghosts] = cleaning.count }
        }
    }

    /// Returns whether the target reports deletions; sends no request.
    func reportsDeletions() async throws -> Bool {
        try await deletionReports(since: nil, target.recordLayout(for: row.state.definition.soup)) != nil
    }

    // MARK: - By comparison

    /// Deletes the entries that still have the same record ID.
    ///
    /// - Parameter areUnfetched: whether they are entries that no sync down has fetched, of records that no longer
    ///   exist.
    static func delete(
        _ ghosts: [Candidate], areUnfetched: Bool = false, by deletion: GhostDeletion, of level: RecordLayout.Level,
        in writer: any StoreWriter
    ) throws -> GhostDeletion.Outcome {
        let values = Dictionary(ghosts.map { ($0.id, $0.value) }, uniquingKeysWith: { first, _ in first })
        return try deletion.delete(
            ghosts.map(\.id), isDeletedOnServer: areUnfetched, includingUnowned: areUnfetched, in: writer
        ) { entry in
            entry[JSONPath(level.idField)]?.idText == values[entry.id]
                && (!areUnfetched || entry.isUnfetched)
        }
    }

    /// Compares all IDs with those that the server still has.
    ///
    /// - Parameter isCovered: whether the target reports deletions, so that the time of the comparison is saved as the
    ///   end of the covered period.
    private func compare(_ layout: RecordLayout, isCovered: Bool) async throws -> Result {
        var context = services.context(
            for: row.state.definition, connection: target.connectionName, observation: observation)
        let recorder = RequestTimeRecorder(context.transport, clock: services.clock)
        if isCovered { context.transport = recorder }
        var ghosts: [Ghosts] = []
        var leftOut: [RecordOutcome] = []
        for (position, level) in layout.levels.enumerated() {
            try Task.checkCancellation()
            let all = try await candidates(for: level, at: position, in: layout, includingEdited: isCovered)
            let possible = all.filter { target.isPossibleId($0.value, level: position) }
            if possible.count < all.count {
                leftOut += all.filter { !target.isPossibleId($0.value, level: position) }.map {
                    .impossible($0.value, EntryKey(soup: level.soup, id: $0.id))
                }
            }
            ghosts.append(
                Ghosts(
                    fetched: try await self.ghosts(among: possible, position, context),
                    unfetched: try await unfetchedGhosts(
                        of: level, position, includingEdited: isCovered, context)))
        }
        var result = try await delete(ghosts, layout, isCovered: isCovered, until: recorder.earliest)
        result.leftOut = leftOut
        return result
    }

    /// The ghosts of a level.
    private struct Ghosts: Sendable {
        /// The entries whose records the target no longer fetches.
        var fetched: [Candidate]
        /// The entries that no sync down has fetched, and whose records no longer exist.
        var unfetched: [Candidate]

        var isEmpty: Bool { fetched.isEmpty && unfetched.isEmpty }
    }

    /// Returns the entries whose records the target no longer fetches.
    func ghosts(
        among candidates: [Candidate], _ position: Int, _ context: SyncContext
    ) async throws -> [Candidate] {
        guard !candidates.isEmpty else { return [] }
        let ids = candidates.map(\.value)
        guard let survivors = try await target.survivors(of: ids, level: position, in: context) else {
            throw SoupError(
                .notSupported,
                "target \"\(target.pluginName)\" cannot report which records the server still has",
                hint:
                    "If the target has an option for it, as \"survivors\" of \"http\", add it. Otherwise choose another "
                    + "target, or do not clean the ghosts of the sync.")
        }
        return candidates.filter { !survivors.contains($0.value) }
    }

    var limit: GhostLimit { GhostLimit(row.state, isConfirmed: removesAll) }

    /// Returns the IDs of the clean entries of a soup that belong to the sync.
    ///
    /// - Parameter includingUnfetched: whether those that no sync down has fetched are included.
    static func cleanIds(
        of syncId: Int64, in soup: SoupName, includingUnfetched: Bool = false, _ layout: RecordLayout,
        _ reader: any StoreReader
    ) throws -> Set<Int64> {
        try layout.levels.filter { $0.soup == soup }.reduce(into: []) { ids, level in
            ids.formUnion(try cleanEntries(of: syncId, level, in: reader).map(\.id))
            if includingUnfetched { ids.formUnion(try cleanUnfetchedIds(of: level, in: reader)) }
        }
    }

    /// Returns the clean entries of a level that belong to the sync.
    private static func cleanEntries(
        of syncId: Int64, _ level: RecordLayout.Level, in reader: any StoreReader
    ) throws -> [Candidate] {
        let clean = try reader.cleanValues(at: JSONPath(level.idField), in: level.soup, writtenBy: syncId)
        var entries = clean.map { Candidate(id: $0.id, value: $0.value) }
        let known = Set(clean.map(\.id))
        let owned = try EntryOwners.ownerships(of: syncId, in: level.soup, reader).filter {
            !known.contains($0.key.id)
        }
        for start in stride(from: 0, to: owned.count, by: 500) {
            let slice = owned[start..<min(start + 500, owned.count)]
            let recordIds = Dictionary(slice.map { ($0.key.id, $0.recordId) }, uniquingKeysWith: { $1 })
            for entry in try reader.retrieve(slice.map(\.key.id), from: level.soup) where entry.flags.isClean {
                guard let value = entry[JSONPath(level.idField)]?.idText, value == recordIds[entry.id] else { continue }
                entries.append(Candidate(id: entry.id, value: value))
            }
        }
        return entries
    }

    struct Candidate: Sendable {
        var id: Int64
        var value: String
    }

    /// Returns the entries whose records are looked up on the server: those that can be deleted.
    ///
    /// - Parameter includingEdited: whether entries with local changes are included, because the server does not report
    ///   their deletions again.
    func candidates(
        for level: RecordLayout.Level, at position: Int, in layout: RecordLayout, includingEdited: Bool
    ) async throws -> [Candidate] {
        let syncId = syncId
        let deletion = GhostDeletion(
            syncId: syncId, layout: layout, position: position, sharing: services.sharing)
        return try await services.backend.read { reader in
            var candidates = try Self.cleanEntries(of: syncId, level, in: reader)
            let held = try deletion.parentsOfDirtyChildren(in: reader)
            guard includingEdited else { return candidates.filter { !held.contains($0.value) } }
            for entry in try reader.retrieve(try reader.dirtyIds(in: level.soup), from: level.soup) {
                guard !entry.flags.created, let value = entry[JSONPath(level.idField)]?.idText,
                    try deletion.isOwned(entry, in: reader)
                else { continue }
                candidates.append(Candidate(id: entry.id, value: value))
            }
            return candidates
        }
    }

    /// Deletes the ghosts that are still clean, still have the same record ID and still belong to this sync.
    ///
    /// All levels are deleted in one transaction, which also saves the time up to which the server's deletions are
    /// covered.
    ///
    /// - Parameters:
    ///   - isCovered: whether to save that time.
    ///   - covered: the server time of the first response.
    private func delete(
        _ ghosts: [Ghosts], _ layout: RecordLayout, isCovered: Bool, until covered: Int64?
    ) async throws -> Result {
        guard isCovered || ghosts.contains(where: { !$0.isEmpty }) else {
            return Result(ghosts.map { _ in 0 }, layout, covered: row.deletionsCovered, held: row.deletionsHeld)
        }
        let (syncId, sharing, limit, row) = (syncId, services.sharing, limit, row)
        return try await services.backend.write { writer in
            var counts: [Int] = []
            var held: [HeldDeletion] = []
            var removed: [Set<String>] = []
            var unfetched: [SoupName: Int] = [:]
            for (position, level) in layout.levels.enumerated() {
                let deletion = GhostDeletion(syncId: syncId, layout: layout, position: position, sharing: sharing)
                let outcome = try Self.delete(ghosts[position].fetched, by: deletion, of: level, in: writer)
                let lost = try Self.delete(
                    ghosts[position].unfetched, areUnfetched: true, by: deletion, of: level, in: writer)
                let parents = level.parentIdField == nil ? [] : removed[level.parentLevel]
                let unowned = try deletion.deleteUnowned(below: parents, in: writer)
                counts.append(outcome.count + lost.count + unowned.count)
                unfetched[level.soup, default: 0] += lost.count
                removed.append(outcome.removed.union(lost.removed).union(unowned.removed))
                held += outcome.held + lost.held
            }
            var result = Result(counts, layout, covered: row.deletionsCovered, held: row.deletionsHeld)
            try limit.check(result.bySoup.merging(unfetched) { $0 - $1 }) {
                try Self.cleanIds(of: syncId, in: $0, layout, writer).count
            }
            try limit.check(unfetched) {
                try Self.cleanIds(of: syncId, in: $0, includingUnfetched: true, layout, writer).count
            }
            guard isCovered else { return result }
            // The comparison has found every record that was deleted before the first request.
            result.covered =
                covered.map { CoveredDeletions(until: $0, unseenChildren: unseenChildren) } ?? row.deletionsCovered
            result.held = held
            try SyncsSoup.save(deletionsCovered: result.covered, held: held, of: syncId, in: writer)
            return result
        }
    }
}
