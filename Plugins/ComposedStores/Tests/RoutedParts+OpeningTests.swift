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

    /// Its unsent edits would be hidden until the route returns.
    @Test(arguments: [true, false]) func `A store that lost its route is checked`(isEdited: Bool) async throws {
        let stores = try TemporaryStores()
        func open(_ routes: JSONValue) async throws -> any StoreBackend {
            try await stores.open(["type": "routed", "default": ["type": "sqlite"], "routes": routes])
        }
        let specs = [EntryField.syncId, EntryField.local].map { IndexSpec(JSONPath($0), .string) }
        var store = try await open(["a/b": ["type": "sqlite"]])
        try await store.write { writer in
            try writer.registerSoup("a/b", specs)
            let stamp = RecordBatch.Stamp().setting(EntryField.syncId, .integer(1))
                .setting(EntryField.local, isEdited ? .true : .false)
            _ = try writer.upsert(
                RecordBatch([try JSONText(#"{"k": 1}"#)]), into: "a/b", matching: .entryId, stamping: stamp,
                guarding: .none)
        }
        try await store.close()
        for routes in [["a/b": ["type": "memory"]], [:]] as [JSONValue] {
            guard isEdited else {
                store = try await open(routes)
                #expect(try await store.read { try $0.soupNames() } == [])
                try await store.close()
                continue
            }
            let error = await #expect(throws: SoupError.self) { _ = try await open(routes) }
            #expect(error?.code == .storeUnusable && error?.message.contains("has 1 entries") == true)
            #expect(error?.place?.file?.hasSuffix("store.sqlite.stores/a%2Fb.sqlite") == true)
        }
        store = try await open(["a/b": ["type": "sqlite"]])
        #expect(try await store.read { try $0.soupExists("a/b") } == isEdited)
        try await store.close()
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
