// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A cache in memory for another key-value store, which keeps the most recently used values.
///
/// Writes reach the base store before they return. Reads of whole values fill the cache; values that are read or saved
/// in chunks are not cached. Changes that are made directly in the base store are not visible in cached values: a value
/// that was deleted there is still returned here. Therefore write only through this store. If the base store is
/// removed, cached values are no longer returned. Copies share the cache.
public struct CachedKeyValueStore<Base: KeyValueStore>: KeyValueStore {
    /// The base store, which contains all values.
    public let base: Base
    private let cache: KeyValueCache

    /// Creates a cache for a store.
    ///
    /// - Parameter capacity: the maximum number of bytes of cached keys and values; a larger value is not cached.
    public init(_ base: Base, capacity: Int) {
        self.base = base
        cache = KeyValueCache(capacity: capacity)
    }

    /// The name of the base store.
    public var name: String { base.name }

    /// The current number of bytes of cached keys and values.
    public var cachedBytes: Int { cache.size }

    /// Saves the value in the base store, and then in the cache.
    public func save(_ value: Data, forKey key: String) async throws {
        let call = cache.beginWrite(key)
        var saved: Data?
        defer { cache.end(call, value: saved) }
        try await base.save(value, forKey: key)
        saved = value
    }

    /// Saves the value only in the base store.
    public func save<Chunks: AsyncSequence>(
        chunks: Chunks, forKey key: String
    ) async throws where Chunks.Element == Data {
        let call = cache.beginWrite(key)
        defer { cache.end(call, value: nil) }
        try await base.save(chunks: chunks, forKey: key)
    }

    /// Returns the value from the cache, or from the base store.
    public func data(forKey key: String) async throws -> Data? {
        if let value = try await cachedValue(for: key) { return value }
        let call = cache.beginRead(key)
        var value: Data?
        defer { cache.end(call, value: value) }
        value = try await base.data(forKey: key)
        return value
    }

    /// Returns the value from the cache, in one piece, or from the base store.
    public func chunks(forKey key: String) async throws -> KeyValueChunks? {
        if let value = try await cachedValue(for: key) { return KeyValueChunks(value) }
        return try await base.chunks(forKey: key)
    }

    /// Returns whether the key has a value, in the cache or in the base store.
    public func contains(_ key: String) async throws -> Bool {
        if try await cachedValue(for: key) != nil { return true }
        return try await base.contains(key)
    }

    /// Returns the cached value, if the base store still exists.
    private func cachedValue(for key: String) async throws -> Data? {
        try Task.checkCancellation()
        guard let value = cache.value(key) else { return nil }
        try await base.requireStore()
        return value
    }

    /// Deletes the value in the base store and in the cache.
    @discardableResult
    public func delete(_ key: String) async throws -> Bool {
        let call = cache.beginWrite(key)
        defer { cache.end(call, value: nil) }
        return try await base.delete(key)
    }

    /// Deletes all values in the base store and in the cache.
    public func deleteAll() async throws {
        cache.beginDeletingAll()
        defer { cache.endDeletingAll() }
        try await base.deleteAll()
    }

    /// Returns the keys of the base store.
    public func keys() async throws -> [String] { try await base.keys() }

    /// Returns the number of values in the base store.
    public func count() async throws -> Int { try await base.count() }

    /// Checks that the base store still exists.
    public func requireStore() async throws { try await base.requireStore() }
}
