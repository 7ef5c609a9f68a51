// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A key-value store with the values used last in memory, in front of another one.
///
/// Writes go through to the store behind before they return. Reads of whole values fill the memory; values that are
/// read or saved in chunks pass it by. Changes that somebody makes to the store behind, past this one, do not show in
/// values that are in memory: one that was deleted there is still given here. So write through this one only. But when
/// the store behind is removed, they are gone with it. Copies share their memory.
public struct CachedKeyValueStore<Base: KeyValueStore>: KeyValueStore {
    /// The store behind, which keeps everything.
    public let base: Base
    private let cache: KeyValueCache

    /// - Parameter capacity: the bytes of keys and values that are kept in memory; a larger value is not.
    public init(_ base: Base, capacity: Int) {
        self.base = base
        cache = KeyValueCache(capacity: capacity)
    }

    /// The name of the store behind.
    public var name: String { base.name }

    /// The bytes of keys and values that are in memory now.
    public var cachedBytes: Int { cache.size }

    /// Saves in the store behind, and then in memory.
    public func save(_ value: Data, forKey key: String) async throws {
        let call = cache.beginWrite(key)
        var saved: Data?
        defer { cache.end(call, saved) }
        try await base.save(value, forKey: key)
        saved = value
    }

    /// Saves in the store behind alone.
    public func save<Chunks: AsyncSequence>(
        chunks: Chunks, forKey key: String
    ) async throws where Chunks.Element == Data {
        let call = cache.beginWrite(key)
        defer { cache.end(call, nil) }
        try await base.save(chunks: chunks, forKey: key)
    }

    /// The value from memory, or from the store behind.
    public func data(forKey key: String) async throws -> Data? {
        if let value = try await remembered(key) { return value }
        let call = cache.beginRead(key)
        var value: Data?
        defer { cache.end(call, value) }
        value = try await base.data(forKey: key)
        return value
    }

    /// The value from memory, in one piece, or from the store behind.
    public func chunks(forKey key: String) async throws -> KeyValueChunks? {
        if let value = try await remembered(key) { return KeyValueChunks(value) }
        return try await base.chunks(forKey: key)
    }

    /// Whether the key has a value, in memory or behind it.
    public func contains(_ key: String) async throws -> Bool {
        if try await remembered(key) != nil { return true }
        return try await base.contains(key)
    }

    /// The value that is in memory, if the store behind is still there.
    private func remembered(_ key: String) async throws -> Data? {
        try Task.checkCancellation()
        guard let value = cache.value(key) else { return nil }
        try await base.requireStore()
        return value
    }

    /// Deletes in the store behind, and in memory.
    @discardableResult
    public func delete(_ key: String) async throws -> Bool {
        let call = cache.beginWrite(key)
        defer { cache.end(call, nil) }
        return try await base.delete(key)
    }

    /// Deletes everything in the store behind, and in memory.
    public func deleteAll() async throws {
        cache.beginDeletingAll()
        defer { cache.endDeletingAll() }
        try await base.deleteAll()
    }

    /// The keys of the store behind.
    public func keys() async throws -> [String] { try await base.keys() }

    /// The number of values in the store behind.
    public func count() async throws -> Int { try await base.count() }

    /// Asks the store behind.
    public func requireStore() async throws { try await base.requireStore() }
}
