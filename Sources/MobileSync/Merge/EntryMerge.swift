// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Brings the local changes of entries together with what the server has, inside one transaction.
///
/// Afterwards an entry holds the merged record, and its synced copy is the server's version, so that the next merge
/// starts from there. What cannot be merged is left as it is, and noted in the ``ConflictLog``.
struct EntryMerge {
    let writer: any StoreWriter
    /// Asked about what a merge by field leaves open.
    let decide: (RecordConflict) -> ConflictResolution
    /// Stamped on what is written: the id of a sync down that brings the records.
    var stamp = Stamp.none

    /// What became of an entry.
    enum Outcome: Sendable, Hashable {
        /// It is as the server has it, without local changes.
        case clean
        /// It holds the changes of both sides, and its own are still to be sent.
        case dirty
        /// It is as it was: the server changed nothing.
        case unchanged
        /// Nothing was done: what came is older than what the entry started from.
        case stale
        /// The entry is gone, as the record is.
        case removed
        /// Both sides changed the same, and nobody could decide.
        case unresolved
    }

    /// Merges an entry with the server's version of its record.
    ///
    /// - Parameters:
    ///   - entry: with local changes, of this transaction.
    ///   - remote: what the server has, as far as it was asked for; nil when the record is not there any more.
    ///   - isWhole: whether every difference is to be decided, and the server's side, when it wins, wins altogether.
    func merge(
        _ entry: SoupEntry, with remote: JSONText?, _ part: RecordLayout.Part, isWhole: Bool = false
    ) throws -> Outcome {
        let key = EntryKey(soup: part.soup, id: entry.id)
        let base = try writer.syncedRecord(of: key)
        guard let remote else { return try settleDeletedRemotely(entry, base, part) }
        if let then = Self.time(base, part), let now = Self.time(remote, part), now < then { return .stale }
        let local = entry.recordForServer
        let newBase = base.map { RecordMerge.overlay(remote, over: $0) } ?? remote
        let dated = Self.dated(local, remote, part)
        if entry.flags.deleted {
            // With a deletion everything that the server changed is in conflict.
            let news = RecordMerge(
                base: base, local: local, remote: Self.withoutUnsyncedNulls(remote, base),
                serverMembers: Self.serverMembers(part))
            guard news.hasRemoteChanges || isWhole else {
                _ = try keep(key, dated, newBase)
                return .unchanged
            }
            // The server was perhaps asked for some fields only; the others are as the entry has them.
            let revived = RecordMerge.overlay(remote, over: base ?? local)
            return try settle(
                RecordConflict(entry, base: base, local: nil, remote: remote, part), key, part,
                local: { try keep(key, dated, newBase) },
                remote: { try take(key, revived) },
                merged: { try keep(key, RecordMerge.overlay($0, over: revived), newBase, flags: .revived) })
        }
        let merge = RecordMerge(base: base, local: local, remote: remote, serverMembers: Self.serverMembers(part))
        if merge.conflicts.isEmpty, !isWhole {
            // The text stays as it is where the server changed nothing: a write would look like an edit.
            guard merge.hasLocalChanges, !merge.hasRemoteChanges else { return try store(merge, key, newBase) }
            _ = try keep(key, dated, newBase)
            return .unchanged
        }
        // Without the local values in conflict the rest merges by itself.
        let yielding = RecordMerge(
            base: base, local: Self.without(merge.conflicts, local), remote: remote,
            serverMembers: Self.serverMembers(part))
        return try settle(
            RecordConflict(entry, base: base, local: local, remote: remote, part, fields: merge.conflicts), key, part,
            local: { try store(merge, key, newBase) },
            remote: {
                try isWhole
                    ? take(key, RecordMerge.overlay(remote, over: base ?? local)) : store(yielding, key, newBase)
            },
            merged: { try keep(key, RecordMerge.overlay($0, over: merge.record), newBase) })
    }

    // MARK: - Deciding

    private func settleDeletedRemotely(
        _ entry: SoupEntry, _ base: JSONText?, _ part: RecordLayout.Part
    ) throws -> Outcome {
        let key = EntryKey(soup: part.soup, id: entry.id)
        func remove() throws -> Outcome {
            try writer.delete([entry.id], from: part.soup)
            try ConflictLog.clear(key, in: writer)
            return .removed
        }
        if entry.flags.deleted { return try remove() }
        func recreate(_ record: JSONText) throws -> Outcome {
            try write(record, key, flags: .creation)
            try ConflictLog.clear(key, in: writer)
            return .dirty
        }
        let local = entry.recordForServer
        return try settle(
            RecordConflict(entry, base: base, local: local, remote: nil, part), key, part,
            local: { try recreate(local) }, remote: remove,
            merged: { try recreate(RecordMerge.overlay($0, over: local)) })
    }

