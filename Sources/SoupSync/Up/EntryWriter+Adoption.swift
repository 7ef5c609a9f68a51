// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension EntryWriter {
    /// The one of two entries for the same record that contains the server's version.
    enum Latest {
        /// The entry that was pushed now.
        case pushed
        /// The copy that a sync down fetched after the push; also the pushed entry, if it was edited since.
        case copy
        /// Unknown: the changes of the pushed entry still have to be pushed.
        case neither
    }

    enum Adoption {
        /// The entry has the server's ID, or no longer exists.
        case done
        /// This other entry contains the same record, and both were edited: neither is removed.
        case conflict(with: SoupEntry)
    }

    /// Sets the server's ID in an entry.
    ///
    /// A sync down may have fetched the same record into an entry of its own, before the ID of the created record was
    /// known. In that case one of the two entries is removed: the copy, unless only the copy was edited since. If both
    /// were edited, neither is removed. Server values that only the removed copy has are added to the entry.
    ///
    /// - Parameters:
    ///   - serverId: the ID; `nil` keeps the ID in the entry.
    ///   - values: the other values that the push changed.
    ///   - link: the parent under which the record was pushed.
    func adopt(
        _ serverId: String?, for record: PushRecord, values: RecordBatch.Stamp,
        link: RecordBatch.Stamp = RecordBatch.Stamp(), latest: Latest = .pushed
    ) throws -> Adoption {
        let soup = record.key.soup
        // If the app removed the entry from the soup during the push, the entry is not restored. A sync down can fetch
        // the record.
        guard let entry = try entry(record.key) else { return .done }
        var (values, link) = (values, link)
        let isEdited = entry.version != record.version
        if let serverId {
            if let copy = try copy(of: record, serverId: serverId) {
                if !copy.flags.local {
                    values = Self.additions(from: copy, to: entry).merging(values)
                    if latest == .copy, !isEdited { link = link.merging(Self.additions(from: copy, to: nil)) }
                    try writer.remove([copy.id], from: soup)
                } else if !isEdited, latest != .neither {
                    try writer.remove([entry.id], from: soup)
                    return .done
                } else {
                    return .conflict(with: copy)
                }
            }
            let field = layout.levels[record.level].idField
            values = values.setting(field, try writer.idValue(serverId, at: field, in: soup))
        }
        let stillDirty = RecordBatch.Stamp.update.setting(EntryField.locallyCreated, .false)
        if latest == .neither {
            try stamp(record.key, stillDirty.merging(values))
        } else {
            try stampPushed(record, .clean, ifEdited: stillDirty, values: values, link: link)
        }
        return .done
    }

    /// Returns the values that an update changes whose response has another form of the record's ID.
    ///
    /// A server can accept several forms of an ID and return one of them: Salesforce accepts 15 characters and returns
    /// 18. A sync down may have fetched the record with that form into an entry of its own. If that copy has no local
    /// changes, it is removed; otherwise the pushed entry keeps its ID.
    func replaceId(of record: PushRecord, by serverId: String) throws -> RecordBatch.Stamp {
        let field = layout.levels[record.level].idField
        let soup = record.key.soup
        var values = RecordBatch.Stamp()
        if let copy = try copy(of: record, serverId: serverId) {
            guard !copy.flags.local, let entry = try entry(record.key) else { return values }
            values = Self.additions(from: copy, to: entry)
            try writer.remove([copy.id], from: soup)
        }
        return values.setting(field, try writer.idValue(serverId, at: field, in: soup))
    }

    /// Returns another entry with the server ID of a record.
    func copy(of record: PushRecord, serverId: String) throws -> SoupEntry? {
        let path = JSONPath(layout.levels[record.level].idField)
        let soup = record.key.soup
        guard try writer.indexSpecs(of: soup).contains(where: { $0.path == path }),
            let id = try writer.lookup(
                try writer.idValue(serverId, at: path.rawValue, in: soup).value, at: path, in: soup),
            id != record.key.id
        else { return nil }
        // An index of numbers also finds other forms of the number.
        return try writer.retrieve([id], from: soup).first { $0.stored[path]?.idText == serverId }
    }

    /// Returns the values of a copy that another entry does not have; without an entry, all of them.
    private static func additions(from copy: SoupEntry, to entry: SoupEntry?) -> RecordBatch.Stamp {
        let known = Set(EntryField.own + (entry?.stored.members ?? []).map(\.key))
        return RecordBatch.Stamp(
            (copy.recordForServer.members ?? [])
                .filter { !known.contains($0.key) && !$0.key.utf8.contains(UInt8(ascii: ".")) }
                .map { RecordBatch.Stamp.Member($0.key, $0.value) })
    }
}

extension PushFailure {
    /// - Parameter entryId: the other entry.
    static func twoCopies(_ serverId: String, entryId: Int64) -> PushFailure {
        PushFailure(
            code: "TWO_COPIES",
            message:
                "the server has this record as \(serverId), which is also the ID of entry \(entryId), and both entries "
                + "have local changes: merge them, delete one and resolve the other")
    }
}
