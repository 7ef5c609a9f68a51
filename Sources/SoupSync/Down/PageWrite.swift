// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Writes one page to the store and counts the results.
///
/// It runs inside the page's transaction.
struct PageWrite: Sendable {
    var fetched: FetchedPage
    var layout: RecordLayout
    var syncId: Int64
    let sharing: SoupSharing
    /// Which entries keep their local changes.
    var guarding: WriteGuard
    /// See ``SavedPage/horizon``.
    var horizon: Int64?
    /// See ``QueryProgress/latest``.
    var latest: Int64
    /// Resolves the conflicts that a merge by field leaves; `nil` if local changes are not merged.
    var decide: (@Sendable (RecordConflict) -> ConflictResolution)?
    /// The records that the run has counted.
    let counted: CountedRecords

    /// Writes the page.
    ///
    /// - Throws: the store's error, with the name of the soup. In that case nothing of the page is saved.
    func save(in writer: any StoreWriter) throws -> SavedPage {
        let judgesTrees = layout.isTree && decide == nil
        let blocked =
            judgesTrees ? try BlockedTrees(of: fetched, layout: layout, guarding: guarding, in: writer) : BlockedTrees()
        let others = try sharing.others(than: syncId, of: layout.soups, in: writer)
        var saved = SavedPage(horizon: horizon)
        if layout.isTree { saved.parts = layout.parts.dropFirst().map { _ in WatermarkAccumulator() } }
        for (position, part) in layout.parts.prefix(fetched.page.parts.count).enumerated() {
            let batch = fetched.page.parts[position]
            let (dates, ids) = (fetched.facts[position].dates, fetched.facts[position].ids)
            // Records of a blocked tree are left out. For all other records, the guard decides.
            let isOpen: [Bool]? =
                judgesTrees ? batch.ranges.indices.map { !blocked.contains($0, of: position, fetched) } : nil
            let shared = try SharedEntries(
                batch, part, syncId: syncId, others: others[part.soup] ?? [], in: writer)
            var open = shared.keepingWriters(in: batch)
            if let isOpen { open = open.filter { isOpen[$0] } }
            let results = try writer.upsert(
                open, into: part.soup, matching: .path(JSONPath(part.idField)), stamping: .synced(by: syncId),
                guarding: guarding)
            if !shared.isEmpty {
                let positions = batch.ranges.indices.filter { isOpen?[$0] ?? true }
                try shared.apply(Dictionary(uniqueKeysWithValues: zip(positions, results)), in: writer)
            }
            var written = results.makeIterator()
            // Trees are counted by their roots, and each part of a tree has its own high-water mark.
            let counts = position == 0 || !layout.isTree
            var partTally = RecordTally()
            for index in batch.ranges.indices {
                let result = isOpen?[index] ?? true ? written.next() : nil
                var tally = RecordTally()
                if result?.replacesLocalChanges ?? false { tally.replaced += 1 }
                var isSkipped = false
                switch result?.outcome ?? .skipped {
                case .inserted, .updated: tally.saved += 1
                case .unchanged: tally.unchanged += 1
                case .skipped:
                    isSkipped = try !merge(
                        index, of: batch, dated: dates[index], into: result?.id, part: part, tally: &tally, in: writer)
                }
                let isNew =
                    layout.isTree
                    ? counted.isNew(ids.isEmpty ? nil : ids[index], part: position)
                    : counted.isNew(result?.id, part: position)
                if isNew { partTally += tally }
                if counts {
                    saved.count += 1
                    saved.seen.note(dates[index], isSkipped: isSkipped, horizon: horizon, latest: latest)
                } else if !isSkipped || !blocked.comesWithRoot(index, of: position, fetched) {
                    saved.parts[position - 1].note(dates[index], isSkipped: isSkipped, horizon: horizon, latest: latest)
                }
            }
            saved.tally += partTally
            if partTally.saved > 0 { saved.savedBySoup[part.soup, default: 0] += partTally.saved }
        }
        return saved
    }

    /// Merges a record with the local changes that prevented it from being saved.
    ///
    /// - Parameter date: the record's modification date.
    /// - Returns: whether the store has this version of the record, in an entry or in the conflict log. If not, the
    ///   record is skipped.
    private func merge(
        _ index: Int, of batch: RecordBatch, dated date: Int64?, into id: Int64?, part: RecordLayout.Part,
        tally: inout RecordTally, in writer: any StoreWriter
    ) throws -> Bool {
        guard let id, let entry = try writer.retrieve([id], from: part.soup).first else {
            tally.skipped += 1
            return false
        }
        // The next sync up looks up a creation whose response was lost. Until then the creation is not treated as a
        // change of this record.
        guard let decide, !entry.flags.created else {
            tally.skipped += 1
            // If the entry started from this version, the record contains nothing new. Fetching the record again would
            // replace the local changes under OVERWRITE, although the record has not changed on the server.
            let known = entry[JSONPath(part.modificationDateField)]?.stringValue.flatMap { DateText.parse($0) }
            return date != nil && known == date
        }
        let stamp = batch.stamps.isEmpty ? RecordBatch.Stamp.none : batch.stamps[index]
        let stamped = JSONText.object(stamp.members.compactMap { member in member.value.map { (member.name, $0) } })
        let remote = RecordMerge.overlay(stamped, over: batch[index])
        let sync = RecordBatch.Stamp().setting(EntryField.syncId, .integer(syncId))
        switch try EntryMerge(writer: writer, decide: decide, stamp: sync).merge(entry, with: remote, part) {
        case .clean: tally.saved += 1
        case .dirty: tally.merged += 1
        // A record that is older than the version the entry started from contains nothing new.
        case .unchanged, .stale: tally.unchanged += 1
        case .unresolved: tally.conflicted += 1
        case .removed: tally.skipped += 1
        }
        return true
    }
}
