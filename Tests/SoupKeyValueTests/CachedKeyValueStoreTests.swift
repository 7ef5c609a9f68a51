// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

import Foundation
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupKeyValue

@Suite struct CachedKeyValueStoreTests {
    /// A store in memory that counts its reads, and whose calls a test can suspend.
    final class SlowStore: KeyValueStore {
        let name = "slow"
        private let values = Mutex<[String: Data]>([:])
        private let readCount = Mutex(0)
        /// Called when a call has done its work, and before it returns.
        let pause: Mutex<(@Sendable (String) async -> Void)?> = Mutex(nil)

        var reads: Int { readCount.withLock { $0 } }

        private func wait(_ call: String) async { await pause.withLock { $0 }?(call) }

        func save(_ value: Data, forKey key: String) async throws {
            if key == "refused" { throw SoupError(.storeUnusable, "refused") }
            values.withLock { $0[key] = value }
            await wait("save \(String(decoding: value, as: UTF8.self))")
        }

        func save<Chunks: AsyncSequence>(
            chunks: Chunks, forKey key: String
        ) async throws where Chunks.Element == Data {
            var value = Data()
            for try await chunk in chunks { value.append(chunk) }
            try await save(value, forKey: key)
        }

        func data(forKey key: String) async throws -> Data? {
            readCount.withLock { $0 += 1 }
            let value = values.withLock { $0[key] }
            await wait("read")
            return value
        }

        func chunks(forKey key: String) async throws -> KeyValueChunks? {
            try await data(forKey: key).map { KeyValueChunks($0) }
        }

        func contains(_ key: String) async throws -> Bool { values.withLock { $0[key] != nil } }

        func delete(_ key: String) async throws -> Bool {
            let value = values.withLock { $0.removeValue(forKey: key) }
            await wait("delete")
            return value != nil
        }

        func deleteAll() async throws {
            values.withLock { $0 = [:] }
            await wait("delete all")
        }

        func keys() async throws -> [String] { values.withLock { $0.keys.sorted() } }
        func count() async throws -> Int { values.withLock { $0.count } }
    }

    /// A gate that suspends calls until they are resumed.
    final class Gate: Sendable {
        private let suspended = Mutex<[String: Promise<Void>]>([:])

        func suspend(_ call: String) async {
            let end = Promise<Void>()
            suspended.withLock { $0[call] = end }
            await end.waitUncancelled()
        }

        func resume(_ call: String) async {
            while true {
                if let end = suspended.withLock({ $0.removeValue(forKey: call) }) {
                    end.resolve(())
                    return
                }
                await Task.yield()
            }
        }
    }

    @Test func `Values that were read or saved are cached`() async throws {
        let base = SlowStore()
        try await base.save("old", forKey: "a")
        let store = CachedKeyValueStore(base, capacity: 100)
        #expect(store.name == "slow")
        #expect(try await store.string(forKey: "a") == "old")
        #expect(try await store.string(forKey: "a") == "old")
        #expect(base.reads == 1)
        try await store.save("new", forKey: "b")
        #expect(try await store.string(forKey: "b") == "new")
        #expect(try await store.contains("b"))
        #expect(base.reads == 1)
        #expect(store.cachedBytes == 8)
        #expect(try await base.string(forKey: "b") == "new")
        #expect(try await store.keys() == ["a", "b"])
        var chunks = try await store.chunks(forKey: "b")?.makeAsyncIterator()
        #expect(try await chunks?.next() == Data("new".utf8))
        #expect(try await chunks?.next() == nil)
        #expect(base.reads == 2)

        #expect(try await store.delete("b"))
        #expect(try await store.string(forKey: "b") == nil)
        try await store.deleteAll()
        #expect(store.cachedBytes == 0)
        #expect(try await store.isEmpty())
        #expect(try await store.string(forKey: "a") == nil)
    }

    @Test func `A failed save is not cached`() async throws {
        let store = CachedKeyValueStore(SlowStore(), capacity: 100)
        await #expect(throws: SoupError.self) { try await store.save("x", forKey: "refused") }
        #expect(try await store.string(forKey: "refused") == nil)
        #expect(store.cachedBytes == 0)
    }

    @Test func `A value saved in chunks is not cached`() async throws {
        let store = CachedKeyValueStore(SlowStore(), capacity: 100)
        try await store.save("old", forKey: "a")
        try await store.save(
            chunks: AsyncStream {
                $0.yield(Data("new".utf8)); $0.finish()
            }, forKey: "a")
        #expect(store.cachedBytes == 0)
        #expect(try await store.string(forKey: "a") == "new")
    }

