// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A key-value store in its own folder, with one file for each value; opened by ``KeyValueStores/open(_:)``.
///
/// When a save returns, the value is on the disk. If the process is killed at any time, each key has its complete old
/// value or its complete new one. The folder may be open several times, in this process and in others. Values and keys
/// are encrypted if the ``KeyValueStores`` have a key provider.
///
/// If the opened store is removed, every call throws `storeUnusable`, even if another folder then has its path.
///
/// ```swift
/// let store = try await KeyValueStores(in: URL(filePath: "/tmp/app")).open("responses")
/// try await store.save("{\"ok\":true}", forKey: "https://example.com/status")
/// let answer = try await store.string(forKey: "https://example.com/status")
/// ```
public struct FileKeyValueStore: KeyValueStore {
    /// The name of the store: the last component of ``folder``.
    public let name: String
    /// The folder of the store's files.
    public var folder: URL { URL(filePath: entries.folder.path, directoryHint: .isDirectory) }
    /// The version of the file layout: 2, 3 for an encrypted store, or 1 for a folder without key files, which does not
    /// support ``keys()``.
    public var version: Int { entries.layout.rawValue }

    private let entries: KeyValueEntries
    private let work: FileQueues

    init(name: String, entries: KeyValueEntries, work: FileQueues) {
        self.name = name
        self.entries = entries
        self.work = work
    }

    /// Saves a value: it is written to a temporary file, which replaces the old value when it is on the disk.
    ///
    /// - Throws: ``SoupError``: `badKey`; `storeUnusable`, with the file that cannot be written or the folder that no
    ///   longer exists. The key then keeps its value, unless the disk failed in the last step.
    public func save(_ value: Data, forKey key: String) async throws {
        try check(key)
        try await work.change { [entries] in
            try entries.folder.requireSameFolder()
            let temporary = try entries.temporaryFile(value, forKey: key)
            try temporary.finish()
            try entries.publish(temporary, forKey: key)
        }
    }

    /// Saves the bytes of a sequence, with at most 64 KiB and one chunk in memory.
    ///
    /// - Throws: the error of the sequence, and the errors of ``save(_:forKey:)-(Data,_)``.
    public func save<Chunks: AsyncSequence>(
        chunks: Chunks, forKey key: String
    ) async throws where Chunks.Element == Data {
        try check(key)
        let temporary = try await work.read { [entries] in
            try entries.folder.requireSameFolder()
            return try entries.temporaryFile(forKey: key)
        }
        defer { temporary.discard() }
        for try await chunk in chunks { try await work.read { try temporary.append(chunk) } }
        try await work.read { try temporary.finish() }
        try await work.change { [entries] in try entries.publish(temporary, forKey: key) }
    }

    /// Returns the value of a key; nil if there is none.
    ///
    /// - Throws: ``SoupError``: `badKey`; `storeUnusable`, with the file that cannot be read.
    public func data(forKey key: String) async throws -> Data? {
        try check(key)
        return try await work.read { [entries] in try entries.open(key)?.all() }
    }

    /// Returns the value of a key, which is read during the iteration; nil if there is none.
    ///
    /// - Throws: the errors of ``data(forKey:)``.
    public func chunks(forKey key: String) async throws -> KeyValueChunks? {
        try check(key)
        return try await work.read { [entries, work] in
            try entries.open(key).map { KeyValueChunks($0, read: work) }
        }
    }

    /// Returns whether the key has a readable value.
    public func contains(_ key: String) async throws -> Bool {
        try check(key)
        return try await work.read { [entries] in try entries.open(key) != nil }
    }

    /// Deletes the value of a key.
    ///
    /// - Returns: whether the key had a value.
    @discardableResult
    public func delete(_ key: String) async throws -> Bool {
        try check(key)
        return try await work.change { [entries] in try entries.delete(key) }
    }

    /// Deletes all values, one after the other: if the process is killed, the remaining ones stay.
    public func deleteAll() async throws { try await work.change { [entries] in try entries.deleteAll() } }

    /// Returns the keys, sorted by their bytes.
    ///
    /// - Throws: ``SoupError``: `notSupported` in a store of version 1; `storeUnusable`, with a key file that is
    ///   missing or does not match its value.
    public func keys() async throws -> [String] { try await work.read { [entries] in try entries.keys() } }

    /// Returns the number of values.
    public func count() async throws -> Int { try await work.read { [entries] in try entries.hashes().count } }

    /// Checks that the opened folder still has its path.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    public func requireStore() async throws {
        try Task.checkCancellation()
        // The system keeps the name of an open folder in memory: this call does not wait for the disk.
        try entries.folder.requireSameFolder()
    }

    private func check(_ key: String) throws {
        guard key.isEmpty else { return }
        throw SoupError(
            .badKey, "the key is empty", place: SoupError.Place(file: entries.folder.path),
            hint: "Use a key of at least one character.")
    }
}
