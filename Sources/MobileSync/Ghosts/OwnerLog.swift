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
    static let soup: SoupName = "syncs_owners"

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
        guard !memberships.isEmpty else { return }
        try writer.registerSoup(
            soup, [IndexSpec("key", .string), IndexSpec("entry", .string), IndexSpec("syncId", .integer)])
        let records = try memberships.map { membership in
            try JSONValue.object([
                "key": .string(membership.text), "entry": .string(text(of: membership.key)),
                "syncId": .int(membership.syncId), "soup": .string(membership.key.soup.rawValue),
                "entryId": .int(membership.key.id), "recordId": .string(membership.recordId),
            ]).jsonText()
        }
        try writer.upsert(RecordBatch(records), into: soup, matching: .path("key"))
    }

    /// Whether a sync down is known to have brought an entry.
    static func contains(_ syncId: Int64, _ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        try reader.soupExists(soup) && notes(syncId, key, in: reader)
    }

    /// The same, where the soup is known to be there.
    static func notes(_ syncId: Int64, _ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        return try reader.lookup(.string(text(of: syncId, key)), at: "key", in: soup) != nil
    }

    /// What a sync down brought into a soup.
    static func memberships(
        of syncId: Int64, in soupName: SoupName, _ reader: any StoreReader
    ) throws -> [Membership] {
        try memberships(.exact(soup, "syncId", .int(syncId), pageSize: 1000), reader).filter {
            $0.key.soup == soupName
        }
    }

    /// The sync downs that brought an entry with the record that it holds.
    static func owners(of key: EntryKey, _ recordId: String, in reader: any StoreReader) throws -> Set<Int64> {
        let spec = QuerySpec.exact(soup, "entry", .string(text(of: key)), pageSize: 100)
        return Set(try memberships(spec, reader).filter { $0.recordId == recordId }.map(\.syncId))
    }

    /// Takes a sync down off an entry.
    static func remove(_ syncId: Int64, from key: EntryKey, in writer: any StoreWriter) throws {
        guard try writer.soupExists(soup),
            let id = try writer.lookup(.string(text(of: syncId, key)), at: "key", in: soup)
        else { return }
        try writer.delete([id], from: soup)
    }

    /// Takes all sync downs off an entry that is gone.
    static func remove(_ key: EntryKey, in writer: any StoreWriter) throws {
        try deleteAll(.exact(soup, "entry", .string(text(of: key)), pageSize: 100), writer)
    }

    /// Takes a sync down off everything, because it is gone or brings something else from now on.
    static func remove(_ syncId: Int64, in writer: any StoreWriter) throws {
        try deleteAll(.exact(soup, "syncId", .int(syncId), pageSize: 1000), writer)
    }

    private static func deleteAll(_ spec: QuerySpec, _ writer: any StoreWriter) throws {
        guard try writer.soupExists(soup) else { return }
        while try writer.delete(matching: spec, from: soup) > 0 {}
    }

    private static func memberships(_ spec: QuerySpec, _ reader: any StoreReader) throws -> [Membership] {
        guard try reader.soupExists(soup) else { return [] }
        return try reader.allEntries(spec).compactMap { entry in
            guard let name = entry["soup"]?.stringValue, let id = entry["entryId"]?.intValue,
                let syncId = entry["syncId"]?.intValue, let recordId = entry["recordId"]?.stringValue
            else { return nil }
            return Membership(key: EntryKey(soup: SoupName(name), id: id), syncId: syncId, recordId: recordId)
        }
    }

    private static func text(of key: EntryKey) -> String { "\(key.id)@\(key.soup)" }

    private static func text(of syncId: Int64, _ key: EntryKey) -> String { "\(syncId):\(text(of: key))" }
}
