// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupCore
import SoupMemory
import SoupTesting
import Testing

/// Opening stores whose soups are not where the routes lead.
@Suite struct RoutedPartsOpeningTests {
    private let specs = [IndexSpec("k", .string), IndexSpec("__local__", .string), IndexSpec("__sync_id__", .integer)]

    /// Returns a store with a soup `b` that contains an entry.
    private func former(_ json: String) async throws -> MemoryStore {
        let store = MemoryStore()
        let specs = specs
        try await store.write { try $0.registerSoup("b", specs) }
        try await store.add(json, to: "b")
        return store
    }

    @Test func `A soup whose entries a sync fetches again is removed`() async throws {
        let main = try await former(#"{"k":"x","__local__":false,"__sync_id__":1}"#)
        let store = try await RoutedStore(main: main, stores: ["fast": MemoryStore()], routes: ["b": "fast"])
        #expect(try await store.read { try $0.soupNames() } == [])
        #expect(try await main.read { try $0.soupNames() } == [])
    }

    @Test(arguments: [#"{"k":"x","__local__":true,"__sync_id__":1}"#, #"{"k":"x","__local__":false}"#, #"{"k":"x"}"#])
    func `A soup with entries that exist only there is refused`(_ json: String) async throws {
        let main = try await former(json)
        for route in ["fast", nil] {
            let error = await #expect(throws: SoupError.self) {
                if let route {
                    _ = try await RoutedStore(main: main, stores: [route: MemoryStore()], routes: ["b": route])
                } else {
                    _ = try await RoutedStore(main: MemoryStore(), stores: ["fast": main], routes: [:])
                }
            }
            #expect(error?.code == .storeUnusable && error?.message.contains("1 entries") == true)
        }
        #expect(try await main.dump("b").count == 1)
    }

    @Test func `The store of other syncs is refused`() async throws {
        let other = MemoryStore()
        try await other.write { try $0.registerSoup("syncs_soup", [IndexSpec("name", .string)]) }
        await #expect(throws: SoupError.self) {
            _ = try await RoutedStore(main: MemoryStore(), stores: ["fast": other], routes: ["b": "fast"])
        }
    }

    /// The default store has the state of the syncs: a creation that was sent would be sent again.
    @Test func `A durable store beside a default in memory is refused`() async throws {
        let stores = try TemporaryStores()
        let durable = try await stores.sqlite("other.sqlite")
        #expect(
            await code { _ = try await RoutedStore(main: MemoryStore(), stores: ["x": durable], routes: ["a": "x"]) }
                == .notSupported)
        _ = try await RoutedStore(main: durable, stores: ["x": MemoryStore()], routes: ["a": "x"])
    }

    @Test func `A wrapper that is created in code cannot be configured`() async throws {
        let stores = try TemporaryStores()
        var registry = try TemporaryStores.registry()
        try registry.register(store: PlainStore.self)
        var problems: [ConfigurationProblem] = []
        let open = registry.backend(
            StoreReference(["type": "plain"]), context: StoreContext(folder: stores.folder), problems: &problems)
        #expect(await code { _ = try await open?() } == .notSupported)
    }

    @Test func `A store that cannot be composed is refused`() async throws {
        let plain = PlainStore(inner: MemoryStore())
        #expect(await code { _ = try await RoutedStore(main: plain, stores: [:], routes: [:]) } == .notSupported)
        #expect(
            await code { _ = try await RoutedStore(main: MemoryStore(), stores: [:], routes: ["a": "x"]) }
                == .badConfiguration)
    }
}
