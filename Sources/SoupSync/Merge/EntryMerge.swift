// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A merge of the local changes of entries with the server's versions, inside one transaction.
///
/// After a merge, the entry contains the merged record, and its synced copy is the server's version, from which the
/// next merge starts. If a record cannot be merged, its entry is unchanged and the conflict is saved in the
/// ``ConflictStore``.
struct EntryMerge {
    let writer: any StoreWriter
    /// Resolves the conflicts that remain after a merge by field.
    let decide: (RecordConflict) -> ConflictResolution
    /// The stamp of written entries: the ID of the sync down that fetches the records.
    var stamp = RecordBatch.Stamp.none

    /// The result for an entry.
    enum Outcome: Sendable, Hashable {
        /// The entry equals the server's version and has no local changes.
        case clean
        /// The entry contains the changes of both sides, and its own changes still have to be pushed.
        case dirty
        /// The entry is unchanged, because the server changed nothing.
        case unchanged
        /// Nothing was done, because the received version is older than the version the entry started from.
        case stale
        /// The entry was removed, because the record was deleted.
        case removed
        /// Both sides changed the same field, and the conflict is unresolved.
        case unresolved
    }

    /// Merges an entry with the server's version of its record.
    ///
    /// - Parameters:
    ///   - entry: an entry with local changes, read in this transaction.
    ///   - remote: the server's version, with the fields that were requested; `nil` if the record was deleted.
    ///   - isWhole: whether every difference is a conflict. If so, the resolution `remote` replaces the whole record.
    func merge(
        _ entry: SoupEntry, with remote: JSONText?, _ level: RecordLayout.Level, isWhole: Bool = false
    ) throws -> Outcome {
        let key = EntryKey(soup: level.soup, id: entry.id)
        let base = try writer.syncedRecord(of: key)
        guard let remote else { return try resolveDeletion(of: entry, base: base, level: level) }
        if let baseTime = Self.time(base, level), let remoteTime = Self.time(remote, level), remoteTime < baseTime {
            return .stale
        }
        if entry.flags.deleted {
            return try mergeLocalDeletion(of: entry, with: remote, base: base, level: level, isWhole: isWhole)
        }
        let local = entry.recordForServer
        let newBase = base.map { RecordMerge.overlay(remote, over: $0) } ?? remote
        let dated = Self.dated(local, as: remote, level: level)
        let serverMembers = Self.serverMembers(level, in: [base, local, remote])
        let merge = RecordMerge(base: base, local: local, remote: remote, serverMembers: serverMembers)
        if merge.conflicts.isEmpty, !isWhole {
            // If the server changed nothing, the text is not rewritten, because a write would count as an edit.
            guard merge.hasLocalChanges, !merge.hasRemoteChanges else { return try store(merge, key, base: newBase) }
            let note = try ConflictStore.note(of: key, in: writer)
            _ = try writeDirty(key, dated, base: newBase)
            // The record has no conflict of its own, but its deleted parent still waits for a decision.
            if let note, !note.lostParents.isEmpty { try ConflictStore.set(note, in: writer) }
            return .unchanged
        }
        // Without the conflicting local values, the other values can be merged.
        let withoutConflicts = RecordMerge(
            base: base, local: Self.without(merge.conflicts, local), remote: remote, serverMembers: serverMembers)
        return try resolve(
            RecordConflict(entry, base: base, local: local, remote: remote, level, fields: merge.conflicts), of: key,
            level: level,
            local: { try store(merge, key, base: newBase) },
            remote: {
                try isWhole
                    ? writeClean(key, RecordMerge.overlay(remote, over: base ?? local))
                    : store(withoutConflicts, key, base: newBase)
            },
            merged: { record in
                let members = Self.without(Self.unchanged(in: record, of: local, besides: merge.conflicts), record)
                return try writeDirty(key, RecordMerge.overlay(members, over: merge.record), base: newBase)
            })
    }

