// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupCore
import SoupMemory
import SoupSQLite
import SoupTesting
import Testing

@Suite struct RoutedStoreTests {
    struct Stop: Error {}

    @Test(arguments: ["sqlite", "memory"]) func `The store keeps the rules of a backend`(_ kind: String) async throws {
        let routes: JSONValue = ["others": ["type": .string(kind)]]
        let configuration: JSONValue = ["type": "routed", "default": ["type": "sqlite"], "routes": routes]
        try await StoreBackendSuite {
            let stores = try TemporaryStores()
            let store = try await stores.open(configuration)
            return HeldStore(inner: store, stores: stores)
        } reopen: { store in
            let stores = try #require(store as? HeldStore).stores
            return try await stores.open(configuration)
        }.check()
        try await StoreBackendSuite {
            try await RoutedStore(main: MemoryStore(), stores: ["x": MemoryStore()], routes: ["things": "x"])
        }.check()
    }

    @Test func `Each soup is in its own store`() async throws {
        let stores = try TemporaryStores()
        let (main, fast) = (try await stores.sqlite("a.db"), MemoryStore())
        let store = try await RoutedStore(main: main, stores: ["fast": fast], routes: ["b": "fast", "c": "fast"])
        for soup in ["a", "b", "c"] as [SoupName] {
            try await store.write { try $0.registerSoup(soup, [IndexSpec("k", .string)]) }
            try await store.add(#"{"k":"\#(soup)"}"#, to: soup)
        }
        #expect(try await store.read { try $0.soupNames() } == ["a", "b", "c"])
        #expect(try await main.read { try $0.soupNames() } == ["a"])
        #expect(try await fast.read { try $0.soupNames() } == ["b", "c"])
        #expect(try await store.dump("b") == [#"1 {"k":"b"}"#])
        #expect(try await store.statistics().soups.map(\.name) == ["a", "b", "c"])
        try await store.alterSoup("b", to: [IndexSpec("n", .integer)], reIndex: true)
        #expect(try await fast.read { try $0.indexSpecs(of: "b") } == [IndexSpec("n", .integer)])
        try await store.write { try $0.removeSoup("b") }
        #expect(try await fast.read { try $0.soupNames() } == ["c"])
        try await store.close()
        #expect(await code { _ = try await main.read { try $0.soupNames() } } == .storeUnusable)
        #expect(await code { _ = try await fast.read { try $0.soupNames() } } == .storeUnusable)
    }

    @Test func `Capabilities are those of the soup's store`() async throws {
        let stores = try TemporaryStores()
        let store = try await stores.routed("memory")
        #expect(store.capabilities == SQLiteStore.openCapabilities.subtracting([.durable]))
        #expect(store.capabilities(of: "a") == SQLiteStore.openCapabilities)
        #expect(store.capabilities(of: "b") == MemoryStore().capabilities)
        #expect(try await TemporaryStores().routed().capabilities(of: "b").contains(.sqlTables) == false)
        #expect(
            try await stores.open(["type": "routed", "default": ["type": "sqlite", "path": "o.db"]])
                .capabilities == SQLiteStore.openCapabilities)
    }

