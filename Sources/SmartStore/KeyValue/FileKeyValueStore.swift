// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A key-value store in a folder of its own, one file a value; opened by ``KeyValueStores/open(_:)``.
///
/// A save is on the disk when it returns, and a kill at any moment leaves each key with its old value or its new one,
/// whole. The folder may be open several times, in this process and in others. Values are not encrypted.
///
/// It is the store that was opened: when that is removed, every call throws `storeUnusable`, whatever lies at its path
/// then.
///
/// ```swift
/// let store = try await KeyValueStores(in: "/tmp/app").open("responses")
/// try await store.save("{\"ok\":true}", forKey: "https://example.com/status")
/// let answer = try await store.string(forKey: "https://example.com/status")
/// ```
public struct FileKeyValueStore: KeyValueStore {
    /// The last part of ``path``.
    public let name: String
    /// The folder that the files of the store lie in.
    public var path: String { entries.folder.path }
    /// How the files are laid out: 2, or 1 for a folder without key files, which has no ``keys()``.
    public var version: Int { entries.layout.rawValue }

    private let entries: KeyValueEntries
    private let work: FileWork

    init(_ name: String, _ entries: KeyValueEntries, _ work: FileWork) {
        self.name = name
        self.entries = entries
        self.work = work
    }

    /// Keeps a value: it is written beside the old one, and takes its place when it is on the disk.
    ///
    /// - Throws: ``SoupError``: `badKey`; `storeUnusable`, naming the file that cannot be written or the folder that is
    ///   gone. The key has what it had then, unless the disk failed in the very last step.
    public func save(_ value: Data, forKey key: String) async throws {
        try check(key)
        try await work.change { [entries] in
            try entries.folder.requireOriginal()
            let draft = try entries.folder.draft(value)
            try draft.finish()
            try entries.publish(draft, forKey: key)
        }
    }

    /// Keeps the bytes of a sequence; of them 64 KiB and one chunk are in memory at a time.
    ///
    /// - Throws: what the sequence throws, and what ``save(_:forKey:)-(Data,_)`` throws.
    public func save<Chunks: AsyncSequence>(
        chunks: Chunks, forKey key: String
    ) async throws where Chunks.Element == Data {
        try check(key)
        let draft = try await work.read { [entries] in
            try entries.folder.requireOriginal()
            return try entries.folder.draft()
        }
        defer { draft.discard() }
        for try await chunk in chunks { try await work.read { try draft.append(chunk) } }
        try await work.read { try draft.finish() }
        try await work.change { [entries] in try entries.publish(draft, forKey: key) }
    }

    /// The value of a key; nil when there is none.
    ///
    /// - Throws: ``SoupError``: `badKey`; `storeUnusable`, naming the file that cannot be read.
    public func data(forKey key: String) async throws -> Data? {
        try check(key)
        return try await work.read { [entries] in try entries.open(key)?.all() }
    }

    /// The value of a key, read as it is walked over; nil when there is none.
    ///
    /// - Throws: as ``data(forKey:)``.
    public func chunks(forKey key: String) async throws -> KeyValueChunks? {
        try check(key)
        return try await work.read { [entries, work] in
            try entries.open(key).map { KeyValueChunks($0, read: work) }
        }
    }

    /// Whether the key has a value that can be read.
    public func contains(_ key: String) async throws -> Bool {
        try check(key)
        return try await work.read { [entries] in try entries.open(key) != nil }
    }

    /// Deletes the value of a key.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func delete(_ key: String) async throws -> Bool {
        try check(key)
        return try await work.change { [entries] in try entries.delete(key) }
    }

    /// Deletes every value, one after the other: a kill leaves those that it had not come to.
    public func deleteAll() async throws { try await work.change { [entries] in try entries.deleteAll() } }

    /// The keys, sorted by their bytes.
    ///
    /// - Throws: ``SoupError``: `notSupported` in a store of version 1; `storeUnusable`, naming a key file that is
    ///   missing or is not the key of its value.
    public func keys() async throws -> [String] { try await work.read { [entries] in try entries.keys() } }

    /// How many values there are.
    public func count() async throws -> Int { try await work.read { [entries] in try entries.hashes().count } }

    /// Looks whether the folder that was opened still lies at its path.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    public func requireStore() async throws {
        try Task.checkCancellation()
        // The system has the name of a folder that is open in memory: nobody waits for a disk here.
        try entries.folder.requireOriginal()
    }

    private func check(_ key: String) throws {
        guard key.isEmpty else { return }
        throw SoupError(
            .badKey, "the key is empty", place: Place(file: path), hint: "Give a text of one character or more")
    }
}