    /// Merges an entry that is to be deleted; every change on the server is a conflict.
    private func mergeLocalDeletion(
        of entry: SoupEntry, with remote: JSONText, base: JSONText?, level: RecordLayout.Level, isWhole: Bool
    ) throws -> Outcome {
        let key = EntryKey(soup: level.soup, id: entry.id)
        let local = entry.recordForServer
        let newBase = base.map { RecordMerge.overlay(remote, over: $0) } ?? remote
        let dated = Self.dated(local, as: remote, level: level)
        let serverChanges = RecordMerge(
            base: base, local: local, remote: Self.withoutUnsyncedNulls(remote, base),
            serverMembers: Self.serverMembers(level, in: [base, local, remote]))
        guard serverChanges.hasRemoteChanges || isWhole else {
            _ = try writeDirty(key, dated, base: newBase)
            return .unchanged
        }
        // The server's version may contain only the requested fields. The other fields are taken from the entry.
        let whole = RecordMerge.overlay(remote, over: base ?? local)
        return try resolve(
            RecordConflict(entry, base: base, local: nil, remote: remote, level), of: key, level: level,
            local: { try writeDirty(key, dated, base: newBase) },
            remote: { try writeClean(key, whole) },
            merged: { try writeDirty(key, RecordMerge.overlay($0, over: whole), base: newBase, flags: .undeleted) })
    }

    /// Returns the members of a resolution that equal the local record and are not in conflict.
    ///
    /// A resolver that starts from the whole local record, or a user who edits it, does not want to replace the
    /// server's values of these members.
    private static func unchanged(
        in record: JSONText, of local: JSONText, besides conflicts: [String]
    ) -> [String] {
        let known = Dictionary((local.members ?? []).map { ($0.key, $0.value.value) }, uniquingKeysWith: { $1 })
        return (record.members ?? []).filter { !conflicts.contains($0.key) && known[$0.key] == $0.value.value }
            .map(\.key)
    }

    // MARK: - Resolving conflicts

    private func resolveDeletion(
        of entry: SoupEntry, base: JSONText?, level: RecordLayout.Level
    ) throws -> Outcome {
        let key = EntryKey(soup: level.soup, id: entry.id)
        func remove() throws -> Outcome {
            try writer.remove([entry.id], from: level.soup)
            try ConflictStore.clear(key, in: writer)
            return .removed
        }
        if entry.flags.deleted { return try remove() }
        func recreate(_ record: JSONText) throws -> Outcome {
            try write(record, key, flags: .creation)
            try ConflictStore.clear(key, in: writer)
            return .dirty
        }
        let local = entry.recordForServer
        return try resolve(
            RecordConflict(entry, base: base, local: local, remote: nil, level), of: key, level: level,
            local: { try recreate(local) }, remote: remove,
            merged: { try recreate(RecordMerge.overlay($0, over: local)) })
    }

    private func resolve(
        _ conflict: RecordConflict, of key: EntryKey, level: RecordLayout.Level, local: () throws -> Outcome,
        remote acceptRemote: () throws -> Outcome, merged: (JSONText) throws -> Outcome
    ) throws -> Outcome {
        switch decide(conflict) {
        case .local: return try local()
        case .remote: return try acceptRemote()
        case .merged(let record) where record.members != nil: return try merged(record)
        case .merged, .unresolved:
            // A push requests only the fields that it sends. Values of other fields that a sync down saved earlier are
            // kept.
            let known = try ConflictStore.note(of: key, in: writer)?.remote
            let remote = conflict.remote.map { remote in known.map { RecordMerge.overlay(remote, over: $0) } ?? remote }
            try ConflictStore.set(
                .init(key, remote: remote, fields: conflict.fields, baseTime: Self.time(conflict.base, level), level),
                in: writer)
            return .unresolved
        }
    }

    // MARK: - Writing

    /// Restores an entry to its version from before the local changes.
    func restore(_ base: JSONText, _ key: EntryKey) throws {
        try write(SoupEntry(id: key.id, version: 0, stored: base).recordForServer, key, flags: .clean)
    }

    private func store(_ merge: RecordMerge, _ key: EntryKey, base: JSONText) throws -> Outcome {
        merge.hasLocalChanges ? try writeDirty(key, merge.record, base: base) : try writeClean(key, merge.record)
    }

