// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A writer of the entries of pushed records, inside one transaction.
///
/// Every change of an entry is a compare-and-set with the version that was pushed, so that an edit made during the push
/// is kept and stays dirty.
struct EntryWriter {
    let layout: RecordLayout
    let writer: any StoreWriter
    /// Whether the store keeps synced copies; if so, the pushed record becomes the copy of an entry edited meanwhile.
    let keepsSyncedCopies: Bool

    /// Stamps an entry, whatever its version.
    func stamp(_ key: EntryKey, _ stamp: RecordBatch.Stamp) throws {
        _ = try writer.stamp([EntryStamp(id: key.id, stamp: stamp)], in: key.soup)
    }

    /// Stamps an entry if it was not edited since it was read, otherwise with another stamp.
    ///
    /// - Returns: whether the entry was unedited.
    @discardableResult
    func stamp(_ record: PushRecord, _ stamp: RecordBatch.Stamp, ifEdited otherwise: RecordBatch.Stamp) throws -> Bool {
        try writer.stamp(
            [EntryStamp(id: record.key.id, stamp: stamp, ifVersion: record.version, otherwise: otherwise)],
            in: record.key.soup
        ).first == true
    }

    /// Stores the error of a record, unless the entry was edited since it was read.
    func stampError(_ record: PushRecord, _ failure: PushFailure) throws {
        let error = RecordBatch.Stamp().setting(EntryField.lastError, .string("\(failure.json)"))
        let version = record.incompleteVersion ?? record.version
        _ = try writer.stamp(
            [EntryStamp(id: record.key.id, stamp: error, ifVersion: version, otherwise: .none)], in: record.key.soup)
    }

    /// Stamps an entry whose pushed version the server has.
    ///
    /// If the entry was edited meanwhile, the pushed version becomes its synced copy.
    ///
    /// - Parameters:
    ///   - flags: the flags if the entry is unchanged since the push.
    ///   - editedFlags: the flags if the entry was edited meanwhile.
    ///   - values: the values that the push changed in both cases.
    ///   - link: the parent under which the record was pushed. If the entry was edited meanwhile, its parent may have
    ///     been changed and is kept.
    func stampPushed(
        _ record: PushRecord, _ flags: RecordBatch.Stamp, ifEdited editedFlags: RecordBatch.Stamp,
        values: RecordBatch.Stamp, link: RecordBatch.Stamp
    ) throws {
        let pushed = values.merging(link)
        let isUnedited = try stamp(record, flags.merging(pushed), ifEdited: editedFlags.merging(values))
        guard keepsSyncedCopies, !isUnedited else { return }
        let members = pushed.members.compactMap { change in change.value.map { (name: change.name, value: $0) } }
        try writer.setSyncedCopies(
            [record.key.id: RecordMerge.overlay(.object(members), over: record.record)], in: record.key.soup)
    }

    /// Deletes an entry whose record the server deleted.
    ///
    /// If the entry was edited meanwhile and is no longer to be deleted, it is kept. It becomes a creation, because the
    /// server no longer has the record.
    func finishDeletion(_ record: PushRecord) throws {
        guard try !delete(record), let entry = try entry(record.key) else { return }
        if entry.flags.deleted {
            try delete(record.key)
        } else {
            try stamp(record.key, .creation)
        }
    }

    /// Deletes an entry unless it was edited since it was read, and returns whether it was deleted.
    func delete(_ record: PushRecord) throws -> Bool {
        let deletion = EntryRemoval(id: record.key.id, ifVersion: record.version)
        return try !writer.remove([deletion], from: record.key.soup).isEmpty
    }

    func delete(_ key: EntryKey) throws { try writer.remove([key.id], from: key.soup) }

    /// Deletes the children of an entry that exist only locally, like the entry itself.
    func deleteLocalChildren(of record: PushRecord) throws {
        try layout.forEachDescendant(of: record.id, level: record.level, in: writer) { key, position, entry in
            guard layout.relationship(of: position) == .masterDetail, entry.flags.created else { return false }
            try delete(key)
            return true
        }
    }

    /// Updates the children of a record that was deleted on the server, which deleted them too.
    ///
    /// If the entry of the record still exists, because it was edited meanwhile, its children become creations as it
    /// does.
    ///
    /// A child that the app had moved there is still below another record on the server. The app has deleted it with
    /// the record, so it becomes a deletion of its own; below an entry that still exists, its change is unaffected.
    ///
    /// - Returns: the children that became deletions.
    func finishDeletion(ofChildrenOf record: PushRecord) throws -> [EntryKey] {
        guard !layout.children(of: record.level).isEmpty else { return [] }
        let isKept = try entry(record.key) != nil
        let moved = MovedDetails(layout: layout, reader: writer)
        var (deletions, deletedCreations): ([EntryKey], [EntryKey]) = ([], [])
        try layout.forEachDescendant(of: record.id, level: record.level, in: writer) { key, position, entry in
            guard layout.relationship(of: position) == .masterDetail else { return false }
            guard try !moved.mayBeElsewhere(entry, key, level: position) else {
                if !isKept {
                    try stamp(key, .deletion)
                    deletions.append(key)
                }
                return false
            }
            if isKept {
                try stamp(key, .creation)
            } else {
                try delete(key)
                if entry.flags.created { deletedCreations.append(key) }
            }
            return true
        }
        try InFlightCreates.clear(deletedCreations, in: writer)
        return deletions
    }

    func entry(_ key: EntryKey) throws -> SoupEntry? { try writer.retrieve([key.id], from: key.soup).first }
}

extension StoreReader {
    /// Returns an ID in the type of the soup's index: as a number for an integer index.
    func idValue(_ id: String, at field: String, in soup: SoupName) throws -> JSONText {
        let kind = try indexSpecs(of: soup).first { $0.path == JSONPath(field) }?.kind
        if kind == .integer, let number = Int64(id), String(number) == id { return .integer(number) }
        return .string(id)
    }
}

extension RecordBatch.Stamp {
    /// Marks an entry as one that the server does not have.
    static let creation = RecordBatch.Stamp().setting(EntryField.local, .true).setting(EntryField.locallyCreated, .true)

    /// Marks an entry as one to delete on the server.
    static let deletion = RecordBatch.Stamp().setting(EntryField.local, .true).setting(EntryField.locallyDeleted, .true)

    /// Marks an entry as changed.
    static let update = RecordBatch.Stamp().setting(EntryField.local, .true).setting(EntryField.locallyUpdated, .true)
}