    private func settle(
        _ conflict: RecordConflict, _ key: EntryKey, _ part: RecordLayout.Part, local: () throws -> Outcome,
        remote takeRemote: () throws -> Outcome, merged: (JSONText) throws -> Outcome
    ) throws -> Outcome {
        switch decide(conflict) {
        case .local: return try local()
        case .remote: return try takeRemote()
        case .merged(let record) where record.members != nil: return try merged(record)
        case .merged, .unresolved:
            // A push asks for the fields that it sends alone; what a sync down brought of the others stays.
            let known = try ConflictLog.note(of: key, in: writer)?.remote
            let remote = conflict.remote.map { remote in known.map { RecordMerge.overlay(remote, over: $0) } ?? remote }
            try ConflictLog.set(
                .init(key, remote: remote, fields: conflict.fields, baseTime: Self.time(conflict.base, part), part),
                in: writer)
            return .unresolved
        }
    }

    // MARK: - Writing

    /// Makes an entry what it was before its local changes.
    func restore(_ base: JSONText, _ key: EntryKey) throws {
        try write(SoupEntry(id: key.id, lastModified: 0, stored: base).recordForServer, key, flags: .clean)
    }

    private func store(_ merge: RecordMerge, _ key: EntryKey, _ base: JSONText) throws -> Outcome {
        merge.hasLocalChanges ? try keep(key, merge.record, base) : try take(key, merge.record)
    }

    /// Writes a record that the server has.
    private func take(_ key: EntryKey, _ record: JSONText) throws -> Outcome {
        try write(record, key, flags: .clean)
        try ConflictLog.clear(key, in: writer)
        return .clean
    }

    /// Writes a record that the server does not have, and what it started from.
    private func keep(
        _ key: EntryKey, _ record: JSONText, _ base: JSONText, flags: Stamp = .none
    ) throws -> Outcome {
        try write(record, key, flags: flags)
        do {
            try writer.setSyncedCopies([key.id: base], in: key.soup)
        } catch let error as SoupError where error.code == .notSupported {
            // Of a store that keeps no copies; the date in the record tells what it started from.
        }
        try ConflictLog.clear(key, in: writer)
        return .dirty
    }

    /// Puts a record in the place of what the entry holds, but for the members that SoupKit keeps in it.
    private func write(_ record: JSONText, _ key: EntryKey, flags: Stamp) throws {
        let names = Set(EntryField.own)
        let old = try writer.retrieve([key.id], from: key.soup).first?.stored.members ?? []
        let own = Stamp(old.filter { names.contains($0.key) }.map { Stamp.Member($0.key, $0.value) })
        let members = (record.members ?? []).filter { !names.contains($0.key) }.map { (name: $0.key, value: $0.value) }
        let whole = JSONText.object([(EntryField.entryId, .integer(key.id))] + members)
        _ = try writer.upsert(
            RecordBatch([whole]), into: key.soup, matching: .entryId, stamping: own.merging(stamp).merging(flags),
            guarding: .none)
    }

    // MARK: - Records

    /// What only the server sets.
    static func serverMembers(_ part: RecordLayout.Part) -> [String] {
        [part.idField, part.modificationDateField, "attributes"]
    }

    /// What the server tells, without that it has nothing in fields that were never synced.
    private static func withoutUnsyncedNulls(_ remote: JSONText, _ base: JSONText?) -> JSONText {
        let synced = Set((base?.members ?? []).map(\.key))
        let told = (remote.members ?? []).filter { $0.value != .null || synced.contains($0.key) }
        return .object(told.map { (name: $0.key, value: $0.value) })
    }

    static func time(_ record: JSONText?, _ part: RecordLayout.Part) -> Int64? {
        record?[JSONPath(part.modificationDateField)]?.stringValue.flatMap { Timestamp.parse($0) }
    }

    /// The local record with the server's modification date, by which a push knows that it is up to date.
    private static func dated(_ local: JSONText, _ remote: JSONText, _ part: RecordLayout.Part) -> JSONText {
        let date = (remote.members ?? []).filter { $0.key == part.modificationDateField }
        return RecordMerge.overlay(.object(date.map { (name: $0.key, value: $0.value) }), over: local)
    }

    private static func without(_ names: [String], _ record: JSONText) -> JSONText {
        let names = Set(names.map { Array($0.utf8) })
        return .object(
            (record.members ?? []).filter { !names.contains(Array($0.key.utf8)) }
                .map { (name: $0.key, value: $0.value) })
    }
}

extension Stamp {
    /// Marks an entry that was to be deleted as changed.
    fileprivate static let revived = Stamp.update.setting(EntryField.locallyDeleted, .false)
}

extension RecordConflict {
    /// A conflict of an entry, as resolvers and people see it.
    init(
        _ entry: SoupEntry, base: JSONText?, local: JSONText?, remote: JSONText?, _ part: RecordLayout.Part,
        fields: [String] = [], code: String = PushFailure.conflict.code
    ) {
        self.init(
            soup: part.soup, entryId: entry.id, serverId: entry[JSONPath(part.idField)]?.idText, base: base,
            local: local, remote: remote, fields: fields, code: code, localTime: entry.lastModified,
            remoteTime: EntryMerge.time(remote, part))
    }
}