    @Test(arguments: ["sqlite", "memory"]) func `An error undoes the changes of all stores`(_ kind: String) async throws
    {
        let stores = try TemporaryStores()
        let store = try await stores.routed(kind)
        let (good, bad) = (RecordBatch([try JSONText(#"{"k":"x"}"#)]), RecordBatch([try JSONText("{}")]))
        await #expect(throws: Stop.self) {
            try await store.write { writer in
                for soup in ["a", "b"] as [SoupName] { try writer.upsert(good, into: soup) }
                throw Stop()
            }
        }
        for (first, second) in [("a", "b"), ("b", "a")] as [(SoupName, SoupName)] {
            let found = await code {
                try await store.write { writer in
                    try writer.upsert(good, into: first)
                    _ = try? writer.upsert(bad, into: second, matching: .path("k"))
                }
            }
            #expect(found == .externalIdMissing)
        }
        #expect(try await store.dump("a") == [])
        #expect(try await store.dump("b") == [])
        try await store.write { writer in for soup in ["a", "b"] as [SoupName] { try writer.upsert(good, into: soup) } }
        #expect(try await store.dump("a") + store.dump("b") == [#"1 {"k":"x"}"#, #"1 {"k":"x"}"#])
    }

    @Test func `A cancelled task neither writes nor reads on`() async throws {
        let stores = try TemporaryStores()
        let store = try await stores.routed("memory")
        let writing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.add(#"{"k":"x"}"#, to: "b")
        }
        await #expect(throws: CancellationError.self) { try await writing.value }
        for soup in ["a", "b"] as [SoupName] {
            let begun = AsyncStream.makeStream(of: Void.self)
            let reading = Task.detached {
                try await store.read { reader in
                    begun.continuation.finish()
                    while true { _ = try reader.count(.all(soup)) }
                }
            }
            for await _ in begun.stream {}
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
        }
        #expect(try await store.dump("b") == [])
    }

    @Test func `Changes of every store are reported`() async throws {
        let stores = try TemporaryStores()
        let store = try await stores.routed("memory")
        let (both, one) = (store.changes(in: ["a", "b"]), store.changes(in: ["b"]))
        try await store.add(#"{"k":"x"}"#, to: "a")
        try await store.add(#"{"k":"x"}"#, to: "b")
        try await store.close()
        var seen: [Set<SoupName>] = []
        for await change in both { seen.append(change.soups) }
        #expect(seen.count == 2 && Set(seen) == [["a"], ["b"]])
        seen = []
        for await change in one { seen.append(change.soups) }
        #expect(seen == [["b"]])
    }

    @Test func `A removed soup gets another generation`() async throws {
        let stores = try TemporaryStores()
        let store = try await stores.routed("memory")
        for soup in ["a", "b"] as [SoupName] {
            let first = try await store.read { try $0.generation(of: soup) }
            try await store.write { try $0.clearSoup(soup) }
            try await store.alterSoup(soup, to: [IndexSpec("n", .integer)], reIndex: true)
            #expect(try await store.read { try $0.generation(of: soup) } == first && !first.isEmpty)
            try await store.write { writer in
                try writer.removeSoup(soup)
                try writer.registerSoup(soup, [IndexSpec("k", .string)])
            }
            #expect(try await store.read { try $0.generation(of: soup) } != first)
        }
    }

    @Test func `Routed stores can be nested`() async throws {
        let stores = try TemporaryStores()
        let inner: JSONValue = [
            "type": "routed", "default": ["type": "sqlite"],
            "routes": ["c": ["type": "sqlite"], "d": ["type": "memory"]],
        ]
        let store = try await stores.open([
            "type": "routed", "default": ["type": "metered", "store": ["type": "sqlite"]], "stores": ["more": inner],
            "routes": ["b": "more", "c": "more", "d": "more"],
        ])
        let soups: [SoupName] = ["a", "b", "c", "d"]
        try await store.write { writer in
            for soup in soups {
                try writer.registerSoup(soup, [IndexSpec("k", .string)])
                try writer.upsert(RecordBatch([try JSONText(#"{"k":"\#(soup)"}"#)]), into: soup)
            }
        }
        #expect(try await store.read { try $0.soupNames() } == soups)
        #expect(try await store.dump("d") == [#"1 {"k":"d"}"#])
        #expect(
            try stores.files == [
                "store.sqlite", "store.sqlite.stores/more.sqlite", "store.sqlite.stores/more.sqlite.stores/c.sqlite",
            ])
        try await store.close()
    }
}

extension SQLiteStore {
    static let openCapabilities: Set<StoreCapability> = [
        .smartSQL, .fullText, .json1, .sqlTables, .durable, .syncedCopies, .soupAlteration, .composable, .restoring,
        .foreignCommits, .foreignChanges,
    ]
}
