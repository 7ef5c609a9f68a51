// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Which sync downs brought which entries, as far as the entries themselves do not tell it.
///
/// An entry names one sync down in `__sync_id__`, the one that wrote it last. While only one brings an entry there is
/// nothing to add, and this soup does not even exist. When a second one brings it, both are written down here, so that
/// the entry stays for as long as one of them has it.
///
/// A note can be older than what it speaks of: entries are deleted by apps too. Whoever relies on one looks at the
/// entry.
enum OwnerLog {
    private static let log = KeyedLog(
        soup: "syncs_owners", indexes: [IndexSpec("entry", .string), IndexSpec("syncId", .integer)])

    /// That a sync down brought an entry.
    struct Membership: Sendable, Hashable {
        var key: EntryKey
        var syncId: Int64
        /// The id of the record; an entry with another one by now is not meant.
        var recordId: String

        fileprivate var text: String { OwnerLog.text(of: syncId, key) }
    }

    /// Writes memberships down; those that are there are left as they are.
    static func add(_ memberships: [Membership], in writer: any StoreWriter) throws {
        let notes = memberships.map { membership in
            (
                key: membership.text,
                members: [
                    ("entry", .string(membership.key.text)), ("syncId", .integer(membership.syncId)),
                    ("soup", .string(membership.key.soup.rawValue)), ("entryId", .integer(membership.key.id)),
                    ("recordId", .string(membership.recordId)),
                ] as KeyedLog.Members
            )
        }
        try log.set(notes, in: writer)
    }

    /// Whether a sync down is known to have brought an entry.
    static func contains(_ syncId: Int64, _ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        try exists(in: reader) && notes(syncId, key, in: reader)
    }

    /// Whether anything was ever noted.
    static func exists(in reader: any StoreReader) throws -> Bool { try reader.soupExists(log.soup) }

    /// As ``contains(_:_:in:)``, where the soup is known to be there.
    static func notes(_ syncId: Int64, _ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        try reader.lookup(.string(text(of: syncId, key)), at: "key", in: log.soup) != nil
    }

    /// What a sync down brought into a soup.
    static func memberships(
        of syncId: Int64, in soupName: SoupName, _ reader: any StoreReader
    ) throws -> [Membership] {
        try log.entries(where: "syncId", is: .int(syncId), in: reader).compactMap { membership($0) }.filter {
            $0.key.soup == soupName
        }
    }

    /// The sync downs that brought an entry with the record that it holds.
    static func owners(of key: EntryKey, _ recordId: String, in reader: any StoreReader) throws -> Set<Int64> {
        let all = try log.entries(where: "entry", is: .string(key.text), in: reader).compactMap { membership($0) }
        return Set(all.filter { $0.recordId == recordId }.map(\.syncId))
    }

    /// Takes a sync down off an entry.
    static func remove(_ syncId: Int64, from key: EntryKey, in writer: any StoreWriter) throws {
        try log.remove(text(of: syncId, key), in: writer)
    }

    /// Takes all sync downs off an entry that is gone.
    static func remove(_ key: EntryKey, in writer: any StoreWriter) throws {
        try log.removeAll(where: "entry", is: .string(key.text), in: writer)
    }

    /// Takes a sync down off everything, because it is gone or brings something else from now on.
    static func remove(_ syncId: Int64, in writer: any StoreWriter) throws {
        try log.removeAll(where: "syncId", is: .int(syncId), in: writer)
    }

    private static func membership(_ entry: SoupEntry) -> Membership? {
        guard let name = entry["soup"]?.stringValue, let id = entry["entryId"]?.intValue,
            let syncId = entry["syncId"]?.intValue, let recordId = entry["recordId"]?.stringValue
        else { return nil }
        return Membership(key: EntryKey(soup: SoupName(name), id: id), syncId: syncId, recordId: recordId)
    }

    private static func text(of syncId: Int64, _ key: EntryKey) -> String { "\(syncId):\(key.text)" }
}
