// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Records which sync downs own an entry, if more than the one named in `__sync_id__`.
///
/// An entry's `__sync_id__` is the ID of the sync down that wrote it last. While only one sync fetches an entry,
/// nothing is recorded, and this soup does not exist. When a second sync fetches the entry, both are recorded here, so
/// that the entry is kept while at least one of them fetches it.
///
/// A note can be outdated, because apps delete entries too. Callers must therefore check the entry.
enum SyncMemberships {
    private static let table = EngineTable(
        soup: "syncs_owners", indexes: [IndexSpec("entry", .string), IndexSpec("syncId", .integer)])

    /// The ownership of an entry by a sync down.
    struct Membership: Sendable, Hashable {
        var key: EntryKey
        var syncId: Int64
        /// The ID of the record; if the entry has another ID by now, the note no longer applies.
        var recordId: String

        fileprivate var text: String { SyncMemberships.text(of: syncId, key) }
    }

    /// Saves memberships; existing ones are unchanged.
    static func add(_ memberships: [Membership], in writer: any StoreWriter) throws {
        let notes = memberships.map { membership in
            (
                key: membership.text,
                members: [
                    ("entry", .string(membership.key.text)), ("syncId", .integer(membership.syncId)),
                    ("soup", .string(membership.key.soup.rawValue)), ("entryId", .integer(membership.key.id)),
                    ("recordId", .string(membership.recordId)),
                ] as EngineTable.Members
            )
        }
        try table.set(notes, in: writer)
    }

    /// Whether a sync down is recorded as an owner of an entry.
    static func contains(_ syncId: Int64, _ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        try exists(in: reader) && notes(syncId, key, in: reader)
    }

    /// Whether the soup of the log exists.
    static func exists(in reader: any StoreReader) throws -> Bool { try reader.soupExists(table.soup) }

    /// Whether a sync down is recorded as an owner of an entry, if the soup is known to exist.
    static func notes(_ syncId: Int64, _ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        try reader.lookup(.string(text(of: syncId, key)), at: "key", in: table.soup) != nil
    }

    /// Returns the entries of a soup that a sync down is recorded to own.
    static func memberships(
        of syncId: Int64, in soupName: SoupName, _ reader: any StoreReader
    ) throws -> [Membership] {
        try table.entries(where: "syncId", is: .int(syncId), in: reader).compactMap { membership($0) }.filter {
            $0.key.soup == soupName
        }
    }

    /// Returns the sync downs that own an entry with the given record ID.
    static func owners(of key: EntryKey, _ recordId: String, in reader: any StoreReader) throws -> Set<Int64> {
        let all = try table.entries(where: "entry", is: .string(key.text), in: reader).compactMap { membership($0) }
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

    private static func membership(_ entry: SoupEntry) -> Membership? {
        guard let name = entry["soup"]?.stringValue, let id = entry["entryId"]?.intValue,
            let syncId = entry["syncId"]?.intValue, let recordId = entry["recordId"]?.stringValue
        else { return nil }
        return Membership(key: EntryKey(soup: SoupName(name), id: id), syncId: syncId, recordId: recordId)
    }

    private static func text(of syncId: Int64, _ key: EntryKey) -> String { "\(syncId):\(key.text)" }
}
