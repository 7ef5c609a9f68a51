// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A soup of the engine's own notes, one entry for each key.
///
/// It is made with the first note: a store that nobody has noted anything in does not have it.
struct KeyedLog: Sendable {
    let soup: SoupName
    /// The members that notes can be asked for by, beside the key.
    var indexes: [IndexSpec] = []

    /// What a note holds, without its key.
    typealias Members = [(name: String, value: JSONText)]

    /// All notes, in the order in which their keys were noted first.
    func entries(in reader: any StoreReader) throws -> [SoupEntry] {
        guard try reader.soupExists(soup) else { return [] }
        return try reader.allEntries(.all(soup, pageSize: 1000)).sorted { $0.id < $1.id }
    }

    /// The notes with a value at an indexed member.
    func entries(
        where member: JSONPath, is value: JSONValue, in reader: any StoreReader
    ) throws -> [SoupEntry] {
        guard try reader.soupExists(soup) else { return [] }
        return try reader.allEntries(.exact(soup, member, value, pageSize: 1000))
    }

    /// The note of a key.
    func entry(_ key: String, in reader: any StoreReader) throws -> SoupEntry? {
        try id(of: key, in: reader).flatMap { try reader.retrieve([$0], from: soup).first }
    }

    /// The notes of keys, by these; keys without one are left out.
    func entries(of keys: [String], in reader: any StoreReader) throws -> [String: SoupEntry] {
        guard !keys.isEmpty, try reader.soupExists(soup) else { return [:] }
        let ids = try keys.compactMap { try reader.lookup(.string($0), at: "key", in: soup) }
        guard !ids.isEmpty else { return [:] }
        let notes = try reader.retrieve(ids, from: soup).compactMap { note in
            note["key"]?.stringValue.map { ($0, note) }
        }
        return Dictionary(notes, uniquingKeysWith: { $1 })
    }

    /// Writes notes down, each in place of an earlier one of its key.
    func set(_ notes: [(key: String, members: Members)], in writer: any StoreWriter) throws {
        guard !notes.isEmpty else { return }
        try writer.registerSoup(soup, [IndexSpec("key", .string)] + indexes)
        let records = notes.map { JSONText.object([("key", .string($0.key))] + $0.members) }
        try writer.upsert(RecordBatch(records), into: soup, matching: .path("key"))
    }

    /// Takes the note of a key away, if there is one.
    func remove(_ key: String, in writer: any StoreWriter) throws { try remove([key], in: writer) }

    /// Takes the notes of keys away, as far as there are any.
    func remove(_ keys: [String], in writer: any StoreWriter) throws {
        guard !keys.isEmpty, try writer.soupExists(soup) else { return }
        let ids = try keys.compactMap { try writer.lookup(.string($0), at: "key", in: soup) }
        if !ids.isEmpty { try writer.delete(ids, from: soup) }
    }

    /// Takes all notes with a value at an indexed member away.
    func removeAll(where member: JSONPath, is value: JSONValue, in writer: any StoreWriter) throws {
        guard try writer.soupExists(soup) else { return }
        while try writer.delete(matching: .exact(soup, member, value, pageSize: 1000), from: soup) > 0 {}
    }

    /// Takes the oldest notes away, so that no more than so many are left.
    func prune(to maximum: Int, in writer: any StoreWriter) throws {
        guard try writer.soupExists(soup) else { return }
        let excess = try writer.count(.all(soup, pageSize: 1)) - maximum
        guard excess > 0 else { return }
        _ = try writer.delete(matching: .all(soup, pageSize: excess), from: soup)
    }

    private func id(of key: String, in reader: any StoreReader) throws -> Int64? {
        guard try reader.soupExists(soup) else { return nil }
        return try reader.lookup(.string(key), at: "key", in: soup)
    }
}
