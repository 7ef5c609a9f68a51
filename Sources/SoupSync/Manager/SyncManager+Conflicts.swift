// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// Returns the open conflicts, in the order in which they were found.
    ///
    /// A conflict is one of these (see ``RecordConflict/code``):
    /// - a record that was changed locally and on the server, and that a sync with the mode MERGE could not merge
    /// - a record that a sync up with LEAVE_IF_CHANGED did not push, because the server's version is newer or was
    ///   deleted
    /// - a record whose parent was deleted on the server
    ///
    /// Each record keeps its local changes and is not pushed until ``resolveConflict(_:as:)`` is called, or until a
    /// later sync finds that the two versions no longer conflict. ``discardChanges(of:in:idField:)`` ends a conflict
    /// too.
    public func conflicts() async throws -> [RecordConflict] { try await Self.conflicts(in: services.backend) }

    /// Returns the conflicts of a store without opening a manager; same as ``conflicts()``.
    public static func conflicts(in backend: any StoreBackend) async throws -> [RecordConflict] {
        try await backend.read { reader in
            try ConflictStore.notes(in: reader).compactMap { try conflict($0, in: reader) }
        }
    }

    /// Resolves a conflict.
    ///
    /// If a record that was deleted on the server is kept, the related records that were deleted with it are created
    /// again too: its children, and its deleted parents with their children. This includes only records that a sync up
    /// pushes in a tree with this soup.
    ///
    /// - Parameters:
    ///   - conflict: a value from ``conflicts()``; local edits made since then are included. If the last synced version
    ///     is unknown for a conflict of LEAVE_IF_CHANGED, as for a creation, an edit closes the conflict until the next
    ///     sync up finds it again.
    ///   - resolution: ``ConflictResolution/unresolved`` does nothing. For a conflict of LEAVE_IF_CHANGED, `local`
    ///     applies the local changes to the server's version, and the next sync up pushes them, even if the conflict is
    ///     about a newer server version of another record of the tree. `remote` discards the local changes.
    /// - Throws: ``SoupError``: `notInConflict` if the conflict no longer exists; `json` if a merged record is not a
    ///   JSON object; `notSupported` if the local changes are to replace a server version that is not known; the errors
    ///   of ``discardChanges(of:in:idField:)``. In that case nothing is changed.
    public func resolveConflict(_ conflict: RecordConflict, as resolution: ConflictResolution) async throws {
        if case .merged(let record) = resolution, record.members == nil {
            throw SoupError(
                .json, "a merged record must be a JSON object, not \(record)",
                hint: "Pass an object with the members of the record.")
        }
        let layouts = try await layouts(of: conflict.soup, idField: nil)
        try await services.backend.write { writer in
            let key = EntryKey(soup: conflict.soup, id: conflict.entryId)
            guard let note = try ConflictStore.note(of: key, in: writer), try ConflictStore.isListed(note, in: writer),
                let entry = try writer.retrieve([key.id], from: key.soup).first
            else {
                throw SoupError(
                    .notInConflict, "entry \(key.id) of soup \"\(key.soup)\" is in no conflict",
                    hint: "List the conflicts with `soup conflicts` or conflicts().")
            }
            guard resolution != .unresolved else { return }
            let id = entry[JSONPath(note.level.idField)]?.idText
            func recreateRelated(isOnServer: Bool) throws {
                for layout in layouts {
                    try Recreation(layout: layout, writer: writer)
                        .recreateRelated(to: key, id: isOnServer ? nil : id, lostParents: note.lostParents)
                }
            }
            if note.isWhole, !note.hasServerValues {
                switch resolution {
                case .remote: _ = try ChangeDiscard(layouts: layouts, writer: writer).discard(key)
                // The record itself exists on the server; only its parent was deleted.
                case .local where !note.lostParents.isEmpty:
                    try recreateRelated(isOnServer: true)
                    try ConflictStore.clear(key, in: writer)
                case .local where !Self.isNewer(note, than: entry):
                    var note = note
                    note.isDecided = true
                    try ConflictStore.set(note, in: writer)
                default: throw SoupError.serverVersionUnknown(key)
                }
            } else {
                // The server cleared the link to the deleted parent. The parent is recreated, so the local link is
                // kept.
                let links = note.lostParents.isEmpty || resolution == .remote ? [] : Self.links(of: key.soup, layouts)
                let remote = note.remote.map { RecordMerge.overlay(entry.members(links), over: $0) }
                let outcome = try EntryMerge(writer: writer, decide: { _ in resolution })
                    .merge(entry, with: remote, note.level, isWhole: note.isWhole)
                if outcome == .dirty { try recreateRelated(isOnServer: note.remote != nil) }
            }
        }
    }

    /// Returns the fields that contain the parent IDs of a soup's records.
    private static func links(of soup: SoupName, _ layouts: [RecordLayout]) -> [String] {
        layouts.flatMap { $0.places(of: soup) }.compactMap { $0.layout.levels[$0.level].parentIdField }
    }

    /// Returns whether the server has a newer version of this record, and not only of other records of its tree.
    private static func isNewer(_ note: ConflictStore.Note, than entry: SoupEntry) -> Bool {
        guard let remote = EntryMerge.time(note.remote, note.level) else { return false }
        return EntryMerge.time(entry.stored, note.level).map { remote > $0 } ?? true
    }

    private static func conflict(_ note: ConflictStore.Note, in reader: any StoreReader) throws -> RecordConflict? {
        guard try ConflictStore.isListed(note, in: reader),
            let entry = try reader.retrieve([note.key.id], from: note.key.soup).first
        else { return nil }
        let base = try reader.syncedRecord(of: note.key)
        let local = entry.flags.deleted ? nil : entry.recordForServer
        return RecordConflict(
            entry, base: base, local: local, remote: note.remote, note.level,
            fields: note.isWhole ? affectedFields(of: note, base: base, local: local) : note.fields, code: note.code)
    }

    /// Returns the fields that a resolution of a whole-record conflict affects: those that were changed locally.
    ///
    /// If the last synced version is unknown, returns the fields in which the server has another value.
    private static func affectedFields(
        of note: ConflictStore.Note, base: JSONText?, local: JSONText?
    ) -> [String] {
        guard let local, let remote = note.remote else { return [] }
        let merge = RecordMerge(
            base: base, local: local, remote: remote,
            serverMembers: EntryMerge.serverMembers(note.level, in: [base, local, remote]))
        return base == nil ? merge.conflicts : merge.localChanges
    }
}

extension SoupEntry {
    /// Returns an object with the named members that the record has.
    fileprivate func members(_ names: [String]) -> JSONText {
        .object((stored.members ?? []).filter { names.contains($0.key) }.map { (name: $0.key, value: $0.value) })
    }
}

extension SoupError {
    fileprivate static func serverVersionUnknown(_ key: EntryKey) -> SoupError {
        SoupError(
            .notSupported, "the server's version of entry \(key.id) of soup \"\(key.soup)\" is not known",
            hint: "Discard the change, or push it with OVERWRITE.")
    }
}
