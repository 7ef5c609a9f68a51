// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records of a page whose entries have local changes that started from the same version.
///
/// A query returns such records again if their dates are close to the high-water mark; see ``QueryStart``. They contain
/// nothing new: saving them would replace the local changes under OVERWRITE, and waiting for them would fetch them
/// again until the changes are pushed.
struct KnownRecords {
    private var known: [Set<Int>] = []

    /// Creates an empty set.
    init() {}

    /// Finds the known records of a page from the entries as they are in this transaction.
    ///
    /// The records of a blocked tree are known only if all of them are, because a new one has to be fetched again with
    /// its root.
    init(of fetched: FetchedPage, layout: RecordLayout, _ blocked: BlockedTrees, in reader: any StoreReader) throws {
        let hasDirty = try layout.soups.contains { try !reader.dirtyIds(in: $0).isEmpty }
        guard hasDirty else { return }
        var newRoots: Set<String> = []
        for level in fetched.levels {
            let entries = try entries(of: level, blocked, in: reader)
            let copies = try reader.syncedCopies(of: entries.values.map(\.id), in: level.layout.soup)
            var known: Set<Int> = []
            for record in level.records {
                let entry = level.id(of: record)?.value.idText.flatMap { entries[$0] }
                if let entry, Self.isKnown(record, of: level, entry, copy: copies[entry.id]) {
                    known.insert(record.index)
                } else if blocked.access(to: record, of: level.position) != .open {
                    newRoots.formUnion(blocked.roots(of: record, level: level.position))
                }
            }
            self.known.append(known)
        }
        for level in fetched.levels {
            known[level.position] = known[level.position].filter { index in
                let record = level.records[index]
                guard blocked.access(to: record, of: level.position) != .open else { return true }
                let roots = blocked.roots(of: record, level: level.position)
                return !roots.isEmpty && roots.isDisjoint(with: newRoots)
            }
        }
    }

    /// Returns whether a record of the page contains nothing new.
    func contains(_ record: PageRecord, of level: Int) -> Bool {
        known.indices.contains(level) && known[level].contains(record.index)
    }

    /// Returns the entries that a page must not replace, by the IDs of their records: those with local changes, and
    /// those of blocked trees.
    private func entries(
        of level: FetchedLevel, _ blocked: BlockedTrees, in reader: any StoreReader
    ) throws -> [String: SoupEntry] {
        let soup = level.layout.soup
        let dirty = try reader.dirtyIds(in: soup)
        // Look up the smaller number of entries.
        let readsAllDirty = dirty.count <= level.records.count
        var entries: [String: SoupEntry] = [:]
        func add(_ ids: [Int64]) throws {
            for entry in try reader.retrieve(ids, from: soup) {
                if let id = entry.stored[JSONPath(level.layout.idField)]?.idText { entries[id] = entry }
            }
        }
        if readsAllDirty { try add(dirty) }
        let isDirty = Set(readsAllDirty ? [] : dirty)
        for record in level.records {
            let isBlocked = blocked.access(to: record, of: level.position) != .open
            guard isBlocked || !readsAllDirty, let id = level.id(of: record)?.value.idText, entries[id] == nil else {
                continue
            }
            try add(try level.layout.entryIds(ofRecord: id, in: reader).filter { isBlocked || isDirty.contains($0) })
        }
        return entries
    }

    /// Returns whether an entry started from the fetched version of its record.
    ///
    /// - Parameter copy: the synced copy of the entry. Without one, the modification dates are compared.
    static func isKnown(_ record: PageRecord, of level: FetchedLevel, _ entry: SoupEntry, copy: JSONText?) -> Bool {
        guard !entry.flags.created else { return false }
        let synced = copy.map { SoupEntry(id: entry.id, version: 0, stored: $0).recordForServer }
        guard let base = synced ?? (entry.flags.isClean ? entry.recordForServer : nil) else {
            let known = EntryMerge.time(entry.stored, level.layout)
            return record.date != nil && known == record.date
        }
        return RecordMerge.overlay(level.stampedText(of: record), over: base).value == base.value
    }
}
