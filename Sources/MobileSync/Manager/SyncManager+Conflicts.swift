// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncManager {
    /// The records that were changed here and on the server, in the order in which they were found: those that a sync
    /// with the mode MERGE could not merge, those that a sync up with LEAVE_IF_CHANGED did not send because the
    /// server's version is newer, or gone, and those whose parent is gone (see ``RecordConflict/code``).
    ///
    /// Each keeps its local changes and is not sent until ``resolveConflict(_:as:)``, or until a later sync finds that
    /// the two versions go together. ``discardChanges(of:in:idField:)`` ends a conflict, too.
    public func conflicts() async throws -> [RecordConflict] { try await Self.conflicts(in: services.backend) }

    /// The conflicts of a store, without opening a manager; as ``conflicts()``.
    public static func conflicts(in backend: any StoreBackend) async throws -> [RecordConflict] {
        try await backend.read { reader in
            try ConflictLog.notes(in: reader).compactMap { try conflict($0, in: reader) }
        }
    }

    /// Ends a conflict.
    ///
    /// A record that is gone on the server and is to stay takes along what went with it: its details, and the parents
    /// that it is under with theirs, as far as a sync up pushes them in trees with this soup.
    ///
    /// - Parameters:
    ///   - conflict: as ``conflicts()`` gave it; an edit that was made since is taken into account. Where nobody knows
    ///     what the changes of a conflict of LEAVE_IF_CHANGED started from, as of a creation, an edit ends it, until
    ///     the next sync up finds it anew.
    ///   - resolution: ``ConflictResolution/unresolved`` does nothing. For a conflict of LEAVE_IF_CHANGED `local` puts
    ///     the local changes on top of the server's version, and the next sync up sends them, also when it is another
    ///     record of the tree that the server has a newer version of; `remote` takes them back.
    /// - Throws: ``SoupError``: `notInConflict` when there is no such conflict any more; `json` for a merged record
    ///   that is no JSON object; `notSupported` when the local changes are to win over a version of the server that
    ///   nobody knows; what ``discardChanges(of:in:idField:)`` throws. Then nothing has changed.
    public func resolveConflict(_ conflict: RecordConflict, as resolution: ConflictResolution) async throws {
        if case .merged(let record) = resolution, record.members == nil {
            throw SoupError(.json, "a merged record must be a JSON object, not \(record)")
        }
        let layouts = try await layouts(of: conflict.soup, idField: nil)
        try await services.backend.write { writer in
            let key = EntryKey(soup: conflict.soup, id: conflict.entryId)
            guard let note = try ConflictLog.note(of: key, in: writer), !note.isDecided,
                try ConflictLog.isOpen(note, in: writer),
                let entry = try writer.retrieve([key.id], from: key.soup).first
            else {
                throw SoupError(
                    .notInConflict, "entry \(key.id) of soup \"\(key.soup)\" is in no conflict",
                    hint: "`soup conflicts`, or conflicts(), lists those that are.")
            }
            guard resolution != .unresolved else { return }
            let id = entry[JSONPath(note.idField)]?.idText
            func reviveFamily(isThere: Bool) throws {
                for layout in layouts {
                    try Revival(layout: layout, writer: writer)
                        .reviveFamily(of: key, id: isThere ? nil : id, note.lostParents)
                }
            }
            if note.isWhole, !note.isTold {
                switch resolution {
                case .remote: _ = try ChangeDiscard(layouts: layouts, writer: writer).discard(key)
                // The record itself is there: all that it lacks is a parent.
                case .local where !note.lostParents.isEmpty:
                    try reviveFamily(isThere: true)
                    try ConflictLog.clear(key, in: writer)
                case .local where !Self.isNewer(note, than: entry):
                    var note = note
                    note.isDecided = true
                    try ConflictLog.set(note, in: writer)
                default: throw SoupError.notTold(key)
                }
            } else {
                // The server took the record away from the parent that is made again.
                let links = note.lostParents.isEmpty || resolution == .remote ? [] : Self.links(of: key.soup, layouts)
                let remote = note.remote.map { RecordMerge.overlay(entry.members(links), over: $0) }
                let outcome = try EntryMerge(writer: writer, decide: { _ in resolution })
                    .merge(entry, with: remote, note.part, isWhole: note.isWhole)
                if outcome == .dirty { try reviveFamily(isThere: note.remote != nil) }
            }
        }
    }

    /// The fields that hold the ids of the parents of a soup's records.
    private static func links(of soup: SoupName, _ layouts: [RecordLayout]) -> [String] {
        layouts.flatMap { $0.places(of: soup) }.compactMap { $0.layout.parts[$0.part].parentIdField }
    }

    /// Whether the server has another version of the very record, and not only of others of its tree.
    private static func isNewer(_ note: ConflictLog.Note, than entry: SoupEntry) -> Bool {
        guard let remote = EntryMerge.time(note.remote, note.part) else { return false }
        let local = entry[JSONPath(note.modificationDateField)]?.stringValue.flatMap { Timestamp.parse($0) }
        return local.map { remote > $0 } ?? true
    }

    private static func conflict(_ note: ConflictLog.Note, in reader: any StoreReader) throws -> RecordConflict? {
        guard !note.isDecided, try ConflictLog.isOpen(note, in: reader),
            let entry = try reader.retrieve([note.key.id], from: note.key.soup).first
        else { return nil }
        let base = try reader.syncedRecord(of: note.key)
        let local = entry.flags.deleted ? nil : entry.recordForServer
        return RecordConflict(
            entry, base: base, local: local, remote: note.remote, note.part,
            fields: note.isWhole ? fieldsAtStake(base, local, note) : note.fields, code: note.code)
    }

    /// The fields that either answer to a conflict about a whole record is about: what was changed here until now.
    ///
    /// Where nobody knows what was changed: those of which the server has something else.
    private static func fieldsAtStake(_ base: JSONText?, _ local: JSONText?, _ note: ConflictLog.Note) -> [String] {
        guard let local, let remote = note.remote else { return [] }
        let merge = RecordMerge(
            base: base, local: local, remote: remote, serverMembers: EntryMerge.serverMembers(note.part))
        return base == nil ? merge.conflicts : merge.localChanges
    }
}

extension SoupEntry {
    /// An object with members of the record, as far as it has them.
    fileprivate func members(_ names: [String]) -> JSONText {
        .object((stored.members ?? []).filter { names.contains($0.key) }.map { (name: $0.key, value: $0.value) })
    }
}

extension SoupError {
    fileprivate static func notTold(_ key: EntryKey) -> SoupError {
        SoupError(
            .notSupported, "what the server has of entry \(key.id) of soup \"\(key.soup)\" is not known here",
            hint: "Take the change back, or push it with OVERWRITE.")
    }
}
