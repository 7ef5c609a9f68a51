// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The deletion of the ghosts of one level of a sync down, inside one transaction.
struct GhostDeletion: Sendable {
    let syncId: Int64
    let layout: RecordLayout
    let position: Int
    let sharing: SoupSharing

    private var level: RecordLayout.Level { layout.levels[position] }

    /// The result of deleting entries.
    struct Outcome: Sendable {
        /// The number of deleted entries.
        var count = 0
        /// The number of those that no sync down had fetched.
        var unfetchedCount = 0
        /// The record IDs of the deleted entries.
        var removed: Set<String> = []
        /// The entries that were kept because of local changes.
        var held: [HeldDeletion] = []
    }

    /// Deletes those of the given entries that belong to the sync, are clean, and are accepted by `isIncluded`.
    ///
    /// - Parameter isDeletedOnServer: whether the records were deleted on the server. If not, an entry may also belong
    ///   to another sync down; in that case only this sync's ownership is removed.
    /// - Parameter includingUnowned: whether entries that no sync down has fetched yet are deleted too: those that a
    ///   sync up created.
    func delete(
        _ ids: [Int64], isDeletedOnServer: Bool, includingUnowned: Bool = false, in writer: any StoreWriter,
        where isIncluded: (SoupEntry) -> Bool
    ) throws -> Outcome {
        var outcome = Outcome()
        guard !ids.isEmpty else { return outcome }
        let held = try parentsOfDirtyChildren(in: writer)
        let others = isDeletedOnServer ? [] : try sharing.others(than: syncId, of: level.soup, in: writer)
        for start in stride(from: 0, to: ids.count, by: 500) {
            let entries = try writer.retrieve(Array(ids[start..<min(start + 500, ids.count)]), from: level.soup)
            var removals: [EntryRemoval] = []
            for entry in entries where isIncluded(entry) {
                let flags = entry.flags
                guard flags.isKnown, let value = entry[JSONPath(level.idField)]?.idText,
                    try isOwned(entry, in: writer) || includingUnowned && entry.isUnfetched
                else { continue }
                guard flags.isClean, !held.contains(value) else {
                    outcome.held.append(HeldDeletion(level: position, entryId: entry.id, recordId: value))
                    continue
                }
                if let owner = try otherOwner(of: entry, value, among: others, in: writer) {
                    try transfer(entry, to: owner, in: writer)
                } else {
                    removals.append(EntryRemoval(id: entry.id, ifVersion: entry.version))
                }
            }
            let all = Dictionary(entries.map { ($0.id, $0) }) { $1 }
            for id in try writer.remove(removals, from: level.soup) {
                if let value = all[id]?[JSONPath(level.idField)]?.idText { outcome.removed.insert(value) }
                if all[id]?.isUnfetched == true { outcome.unfetchedCount += 1 }
                try EntryOwners.remove(EntryKey(soup: level.soup, id: id), in: writer)
                outcome.count += 1
            }
        }
        return outcome
    }

    /// Deletes the clean entries below deleted parents that no sync down has fetched yet, because a sync up created
    /// them.
    ///
    /// A sync down of the tree fetches children with their parents only, so no later run would find them. Another sync
    /// down that returns such a record fetches it again.
    ///
    /// - Parameter parents: the record IDs of the deleted entries of the level above.
    func deleteUnowned(below parents: Set<String>, in writer: any StoreWriter) throws -> Outcome {
        guard !parents.isEmpty else { return Outcome() }
        let reader = TreeReader(layout: layout)
        let ids = try parents.sorted().flatMap { try reader.children(of: $0, level: level, in: writer).map(\.id) }
        return try delete(ids, isDeletedOnServer: false, includingUnowned: true, in: writer) {
            $0.isUnfetched
        }
    }

    /// Returns whether an entry belongs to the sync.
    func isOwned(_ entry: SoupEntry, in reader: any StoreReader) throws -> Bool {
        if entry[JSONPath(EntryField.syncId)]?.intValue == syncId { return true }
        return try EntryOwners.contains(syncId, EntryKey(soup: level.soup, id: entry.id), in: reader)
    }

    /// Returns another sync down that owns the entry: the last writer if it is one of the others, else the oldest.
    private func otherOwner(
        of entry: SoupEntry, _ value: String, among others: Set<Int64>, in reader: any StoreReader
    ) throws -> Int64? {
        guard !others.isEmpty else { return nil }
        if let writer = entry[JSONPath(EntryField.syncId)]?.intValue, others.contains(writer) { return writer }
        let key = EntryKey(soup: level.soup, id: entry.id)
        return try EntryOwners.owners(of: key, value, in: reader).intersection(others).min()
    }

    /// Removes this sync's ownership of an entry, and makes another owner its last writer.
    private func transfer(_ entry: SoupEntry, to owner: Int64, in writer: any StoreWriter) throws {
        try EntryOwners.remove(syncId, from: EntryKey(soup: level.soup, id: entry.id), in: writer)
        guard entry[JSONPath(EntryField.syncId)]?.intValue != owner else { return }
        let stamp = RecordBatch.Stamp().setting(EntryField.syncId, .integer(owner))
        _ = try writer.stamp([EntryStamp(id: entry.id, stamp: stamp)], in: level.soup)
    }

    /// Returns the IDs of the records that have local changes below them, and must therefore be kept: in the tree of
    /// this sync, or of another one, which could send only deletions without the parent.
    func parentsOfDirtyChildren(in reader: any StoreReader) throws -> Set<String> {
        var held: Set<String> = []
        for tree in try sharing.trees(of: level.soup, in: reader).union([layout.links]) {
            guard try tree.levels.allSatisfy({ try reader.soupExists($0.soup) }) else { continue }
            for (position, level) in tree.levels.enumerated()
            where level.soup == self.level.soup && level.idField == self.level.idField {
                held.formUnion(try Self.parentsOfDirtyChildren(position, tree, in: reader))
            }
        }
        return held
    }

    /// Returns the IDs of the records of a level that have local changes below them in a tree.
    private static func parentsOfDirtyChildren(
        _ position: Int, _ layout: RecordLayout, in reader: any StoreReader
    ) throws -> Set<String> {
        guard !layout.children(of: position).isEmpty else { return [] }
        var held: Set<String> = []
        var ancestorLookup = AncestorLookup(layout: layout, reader: reader)
        for (below, level) in layout.levels.enumerated() where below > position && level.parentIdField != nil {
            for entry in try reader.retrieve(try reader.dirtyIds(in: level.soup), from: level.soup) {
                let above = try ancestorLookup.ancestors(of: entry, level: below)
                if let id = above.first(where: { $0.level == position })?.id { held.insert(id) }
            }
        }
        return held
    }
}

extension SoupEntry {
    /// Whether no sync down has fetched the entry yet.
    var isUnfetched: Bool { (self[JSONPath(EntryField.syncId)] ?? .null) == .null }
}
