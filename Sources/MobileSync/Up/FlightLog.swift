// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An entry of a soup, by its id.
struct EntryKey: Sendable, Hashable {
    var soup: SoupName
    var id: Int64
}

/// Which creations are on their way to the server, written down before they are sent.
///
/// It is a soup of its own, not a mark in the entry: an app that saves the entry while it is in flight replaces all of
/// it, and the one thing that must not be forgotten then is that the server may have the record already. What is found
/// here when nothing is in flight was cut off by a crash or lost its answer.
enum FlightLog {
    static let soup: SoupName = "syncs_in_flight"

    /// A creation whose outcome is not known (yet).
    struct Mark: Sendable, Hashable {
        var key: EntryKey
        /// The `lastModified` that the entry had when its content was sent.
        var version: Int64
        /// Whether the answer is known to be lost; else it is awaited, or was when the process ended.
        var isLost = false
    }

    /// The marks of entries of these soups.
    static func marks(of soups: Set<SoupName>, in reader: any StoreReader) throws -> [Mark] {
        guard try reader.soupExists(soup) else { return [] }
        return try reader.allEntries(.all(soup, pageSize: 1000)).sorted { $0.id < $1.id }.compactMap { entry in
            guard let name = entry["soup"]?.stringValue, let id = entry["entryId"]?.intValue,
                soups.contains(SoupName(name))
            else { return nil }
            return Mark(
                key: EntryKey(soup: SoupName(name), id: id), version: entry["version"]?.intValue ?? 0,
                isLost: entry["isLost"]?.boolValue ?? false)
        }
    }

    /// Writes marks down, in place of earlier ones of the same entries.
    static func set(_ marks: [Mark], in writer: any StoreWriter) throws {
        guard !marks.isEmpty else { return }
        try writer.registerSoup(soup, [IndexSpec("key", .string)])
        let records = try marks.map { mark in
            try JSONValue.object([
                "key": .string(text(of: mark.key)), "soup": .string(mark.key.soup.rawValue),
                "entryId": .int(mark.key.id), "version": .int(mark.version), "isLost": .bool(mark.isLost),
            ]).jsonText()
        }
        try writer.upsert(RecordBatch(records), into: soup, matching: .path("key"))
    }

    /// What stands against marking a unit.
    enum Fate: Sendable {
        case free
        /// One of its entries has a mark.
        case taken
        /// One of its entries is gone, or is not what was read any more.
        case changed
    }

    /// Whether units can be marked, each given by those of its entries that are creations.
    static func fates(of units: [[PushMember]], in reader: any StoreReader) throws -> [Fate] {
        let marked = Set(try marks(of: Set(units.joined().map(\.key.soup)), in: reader).map(\.key))
        var versions: [EntryKey: Int64] = [:]
        for (soup, members) in Dictionary(grouping: units.joined(), by: \.key.soup) {
            for entry in try reader.retrieve(members.map(\.key.id), from: soup) {
                versions[EntryKey(soup: soup, id: entry.id)] = entry.lastModified
            }
        }
        return units.map { members in
            if members.contains(where: { marked.contains($0.key) }) { return .taken }
            return members.allSatisfy { versions[$0.key] == $0.version } ? .free : .changed
        }
    }

    /// Takes marks away; entries without one are passed over.
    static func clear(_ keys: [EntryKey], in writer: any StoreWriter) throws {
        guard !keys.isEmpty, try writer.soupExists(soup) else { return }
        let ids = try keys.compactMap { try writer.lookup(.string(text(of: $0)), at: "key", in: soup) }
        try writer.delete(ids, from: soup)
    }

    private static func text(of key: EntryKey) -> String { "\(key.id)@\(key.soup)" }
}
