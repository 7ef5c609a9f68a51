// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The details that the app has moved below other records, and that the server may still have at their former places.
///
/// The server deletes a record with all details that it has below it. Therefore a record is deleted only after the
/// server has accepted that such details were moved away.
struct DepartedDetails {
    private let layout: RecordLayout
    /// The details that the server has below records, by the entries of these records.
    private var below: [EntryKey: Set<EntryKey>] = [:]
    /// The changed details without a synced copy, by the positions of their levels: their former parents are unknown.
    private var unknown: [Int: Set<EntryKey>] = [:]

    /// Reads the details of a layout that were moved; those that the app has deleted since do not count.
    init(of layout: RecordLayout, in reader: any StoreReader) throws {
        self.layout = layout
        for position in layout.levels.indices where layout.isDetail(position) {
            let soup = layout.levels[position].soup
            var changed: [Int64: (kind: RecordChange.Kind?, parent: String?)] = [:]
            try reader.forEachDirty(in: soup) { entry in
                changed[entry.id] = (entry.flags.change, parentId(of: entry.stored, level: position))
            }
            let copies = try reader.syncedCopies(of: changed.keys.sorted(), in: soup)
            for (id, (kind, parent)) in changed {
                let synced = copies[id].map { parentId(of: $0, level: position) }
                // A record that is created again can be on the server, for example undeleted by another user.
                guard kind == .update || kind == .create && synced != nil, synced != parent,
                    try !isDeleted(parent, of: position, in: reader)
                else { continue }
                let key = EntryKey(soup: soup, id: id)
                if let synced {
                    try add(key, below: synced, level: position, in: reader)
                } else {
                    unknown[position, default: []].insert(key)
                }
            }
        }
    }

    /// Returns the details that the server would delete with a record, although the app has moved them; none unless the
    /// record is to be deleted.
    func details(below record: PushRecord) -> Set<EntryKey> {
        record.kind == .delete ? details(below: record.key, level: record.level) : []
    }

    /// Returns the details that the server would delete with a record, although the app has moved them.
    func details(below key: EntryKey, level: Int) -> Set<EntryKey> {
        var details = below[key] ?? []
        for position in layout.levels.indices where layout.isDetail(position, below: level) {
            details.formUnion(unknown[position] ?? [])
        }
        return details
    }

    /// Adds a detail to all records above it on the server.
    private mutating func add(
        _ detail: EntryKey, below parent: String?, level position: Int, in reader: any StoreReader
    ) throws {
        var (parent, position) = (parent, position)
        while let master = try master(parent, of: position, in: reader) {
            below[master.key, default: []].insert(detail)
            position = layout.levels[position].parentLevel
            // The server has a changed record at its place in the synced copy.
            let copy = master.entry.flags.local ? try reader.syncedCopy(of: master.key) : nil
            parent = parentId(of: copy ?? master.entry.stored, level: position)
        }
    }

    /// Returns whether the app has deleted the parent of a detail, or a record above with which the server deletes it.
    private func isDeleted(_ parent: String?, of position: Int, in reader: any StoreReader) throws -> Bool {
        var (parent, position) = (parent, position)
        while let master = try master(parent, of: position, in: reader) {
            if master.entry.flags.change == .delete { return true }
            position = layout.levels[position].parentLevel
            parent = parentId(of: master.entry.stored, level: position)
        }
        return false
    }

    /// Returns the entry of the parent of a record; `nil` if the record is no detail, or the store lacks the parent.
    private func master(
        _ id: String?, of position: Int, in reader: any StoreReader
    ) throws -> (key: EntryKey, entry: SoupEntry)? {
        guard layout.isDetail(position), let id else { return nil }
        let level = layout.levels[layout.levels[position].parentLevel]
        guard let entryId = try reader.lookup(.string(id), at: JSONPath(level.idField), in: level.soup) else {
            return nil
        }
        return try reader.retrieve([entryId], from: level.soup).first.map {
            (EntryKey(soup: level.soup, id: entryId), $0)
        }
    }

    private func parentId(of record: JSONText, level position: Int) -> String? {
        layout.levels[position].parentIdField.flatMap { record[JSONPath($0)]?.idText }
    }
}

extension RecordLayout {
    /// Returns whether the server deletes the records of a level with their parents.
    func isDetail(_ position: Int) -> Bool {
        let level = levels[position]
        return level.parentIdField != nil && level.parentLevel < position && relationship(of: position) == .masterDetail
    }

    /// Returns whether the server deletes records of a level with those of a level above it.
    func isDetail(_ position: Int, below ancestor: Int) -> Bool {
        guard isDetail(position) else { return false }
        let parent = levels[position].parentLevel
        return parent == ancestor || isDetail(parent, below: ancestor)
    }
}
