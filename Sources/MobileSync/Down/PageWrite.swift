// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The saving of a page: which records go in, and what became of them.
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
    /// Who decides what a merge by field leaves open; nil when local changes are not merged.
    var decide: (@Sendable (RecordConflict) -> ConflictResolution)?
    /// The records that the run has counted.
    let counted: CountedRecords

    /// Writes the page.
    ///
    /// - Throws: what the store throws, with the soup's name; then nothing of the page is kept.
    func save(in writer: any StoreWriter) throws -> SavedPage {
        let judgesTrees = layout.isTree && decide == nil
        let blocked = judgesTrees ? try BlockedTrees(fetched, layout, guarding, in: writer) : BlockedTrees()
        let others = try sharing.others(than: syncId, of: layout.soups, in: writer)
        var saved = SavedPage(horizon: horizon)
        if layout.isTree { saved.parts = layout.parts.dropFirst().map { _ in SeenDates() } }
        for (position, part) in layout.parts.prefix(fetched.page.parts.count).enumerated() {
            let batch = fetched.page.parts[position]
            let (dates, ids) = (fetched.facts[position].dates, fetched.facts[position].ids)
            // Records of a tree that keeps its local changes are left out; of the others each is judged by the guard.
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
                try shared.settle(Dictionary(uniqueKeysWithValues: zip(positions, results)), in: writer)
            }
            var written = results.makeIterator()
            // Trees are counted by their roots, and each part of them has a mark of its own.
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
                    isSkipped = try !merge(index, of: batch, dates[index], into: result?.id, part, &tally, writer)
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

    /// Merges a record with the local changes that kept it out.
    ///
    /// - Parameter date: the record's modification date.
    /// - Returns: whether the store knows of it now, or knew before; what came is left alone otherwise.
    private func merge(
        _ index: Int, of batch: RecordBatch, _ date: Int64?, into id: Int64?, _ part: RecordLayout.Part,
        _ tally: inout RecordTally, _ writer: any StoreWriter
    ) throws -> Bool {
        guard let id, let entry = try writer.retrieve([id], from: part.soup).first else {
            tally.skipped += 1
            return false
        }
        // A creation whose answer was lost is looked up by the next sync up, and is no change of this record before.
        guard let decide, !entry.flags.created else {
            tally.skipped += 1
            // Changes on top of what came miss nothing. A run that brought the record again would replace them under
            // OVERWRITE, although nobody changed it on the server.
            let known = entry[JSONPath(part.modificationDateField)]?.stringValue.flatMap { Timestamp.parse($0) }
            return date != nil && known == date
        }
        let stamp = batch.stamps.isEmpty ? Stamp.none : batch.stamps[index]
        let stamped = JSONText.object(stamp.members.compactMap { member in member.value.map { (member.name, $0) } })
        let remote = RecordMerge.overlay(stamped, over: batch[index])
        let sync = Stamp().setting(EntryField.syncId, .integer(syncId))
        switch try EntryMerge(writer: writer, decide: decide, stamp: sync).merge(entry, with: remote, part) {
        case .clean: tally.saved += 1
        case .dirty: tally.merged += 1
        // What is older than what the entry started from brings nothing that the store does not know.
        case .unchanged, .stale: tally.unchanged += 1
        case .unresolved: tally.conflicted += 1
        case .removed: tally.skipped += 1
        }
        return true
    }
}
