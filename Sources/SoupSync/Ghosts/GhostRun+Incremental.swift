// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The cleaning by the deletions and the changes that the server reports since a time.
extension GhostRun {
    /// The deletions of all levels that the server reported.
    struct Deletions: Sendable {
        /// The IDs of the deleted records, by the levels of the layout.
        var ids: [[String]] = []
        /// The time up to which all deletions are reported; `nil` without levels.
        var end: Int64?

        /// - Returns: `nil` if a report is incomplete.
        init?(_ reports: [DeletionReport]) {
            var ends: [Int64] = []
            for report in reports {
                guard case .complete(let ids, let end) = report else { return nil }
                self.ids.append(ids)
                ends.append(end.millisecondsSince1970)
            }
            end = ends.min()
        }
    }

    /// Requests the server's deletions since a time, until a report is incomplete.
    ///
    /// - Returns: the reports of the levels; `nil` if the target does not report deletions.
    func deletionReports(since: Int64?, _ layout: RecordLayout) async throws -> [DeletionReport]? {
        let context = services.context(
            for: row.state.definition, connection: target.connectionName, observation: observation)
        let since = since.map { Date(millisecondsSince1970: $0) }
        var reports: [DeletionReport] = []
        for level in layout.levels.indices {
            guard let report = try await target.deletions(since: since, level: level, in: context) else { return nil }
            reports.append(report)
            if report == .incomplete { break }
        }
        return reports
    }

    /// Returns whether a deletion that local changes prevented can be applied now.
    ///
    /// In that case all IDs are compared, because the record may have been restored on the server since the deletion
    /// was reported.
    func hasReleased(_ layout: RecordLayout) async throws -> Bool {
        guard !row.deletionsHeld.isEmpty else { return false }
        let (syncId, sharing, held) = (syncId, services.sharing, row.deletionsHeld)
        return try await services.backend.read { reader in
            try Self.remaining(held, layout: layout, syncId: syncId, sharing: sharing, in: reader).contains {
                !$0.isHeld
            }
        }
    }

    /// Returns the entries that still contain the deleted records, and whether local changes prevent their removal.
    private static func remaining(
        _ notes: [HeldDeletion], layout: RecordLayout, syncId: Int64, sharing: SoupSharing,
        in reader: any StoreReader
    ) throws -> [(note: HeldDeletion, isHeld: Bool)] {
        var found: [(note: HeldDeletion, isHeld: Bool)] = []
        for (position, level) in layout.levels.enumerated() {
            let notes = notes.filter { $0.level == position }
            guard !notes.isEmpty else { continue }
            let deletion = GhostDeletion(syncId: syncId, layout: layout, position: position, sharing: sharing)
            let above = try deletion.parentsOfDirtyChildren(in: reader)
            let entries = try reader.retrieve(notes.map(\.entryId), from: level.soup)
            let byId = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            for note in notes {
                guard let entry = byId[note.entryId], entry[JSONPath(level.idField)]?.idText == note.recordId,
                    try entry.isUnfetched || deletion.isOwned(entry, in: reader)
                else { continue }
                found.append((note, !entry.flags.isClean || above.contains(note.recordId)))
            }
        }
        return found
    }

    /// The entries whose records left the target, by the levels of the layout, and the entries that were left out.
    struct Departures: Sendable {
        var ghosts: [[Candidate]] = []
        var leftOut: [RecordOutcome] = []
    }

    /// Returns the entries whose records the target no longer fetches because of a change since a time.
    ///
    /// Candidates are the entries of records that changed, and the children of parents that left: a query for the
    /// changed records of a level does not return children that did not change themselves.
    ///
    /// - Parameter childTime: the time for the levels with a parent.
    func departures(
        since: Int64, ofChildren childTime: Int64, besides deletions: Deletions, _ layout: RecordLayout
    ) async throws -> Departures {
        var context = services.context(
            for: row.state.definition, connection: target.connectionName, observation: observation)
        var departures = Departures()
        for (position, level) in layout.levels.enumerated() {
            try Task.checkCancellation()
            let isRoot = level.parentIdField == nil
            let parents = isRoot ? [] : departures.ghosts[level.parentLevel].map(\.value)
            context.entryCount = nil
            let found = try await candidates(
                changedSince: isRoot ? since : childTime, below: parents, at: position, layout, context)
            let deleted = Set(deletions.ids[position])
            let candidates = found.candidates.filter { !deleted.contains($0.value) }
            let possible = candidates.filter { target.isPossibleId($0.value, level: position) }
            departures.leftOut += candidates.filter { !target.isPossibleId($0.value, level: position) }.map {
                .impossible($0.value, EntryKey(soup: level.soup, id: $0.id))
            }
            context.entryCount = found.entryCount
            departures.ghosts.append(try await ghosts(among: possible, position, context))
        }
        return departures
    }

    /// The number of changed records up to which their IDs are always requested: one page of most servers.
    private static let fewChanges = 2000

