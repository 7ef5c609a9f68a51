// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The sync downs that own an entry, if there are more than the one named in `__sync_id__`.
///
/// An entry's `__sync_id__` is the ID of the sync down that wrote it last. While only one sync fetches an entry,
/// nothing is recorded, and this soup does not exist. When a second sync fetches the entry, both are recorded here, so
/// that the entry is kept while at least one of them fetches it.
///
/// A recorded owner can be outdated, because apps delete entries too. Callers must therefore check the entry.
enum EntryOwners {
    private static let table = EngineTable(
        soup: "syncs_owners", indexes: [IndexSpec("entry", .string), IndexSpec("syncId", .integer)])

    /// The ownership of an entry by a sync down.
    struct Ownership: Sendable, Hashable {
        var key: EntryKey
        var syncId: Int64
        /// The ID of the record; if the entry has another ID by now, the ownership no longer applies.
        var recordId: String

        fileprivate var text: String { EntryOwners.text(of: syncId, key) }
    }

    /// Saves ownerships; existing ones do not change.
    static func add(_ ownerships: [Ownership], in writer: any StoreWriter) throws {
        let rows = ownerships.map { ownership in
            (
                key: ownership.text,
                members: [
                    ("entry", .string(ownership.key.text)), ("syncId", .integer(ownership.syncId)),
                    ("soup", .string(ownership.key.soup.rawValue)), ("entryId", .integer(ownership.key.id)),
                    ("recordId", .string(ownership.recordId)),
                ] as EngineTable.Members
            )
        }
        try table.set(rows, in: writer)
    }

    /// Returns whether a sync down is recorded as an owner of an entry.
    static func contains(_ syncId: Int64, _ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        try exists(in: reader) && isRecorded(syncId, key, in: reader)
    }

    /// Returns whether the soup with the owners exists.
    static func exists(in reader: any StoreReader) throws -> Bool { try reader.soupExists(table.soup) }

    /// Returns whether a sync down is recorded as an owner of an entry; the soup must exist.
    static func isRecorded(_ syncId: Int64, _ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        try reader.lookup(.string(text(of: syncId, key)), at: "key", in: table.soup) != nil
    }

    /// Returns the recorded ownerships of a sync down in a soup.
    static func ownerships(
        of syncId: Int64, in soupName: SoupName, _ reader: any StoreReader
    ) throws -> [Ownership] {
        try table.entries(where: "syncId", is: .int(syncId), in: reader).compactMap { ownership($0) }.filter {
            $0.key.soup == soupName
        }
    }

    /// Returns the sync downs that own an entry with the given record ID.
    static func owners(of key: EntryKey, _ recordId: String, in reader: any StoreReader) throws -> Set<Int64> {
        let all = try table.entries(where: "entry", is: .string(key.text), in: reader).compactMap { ownership($0) }
        return Set(all.filter { $0.recordId == recordId }.map(\.syncId))
    }

    /// Removes a sync down from the owners of an entry.
    static func remove(_ syncId: Int64, from key: EntryKey, in writer: any StoreWriter) throws {
        try table.remove(text(of: syncId, key), in: writer)
    }

    /// Removes all owners of an entry that was deleted.
    static func remove(_ key: EntryKey, in writer: any StoreWriter) throws {
        try table.removeAll(where: "entry", is: .string(key.text), in: writer)
    }

    /// Removes a sync down from the owners of all entries, because it was deleted or redefined.
    static func remove(_ syncId: Int64, in writer: any StoreWriter) throws {
        try table.removeAll(where: "syncId", is: .int(syncId), in: writer)
    }

    private static func ownership(_ entry: SoupEntry) -> Ownership? {
        guard let name = entry["soup"]?.stringValue, let id = entry["entryId"]?.intValue,
            let syncId = entry["syncId"]?.intValue, let recordId = entry["recordId"]?.stringValue
        else { return nil }
        return Ownership(key: EntryKey(soup: SoupName(name), id: id), syncId: syncId, recordId: recordId)
    }

    private static func text(of syncId: Int64, _ key: EntryKey) -> String { "\(syncId):\(key.text)" }
}
