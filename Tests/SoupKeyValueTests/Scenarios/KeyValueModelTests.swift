// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

import Foundation
import SoupKeyValue
import SoupCore
import SoupTesting
import Testing

/// Random operations on a store and on a dictionary, whose results must be equal.
@Suite struct KeyValueModelTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: 1...4 as ClosedRange<UInt64>, [false, true])
    func `A file store behaves like a dictionary`(_ seed: UInt64, isEncrypted: Bool) async throws {
        let stores = KeyValueStores(in: folder.url, isEncrypted: isEncrypted)
        var store = try await stores.open("s")
        try await play(seed: seed, steps: 150, on: store) {
            store = try await stores.open("s")
            return store
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func `A cached store behaves like a dictionary`(_ seed: UInt64)
        async throws
    {
        let stores = KeyValueStores(in: folder.url)
        let store = CachedKeyValueStore(try await stores.open("s"), capacity: 2000)
        try await play(seed: seed, steps: 150, on: store) { store }
        #expect(store.cachedBytes <= 2000)
    }

    /// Runs random operations on a store and on a dictionary, and compares the results.
    ///
    /// - Parameter reopen: returns the store for the next operations.
    private func play(
        seed: UInt64, steps: Int, on first: any KeyValueStore, reopen: () async throws -> any KeyValueStore
    ) async throws {
        var random = SeededRandom(seed: seed)
        var store = first
        var model: [String: Data] = [:]
        let keys = ["a", "b", "é", "/", "..", " ", "key\n", "💡"]
        for step in 0..<steps {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            let size = [0, 1, 10, 900, 3000][Int.random(in: 0..<5, using: &random)]
            let value = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<6:
                try await store.save(value, forKey: key)
                model[key] = value
            case 6..<8:
                let chunks = AsyncStream { continuation in
                    for start in stride(from: 0, to: size, by: 7) {
                        continuation.yield(value[start..<min(start + 7, size)])
                    }
                    continuation.finish()
                }
                try await store.save(chunks: chunks, forKey: key)
                model[key] = value
            case 8..<11: #expect(try await store.delete(key) == (model.removeValue(forKey: key) != nil))
            case 11..<16: #expect(try await store.data(forKey: key) == model[key], "seed \(seed), step \(step)")
            case 16:
                var read: Data?
                if let chunks = try await store.chunks(forKey: key) {
                    read = Data()
                    for try await chunk in chunks { read?.append(chunk) }
                }
                #expect(read == model[key], "seed \(seed), step \(step)")
            case 17: #expect(try await store.contains(key) == (model[key] != nil))
            case 18: store = try await reopen()
            default:
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try await store.deleteAll()
                    model = [:]
                }
            }
            #expect(try await store.count() == model.count)
            #expect(Set(try await store.keys()) == Set(model.keys))
        }
        #expect(try await store.isEmpty() == model.isEmpty)
    }
}

#endif