    /// Returns the entries of a level whose records changed since a time, or whose parents left the target.
    ///
    /// If more records of the object changed than the sync has entries, all its entries are returned: to look them up
    /// needs fewer requests than to list the changes.
    private func candidates(
        changedSince time: Int64, below parents: [String], at position: Int, _ layout: RecordLayout,
        _ context: SyncContext
    ) async throws -> (candidates: [Candidate], entryCount: Int?) {
        let since = Date(millisecondsSince1970: time)
        func changes(_ limit: Int) async throws -> ChangeReport {
            try await target.changedIds(since: since, level: position, limit: limit, in: context) ?? .complete(ids: [])
        }
        var report = try await changes(Self.fewChanges)
        var all: [Candidate] = []
        if report == .incomplete {
            all = try await candidates(
                for: layout.levels[position], at: position, in: layout, includingEdited: true)
            if all.count > Self.fewChanges { report = try await changes(all.count) }
        }
        guard case .complete(let ids) = report else { return (all, nil) }
        return try await candidates(among: Set(ids), below: parents, position, layout)
    }

    /// Returns the entries of the sync that have one of these IDs, or one of these parents.
    private func candidates(
        among ids: Set<String>, below parents: [String], _ position: Int, _ layout: RecordLayout
    ) async throws -> (candidates: [Candidate], entryCount: Int?) {
        guard !ids.isEmpty || !parents.isEmpty else { return ([], nil) }
        let level = layout.levels[position]
        let deletion = GhostDeletion(syncId: syncId, layout: layout, position: position, sharing: services.sharing)
        return try await services.backend.read { reader in
            var entryIds: Set<Int64> = []
            for id in ids { entryIds.formUnion(try level.entryIds(ofRecord: id, in: reader)) }
            if let field = level.parentIdField {
                for parent in parents {
                    let value = try reader.idValue(parent, at: field, in: level.soup).value
                    let children = try reader.allEntries(
                        .exact(level.soup, JSONPath(field), equals: value, pageSize: 500))
                    entryIds.formUnion(children.map(\.id))
                }
            }
            var candidates: [Candidate] = []
            for entry in try reader.retrieve(entryIds.sorted(), from: level.soup) {
                guard entry.flags.isKnown, !entry.flags.created,
                    let value = entry[JSONPath(level.idField)]?.idText, try deletion.isOwned(entry, in: reader)
                else { continue }
                candidates.append(Candidate(id: entry.id, value: value))
            }
            guard !candidates.isEmpty else { return ([], nil) }
            return (candidates, try reader.count(.all(level.soup, pageSize: 1)))
        }
    }

    /// Applies the deletions that the server reported, removes the entries whose records left the target, and saves the
    /// time up to which both are covered.
    ///
    /// All is saved in one transaction.
    func apply(
        _ deletions: Deletions, and departures: Departures, until covered: CoveredDeletions, _ layout: RecordLayout
    ) async throws -> Result {
        let (syncId, sharing, known, limit) = (syncId, services.sharing, row.deletionsHeld, limit)
        var result = try await services.backend.write { writer in
            var counts: [Int] = []
            var held = try Self.remaining(known, layout: layout, syncId: syncId, sharing: sharing, in: writer).map(
                \.note)
            // The record IDs of the deleted records of each level.
            var removed: [Set<String>] = []
            var unfetched: [SoupName: Int] = [:]
            for (position, level) in layout.levels.enumerated() {
                let deletion = GhostDeletion(syncId: syncId, layout: layout, position: position, sharing: sharing)
                var ids: Set<Int64> = []
                for id in deletions.ids[position] {
                    ids.formUnion(try level.entryIds(ofRecord: id, in: writer))
                }
                let outcome = try deletion.delete(
                    ids.sorted(), isDeletedOnServer: true, includingUnowned: true, in: writer
                ) { _ in true }
                let left = try Self.delete(departures.ghosts[position], by: deletion, of: level, in: writer)
                let parents = level.parentIdField == nil ? [] : removed[level.parentLevel]
                let unowned = try deletion.deleteUnowned(below: parents, in: writer)
                counts.append(outcome.count + left.count + unowned.count)
                unfetched[level.soup, default: 0] += outcome.unfetchedCount
                // The store may no longer have a deleted parent, for example if this device deleted it.
                let gone = Set(deletions.ids[position]).subtracting(outcome.held.map(\.recordId))
                removed.append(gone.union(outcome.removed).union(left.removed).union(unowned.removed))
                held += (outcome.held + left.held).filter { !held.contains($0) }
            }
            let result = Result(counts, layout, covered: covered, held: held)
            try limit.check(result.bySoup.merging(unfetched) { $0 - $1 }) {
                try Self.cleanIds(of: syncId, in: $0, layout, writer).count
            }
            try SyncsSoup.save(deletionsCovered: covered, held: held, of: syncId, in: writer)
            return result
        }
        result.leftOut = departures.leftOut
        return result
    }
}