    /// Writes a record that equals the server's version.
    private func writeClean(_ key: EntryKey, _ record: JSONText) throws -> Outcome {
        try write(record, key, flags: .clean)
        try ConflictStore.clear(key, in: writer)
        return .clean
    }

    /// Writes a record with local changes, together with the version it started from.
    private func writeDirty(
        _ key: EntryKey, _ record: JSONText, base: JSONText, flags: RecordBatch.Stamp = .none
    ) throws -> Outcome {
        try write(record, key, flags: flags)
        // In a store without synced copies, the date in the record identifies the version it started from.
        try writer.setSyncedCopies([key.id: base], in: key.soup)
        try ConflictStore.clear(key, in: writer)
        return .dirty
    }

    /// Replaces the record of an entry, but keeps the members that SoupKit manages.
    private func write(_ record: JSONText, _ key: EntryKey, flags: RecordBatch.Stamp) throws {
        let names = Set(EntryField.own)
        let old = try writer.retrieve([key.id], from: key.soup).first?.stored.members ?? []
        let own = RecordBatch.Stamp(
            old.filter { names.contains($0.key) }.map { RecordBatch.Stamp.Member($0.key, $0.value) })
        let members = (record.members ?? []).filter { !names.contains($0.key) }.map { (name: $0.key, value: $0.value) }
        let whole = JSONText.object([(EntryField.entryId, .integer(key.id))] + members)
        _ = try writer.upsert(
            RecordBatch([whole]), into: key.soup, matching: .entryId, stamping: own.merging(stamp).merging(flags),
            guarding: .none)
    }

    // MARK: - Records

    /// Returns the members of versions of a record that only the server sets.
    static func serverMembers(_ level: RecordLayout.Level, in records: [JSONText?]) -> [String] {
        [level.idField, level.modificationDateField] + (level.versionField.map { [$0] } ?? [])
            + RecordMetadata.names(in: records)
    }

    /// Returns the server's version without null values in fields that were never synced.
    private static func withoutUnsyncedNulls(_ remote: JSONText, _ base: JSONText?) -> JSONText {
        let synced = Set((base?.members ?? []).map(\.key))
        let members = (remote.members ?? []).filter { $0.value != .null || synced.contains($0.key) }
        return .object(members.map { (name: $0.key, value: $0.value) })
    }

    static func time(_ record: JSONText?, _ level: RecordLayout.Level) -> Int64? {
        level.time(of: record)
    }

    /// Returns the local record with the server's modification date and version, so that a push treats it as up to
    /// date.
    private static func dated(_ local: JSONText, as remote: JSONText, level: RecordLayout.Level) -> JSONText {
        let names = [level.modificationDateField, level.versionField]
        let members = (remote.members ?? []).filter { names.contains($0.key) }
        return RecordMerge.overlay(.object(members.map { (name: $0.key, value: $0.value) }), over: local)
    }

    private static func without(_ names: [String], _ record: JSONText) -> JSONText {
        let names = Set(names.map { Array($0.utf8) })
        return .object(
            (record.members ?? []).filter { !names.contains(Array($0.key.utf8)) }
                .map { (name: $0.key, value: $0.value) })
    }
}

extension RecordBatch.Stamp {
    /// Changes a pending deletion into an update.
    fileprivate static let undeleted = RecordBatch.Stamp.update.setting(EntryField.locallyDeleted, .false)
}

extension RecordConflict {
    /// Creates the conflict of an entry, as resolvers and users see it.
    init(
        _ entry: SoupEntry, base: JSONText?, local: JSONText?, remote: JSONText?, _ level: RecordLayout.Level,
        fields: [String] = [], code: String = HoldReason.conflict.code
    ) {
        self.init(
            soup: level.soup, entryId: entry.id, serverId: entry[JSONPath(level.idField)]?.idText, base: base,
            local: local, remote: remote, fields: fields, code: code, localTime: entry.lastModified,
            remoteTime: EntryMerge.time(remote, level).map { Date(millisecondsSince1970: $0) })
    }
}