    @Test func `Keys with different bytes are different keys`() async throws {
        let folder = try TemporaryFolder()
        let base = try await KeyValueStores(in: folder.url).open("s")
        let store = CachedKeyValueStore(base, capacity: 100)
        try await store.save("composed", forKey: "\u{E9}")
        try await store.save("decomposed", forKey: "e\u{301}")
        #expect(try await store.string(forKey: "\u{E9}") == "composed")
    }

    /// The value that was not used for the longest time is removed.
    @Test func `The size of the cache is limited`() async throws {
        let base = SlowStore()
        let store = CachedKeyValueStore(base, capacity: 12)
        for key in ["a", "b", "c"] { try await store.save("123", forKey: key) }
        #expect(try await store.string(forKey: "a") == "123")
        try await store.save("456", forKey: "d")
        #expect(store.cachedBytes == 12)
        #expect(base.reads == 0)
        for key in ["a", "c", "d"] { _ = try await store.string(forKey: key) }
        #expect(base.reads == 0)
        #expect(try await store.string(forKey: "b") == "123")
        #expect(base.reads == 1)
        try await store.save("much too long to be kept", forKey: "a")
        #expect(try await store.string(forKey: "a") == "much too long to be kept")
        #expect(base.reads == 2)
        #expect(store.cachedBytes <= 12)
    }

    @Test func `A read overtaken by a save is not cached`() async throws {
        let (base, gate) = (SlowStore(), Gate())
        let store = CachedKeyValueStore(base, capacity: 100)
        try await store.save(
            chunks: AsyncStream {
                $0.yield(Data("old".utf8)); $0.finish()
            }, forKey: "a")
        base.pause.withLock { $0 = { if $0 == "read" { await gate.suspend($0) } } }
        let read = Task { try await store.string(forKey: "a") }
        while base.reads == 0 { await Task.yield() }
        try await store.save("new", forKey: "a")
        await gate.resume("read")
        #expect(try await read.value == "old")
        base.pause.withLock { $0 = nil }
        #expect(try await store.string(forKey: "a") == "new")
    }

    @Test func `Of two overlapping saves neither is cached`() async throws {
        let (base, gate) = (SlowStore(), Gate())
        let store = CachedKeyValueStore(base, capacity: 100)
        base.pause.withLock { $0 = { await gate.suspend($0) } }
        let first = Task { try await store.save("1", forKey: "a") }
        while try await base.count() == 0 { await Task.yield() }
        let second = Task { try await store.save("2", forKey: "a") }
        // The base store has the second value; the first call returns last.
        await gate.resume("save 2")
        try await second.value
        await gate.resume("save 1")
        try await first.value
        base.pause.withLock { $0 = nil }
        #expect(try await store.string(forKey: "a") == "2")
        #expect(base.reads == 1)
        try await store.save("3", forKey: "a")
        #expect(try await store.string(forKey: "a") == "3")
        #expect(base.reads == 1)
    }

    @Test func `A save during the deletion of all is not cached`() async throws {
        let (base, gate) = (SlowStore(), Gate())
        let store = CachedKeyValueStore(base, capacity: 100)
        base.pause.withLock { $0 = { await gate.suspend($0) } }
        let save = Task { try await store.save("1", forKey: "a") }
        while try await base.count() == 0 { await Task.yield() }
        let deletion = Task { try await store.deleteAll() }
        await gate.resume("delete all")
        try await deletion.value
        await gate.resume("save 1")
        try await save.value
        base.pause.withLock { $0 = nil }
        #expect(try await store.string(forKey: "a") == nil)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func `The least recently used values are removed`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var cache = LeastRecentlyUsed<Int, Int>(capacity: 50)
        var model: [(key: Int, value: Int, size: Int)] = []
        for step in 0..<2000 {
            let key = Int.random(in: 0..<12, using: &random)
            let index = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let size = Int.random(in: 0...60, using: &random)
                cache.insert(step, size: size, for: key)
                if let index { model.remove(at: index) }
                if size <= 50 { model.append((key, step, size)) }
                while model.reduce(0, { $0 + $1.size }) > 50 { model.removeFirst() }
            case 5..<9:
                #expect(cache.value(key) == index.map { model[$0].value }, "seed \(seed), step \(step)")
                if let index { model.append(model.remove(at: index)) }
            default:
                cache.remove(key)
                if let index { model.remove(at: index) }
            }
            #expect(cache.count == model.count && cache.size == model.reduce(0) { $0 + $1.size })
        }
        cache.removeAll()
        #expect(cache.count == 0 && cache.size == 0 && cache.value(1) == nil)
    }
}

#endif
