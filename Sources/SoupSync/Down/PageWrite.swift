// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The write of one page to the store, with the counts of its results.
///
/// It runs inside the page's transaction.
struct PageWrite: Sendable {
    var fetched: FetchedPage
    var layout: RecordLayout
    var syncId: Int64
    let sharing: SoupSharing
    /// The condition under which entries keep their local changes.
    var guarding: WriteGuard
    /// See ``SavedPage/querySecond``.
    var querySecond: Int64?
    /// See ``QueryProgress/latest``.
    var latest: Int64
    /// Resolves the conflicts that remain after a merge by field; `nil` if local changes are not merged.
    var decide: (@Sendable (RecordConflict) -> ConflictResolution)?
    /// The records that the run has counted.
    let counted: CountedRecords
    /// Whether the query can return records again that have not changed.
    var repeatsRecords = false

    /// Writes the page.
    ///
    /// - Throws: the store's error, with the name of the soup. In that case nothing of the page is saved.
    func save(in writer: any StoreWriter) throws -> SavedPage {
        let blocked = try blockedTrees(in: writer)
        let known = try knownRecords(blocked, in: writer)
        let others = try sharing.others(than: syncId, of: layout.soups, in: writer)
        var saved = SavedPage(querySecond: querySecond, of: layout)
        try deleteReported(&saved, in: writer)
        for level in fetched.levels {
            try level.requireDistinctIds(in: writer)
            let shared = try SharedEntries(
                of: level, syncId: syncId, others: others[level.layout.soup] ?? [], in: writer)
            var writes = level.records.map { record in
                var write = RecordWrite(record, blocked.access(to: record, of: level.position))
                if known.contains(record, of: level.position) { write.effect = .unchanged }
                return write
            }
            try upsert(&writes, of: level, shared, in: writer)
            try shared.saveOwners(in: writer)
            try mergeSkipped(&writes, of: level, in: writer)
            try findParents(of: &writes, of: level, in: writer)
            saved.add(writes, of: level, isTree: layout.isTree, latest: latest, counted: counted)
        }
        return saved
    }

    /// Removes the clean entries of the records that the page reports as deleted.
    private func deleteReported(_ saved: inout SavedPage, in writer: any StoreWriter) throws {
        for (position, (level, ids)) in zip(layout.levels, fetched.head.deletedIds).enumerated() where !ids.isEmpty {
            let deletion = GhostDeletion(syncId: syncId, layout: layout, position: position, sharing: sharing)
            let entries = try Set(ids).flatMap { try level.entryIds(ofRecord: $0, in: writer) }
            let outcome = try deletion.delete(
                entries.sorted(), isDeletedOnServer: true, includingUnowned: true, in: writer
            ) { _ in true }
            saved.deleted += outcome.count
            saved.held += outcome.held
            // The server reports a deletion only to a query from before it, and its date is unknown.
            if !outcome.held.isEmpty { saved.seen.skippedWithoutDate = true }
        }
    }

    /// Returns the trees that the page must leave unchanged; none if local changes are merged.
    private func blockedTrees(in writer: any StoreWriter) throws -> BlockedTrees {
        guard layout.isTree, decide == nil else { return BlockedTrees() }
        return try BlockedTrees(of: fetched, layout: layout, guarding: guarding, in: writer)
    }

    /// Returns the records that contain nothing new for the local changes of their entries.
    ///
    /// A query for all records replaces local changes under OVERWRITE, whatever they started from.
    private func knownRecords(_ blocked: BlockedTrees, in writer: any StoreWriter) throws -> KnownRecords {
        guard repeatsRecords, decide == nil else { return KnownRecords() }
        return try KnownRecords(of: fetched, layout: layout, blocked, in: writer)
    }

    /// Writes the records that may be written, and sets their results.
    private func upsert(
        _ writes: inout [RecordWrite], of level: FetchedLevel, _ shared: SharedEntries, in writer: any StoreWriter
    ) throws {
        func isOpen(_ index: Int) -> Bool { writes[index].access == .open && writes[index].effect != .unchanged }
        var results = try upsert(
            shared.keepingWriters(in: level.batch).filter(isOpen), of: level, in: writer
        ).makeIterator()
        for index in writes.indices where isOpen(index) {
            if let result = results.next() { writes[index].finish(result) }
        }
        let isChanged = writes.map { shared.needsOwnWriter($0) }
        if isChanged.contains(true) { _ = try upsert(level.batch.filter { isChanged[$0] }, of: level, in: writer) }
    }

    private func upsert(
        _ batch: RecordBatch, of level: FetchedLevel, in writer: any StoreWriter
    ) throws -> [UpsertResult] {
        try writer.upsert(
            batch, into: level.layout.soup, matching: .path(JSONPath(level.layout.idField)),
            stamping: .synced(by: syncId), guarding: guarding)
    }

    /// Merges the records that the guard skipped with the local changes of their entries.
    private func mergeSkipped(
        _ writes: inout [RecordWrite], of level: FetchedLevel, in writer: any StoreWriter
    ) throws {
        for index in writes.indices {
            guard let result = writes[index].result, result.outcome == .skipped,
                let entry = try writer.retrieve([result.id], from: level.layout.soup).first
            else { continue }
            writes[index].effect = try merge(writes[index].record, of: level, into: entry, in: writer)
        }
    }

    /// Finds out which of the records that were skipped with their roots have another parent in the store.
    private func findParents(
        of writes: inout [RecordWrite], of level: FetchedLevel, in writer: any StoreWriter
    ) throws {
        guard let field = level.layout.parentIdField else { return }
        for index in writes.indices where writes[index].isMissing && writes[index].access == .blockedWithRoot {
            guard let link = writes[index].record.link, let id = link.id else { continue }
            let entries = try writer.retrieve(
                try level.layout.entryIds(ofRecord: id, in: writer).sorted(), from: level.layout.soup)
            writes[index].hasOtherParent = entries.contains { $0[JSONPath(field)]?.idText != link.parentId }
        }
    }

    /// Merges a record with the local changes that prevented it from being saved.
    private func merge(
        _ record: PageRecord, of level: FetchedLevel, into entry: SoupEntry, in writer: any StoreWriter
    ) throws -> RecordWrite.Effect {
        // The next sync up looks up a creation whose response was lost. Until then the creation is not treated as a
        // change of this record.
        guard let decide, !entry.flags.created else {
            // If the entry started from this version, the record contains nothing new. Fetching the record again would
            // replace the local changes under OVERWRITE, although the record has not changed on the server.
            let copy = try writer.syncedCopies(of: [entry.id], in: level.layout.soup)[entry.id]
            return .skipped(isKnown: KnownRecords.isKnown(record, of: level, entry, copy: copy))
        }
        let sync = RecordBatch.Stamp().setting(EntryField.syncId, .integer(syncId))
        let merge = EntryMerge(writer: writer, decide: decide, stamp: sync)
        switch try merge.merge(entry, with: level.stampedText(of: record), level.layout) {
        case .clean: return .saved
        case .dirty: return .merged
        // A record that is older than the version the entry started from contains nothing new.
        case .unchanged, .stale: return .unchanged
        case .unresolved: return .conflicted
        case .removed: return .skipped(isKnown: true)
        }
    }
}
