// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A soup with internal data of the engine, one row per key.
///
/// The soup is created with the first row.
struct EngineTable: Sendable {
    let soup: SoupName
    /// The indexed members, in addition to the key.
    var indexes: [IndexSpec] = []

    /// The members of a row, without its key.
    typealias Members = [(name: String, value: JSONText)]

    /// Returns all rows, in the order in which their keys were first saved.
    func entries(in reader: any StoreReader) throws -> [SoupEntry] {
        guard try reader.soupExists(soup) else { return [] }
        return try reader.allEntries(.all(soup, pageSize: 1000)).sorted { $0.id < $1.id }
    }

    /// Returns the rows that have a value at an indexed member.
    func entries(
        where member: JSONPath, is value: JSONValue, in reader: any StoreReader
    ) throws -> [SoupEntry] {
        guard try reader.soupExists(soup) else { return [] }
        return try reader.allEntries(.exact(soup, member, equals: value, pageSize: 1000))
    }

    /// Returns the row with a key.
    func entry(_ key: String, in reader: any StoreReader) throws -> SoupEntry? {
        try id(of: key, in: reader).flatMap { try reader.retrieve([$0], from: soup).first }
    }

    /// Returns the rows with the given keys, by key; keys without a row are left out.
    func entries(of keys: [String], in reader: any StoreReader) throws -> [String: SoupEntry] {
        guard !keys.isEmpty, try reader.soupExists(soup) else { return [:] }
        let ids = try keys.compactMap { try reader.lookup(.string($0), at: "key", in: soup) }
        guard !ids.isEmpty else { return [:] }
        let rows = try reader.retrieve(ids, from: soup).compactMap { row in
            row["key"]?.stringValue.map { ($0, row) }
        }
        return Dictionary(rows, uniquingKeysWith: { $1 })
    }

    /// Saves rows, each of which replaces an earlier row with the same key.
    func set(_ rows: [(key: String, members: Members)], in writer: any StoreWriter) throws {
        guard !rows.isEmpty else { return }
        try writer.registerSoup(soup, [IndexSpec("key", .string)] + indexes)
        let records = rows.map { JSONText.object([("key", .string($0.key))] + $0.members) }
        try writer.upsert(RecordBatch(records), into: soup, matching: .path("key"))
    }

    /// Removes the row with a key, if there is one.
    func remove(_ key: String, in writer: any StoreWriter) throws { try remove([key], in: writer) }

    /// Removes the rows with the given keys; keys without a row are ignored.
    func remove(_ keys: [String], in writer: any StoreWriter) throws {
        guard !keys.isEmpty, try writer.soupExists(soup) else { return }
        let ids = try keys.compactMap { try writer.lookup(.string($0), at: "key", in: soup) }
        if !ids.isEmpty { try writer.remove(ids, from: soup) }
    }

    /// Removes all rows that have a value at an indexed member.
    func removeAll(where member: JSONPath, is value: JSONValue, in writer: any StoreWriter) throws {
        guard try writer.soupExists(soup) else { return }
        while try writer.remove(matching: .exact(soup, member, equals: value, pageSize: 1000), from: soup) > 0 {}
    }

    /// Removes the oldest rows until at most `maximum` rows remain.
    func prune(to maximum: Int, in writer: any StoreWriter) throws {
        guard try writer.soupExists(soup) else { return }
        let excess = try writer.count(.all(soup, pageSize: 1)) - maximum
        guard excess > 0 else { return }
        _ = try writer.remove(matching: .all(soup, pageSize: excess), from: soup)
    }

    private func id(of key: String, in reader: any StoreReader) throws -> Int64? {
        guard try reader.soupExists(soup) else { return nil }
        return try reader.lookup(.string(key), at: "key", in: soup)
    }
}
