// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupCore
import SoupMemory
import SoupSQLite
import SoupTesting
import Testing

@Suite struct LayeredStoreTests {
    @Test func `The store keeps the rules of a backend`() async throws {
        for configuration in [
            ["type": "layered", "back": ["type": "sqlite"]],
            ["type": "layered", "back": ["type": "sqlite"], "soups": ["things"]],
        ] as [JSONValue] {
            try await StoreBackendSuite {
                let stores = try TemporaryStores()
                return HeldStore(inner: try await stores.open(configuration), stores: stores)
            } reopen: { store in
                try await #require(store as? HeldStore).stores.open(configuration)
            }.check()
        }
        try await StoreBackendSuite { try await LayeredStore(front: MemoryStore(), back: MemoryStore()) }.check()
    }

    @Test func `Layers can contain composed stores, and be parts`() async throws {
        let inner: JSONValue = [
            "type": "layered", "front": ["type": "metered", "store": ["type": "memory"]],
            "back": ["type": "routed", "default": ["type": "sqlite"], "routes": ["others": ["type": "memory"]]],
        ]
        for configuration in [
            inner, ["type": "metered", "store": inner],
            ["type": "routed", "default": inner, "routes": ["things": inner]],
        ] as [JSONValue] {
            try await StoreBackendSuite {
                let stores = try TemporaryStores()
                return HeldStore(inner: try await stores.open(configuration), stores: stores)
            }.check()
        }
    }

    @Test func `Entries come from the front, everything else does not`() async throws {
        let stores = try TemporaryStores()
        let layered = try await stores.layered(soups: ["a"])
        for soup in ["a", "b"] as [SoupName] {
            for name in ["x", "y"] { try await layered.store.add(#"{"k":"\#(name)"}"#, to: soup) }
        }
        #expect(try await layered.retrieve([2, 1]) == ([#"1 {"k":"x"}"#, #"2 {"k":"y"}"#], false))
        #expect(try await layered.retrieve([1, 1]) == ([#"1 {"k":"x"}"#], false))
        // A missing entry, and a soup that is not in the front store.
        #expect(try await layered.retrieve([1, 3]) == ([#"1 {"k":"x"}"#], true))
        #expect(try await layered.retrieve([1], from: "b") == ([#"1 {"k":"x"}"#], true))
        #expect(await code { _ = try await layered.retrieve([1], from: "c") } == .soupNotFound)
        #expect(try await layered.contents(of: "b").front == ["no soup"])
        // A body that also reads something else is run again on the back store, even if it catches the error.
        let before = layered.back.metrics.reads.count
        let found = try await layered.store.quickRead { reader in
            (try? reader.count(.all("a")), try reader.retrieve([1], from: "a").count)
        }
        #expect(found == (2, 1))
        #expect(layered.back.metrics.reads.count == before + 1)
        #expect(
            try await layered.store.quickRead { try $0.query(.smart("select {a:k} from {a} order by 1")).rows.count }
                == 2)
        await #expect(throws: LosingStore.Lost.self) {
            _ = try await layered.store.quickRead { _ in throw LosingStore.Lost() }
        }
    }

    @Test func `Opening fills the front store with the rows as they are`() async throws {
        let stores = try TemporaryStores()
        let back = try await stores.sqlite("back.db")
        try await back.write { writer in
            try writer.registerSoup("a", [IndexSpec("k", .fullText), IndexSpec("__local__", .string)])
            try writer.registerSoup("syncs_soup", [IndexSpec("k", .string)])
            let texts = try (1...1_203).map { try JSONText(#"{"k": "é\#($0)","__local__":false, "n":1.50}"#) }
            try writer.upsert(RecordBatch(texts), into: "a")
            try writer.remove([2, 700], from: "a")
            try writer.upsert(RecordBatch([try JSONText(#"{"_soupEntryId":5,"__local__":true}"#)]), into: "a")
        }
        try await back.close()
        let layered = try await stores.layered()
        let contents = try await layered.contents()
        #expect(contents.back.count == 1_201)
        #expect(contents.front == contents.back)
        #expect(try await layered.contents(of: "syncs_soup").front == ["no soup"])
        #expect(try await layered.retrieve([5]) == ([#"5 {"__local__":true}"#], false))
    }

    @Test func `Changes are reported once, and reads then see them`() async throws {
        let stores = try TemporaryStores()
        let layered = try await stores.layered()
        let changes = layered.store.changes(in: ["a", "b"])
        try await layered.store.write { writer in
            for soup in ["a", "b"] as [SoupName] {
                _ = try writer.upsert(RecordBatch([try JSONText(#"{"k":"x"}"#)]), into: soup)
            }
        }
        try await layered.store.write { writer in _ = try writer.stamp([], in: "a") }
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == StoreChange(soups: ["a", "b"]))
        #expect(try await layered.retrieve([1]).texts == [#"1 {"k":"x"}"#])
        try await layered.store.close()
        #expect(await iterator.next() == nil)
        #expect(await code { _ = try await layered.retrieve([1]) } == .storeUnusable)
        #expect(await code { _ = try await layered.front.read { try $0.soupNames() } } == .storeUnusable)
    }

    @Test func `Migrations leave the front store as it is`() async throws {
        let stores = try TemporaryStores()
        let layered = try await stores.layered()
        try await layered.store.add(#"{"k":"x y","n":1}"#, to: "a")
        try await layered.store.alterSoup("a", to: [IndexSpec("k", .fullText)], reIndex: true)
        try await layered.store.reIndexSoup("a", paths: ["k"])
        try await layered.store.compact()
        try await layered.store.checkpoint()
        #expect(try await layered.retrieve([1]) == ([#"1 {"k":"x y","n":1}"#], false))
        let match = QuerySpec(.match(path: "k", key: "y"), soup: "a")
        #expect(try await layered.store.quickRead { try $0.query(match).entries.map(\.id) } == [1])
        // A soup that is registered again has no former entries, and other IDs are assigned.
        let generation = try await layered.store.read { try $0.generation(of: "a") }
        try await layered.store.write { writer in
            try writer.removeSoup("a")
            try writer.registerSoup("a", [IndexSpec("k", .string)])
        }
        #expect(try await layered.store.read { try $0.generation(of: "a") } != generation)
        #expect(try await layered.contents() == ([], []))
        #expect(try await layered.retrieve([1]) == ([], true))
    }

    @Test func `A store that is read-only is read through the layers`() async throws {
        let stores = try TemporaryStores()
        let first = try await stores.layered()
        try await first.store.add(#"{"k":"x"}"#, to: "a")
        try await first.store.close()
        let back = ReadOnlyStore(inner: try await stores.sqlite("back.db"))
        let metered = MeteredStore(back)
        let store = try await LayeredStore(front: MemoryStore(), back: metered)
        let before = metered.metrics.reads.count
        #expect(try await store.quickRead { try $0.retrieve([1], from: "a").count } == 1)
        #expect(metered.metrics.reads.count == before)
        #expect(await code { try await store.add(#"{"k":"y"}"#, to: "a") } == .storeUnusable)
    }
}

/// A store that rejects all writes.
private struct ReadOnlyStore: ForwardingStore {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "readOnly"
    let inner: any StoreBackend
    var capabilities: Set<StoreCapability> { inner.capabilities.union([.readOnly]) }

    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        throw SoupError(.storeUnusable, "the store cannot be written")
    }
}
