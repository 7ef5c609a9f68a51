// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupCore
import Testing

@Suite struct RoutedStoreConfigurationTests {
    private func problems(_ backend: String) throws -> [String] { try TemporaryStores.problems(backend) }

    @Test func `Faults of inner stores have their place`() throws {
        #expect(
            try problems(#"{"type": "routed", "default": {"type": "sqlite"}, "routes": {"r": {"type": "memory"}}}"#)
                == [])
        #expect(
            try problems(#"{"type": "routed", "default": {"type": "sqlite"}, "routes": {"r": {"type": "memry"}}}"#) == [
                "error backend.routes.r.type: no store backend \"memry\" is registered. Known: layered, memory, metered, "
                    + "routed, sqlite. Did you mean \"memory\"?"
            ])
        #expect(
            try problems(
                #"{"type": "routed", "default": {"path": "x"}, "stores": {"s": {"type": "sqlite", "busyTimeout": -1}}}"#
            )
                == [
                    "error backend.default.type: the store has no \"type\". Add \"type\". Known: layered, memory, metered, "
                        + "routed, sqlite.",
                    "error backend.stores.s.busyTimeout: -1.0 is not a valid timeout. Write seconds, from 0 to 86400.",
                ])
        #expect(
            try problems(
                #"{"type": "metered", "store": {"type": "routed", "default": {"type": "sqlite", "pth": "a"}}}"#)
                == [
                    "warning backend.store.default.pth: the key \"pth\" is not known and is ignored. Did you mean \"path\"?"
                ])
        #expect(
            try problems(#"{"type": "routed"}"#) == [
                #"error backend.default: "default" is missing. Add "default" with an object."#
            ])
        let noObject = try problems(#"{"type": "routed", "default": "sqlite"}"#)
        #expect(noObject.count == 1)
        #expect(noObject[0].hasPrefix("error backend.default: expected an object with the \"type\" of a store, found"))
    }

    @Test func `A soup that the file does not have is a warning`() throws {
        let index = #"[{"path": "k", "type": "string"}]"#
        func problems(_ backend: String) throws -> [String] {
            let soups = #"[{"soupName": "recent", "indexes": \#(index)}]"#
            let text = #"{"soups": \#(soups), "backend": \#(backend)}"#
            return StoreConfig.read(Array(text.utf8), file: "f", registry: try TemporaryStores.registry())
                .problems.map { "\($0.severity) \($0.place.path ?? ""): \($0.message). \($0.hint ?? "")" }
        }
        let routed = #"{"type": "routed", "default": {"type": "sqlite"}, "routes": {"SOUP": {"type": "memory"}}}"#
        let layered = #"{"type": "layered", "back": {"type": "sqlite"}, "soups": ["recent", "SOUP"]}"#
        for (backend, place) in [
            (routed, "backend.routes.recnt"), (layered, "backend.soups[1]"),
            (#"{"type": "metered", "store": \#(routed)}"#, "backend.store.routes.recnt"),
        ] {
            #expect(
                try problems(backend.replacing("SOUP", with: "recnt")) == [
                    "warning \(place): \"soups\" has no soup \"recnt\". Did you mean \"recent\"?"
                ])
            #expect(try problems(backend.replacing("SOUP", with: "recent")) == [])
        }
        // A warning does not hide an error of the same object.
        let both = routed.replacing("SOUP", with: "recnt").replacing("memory", with: "memry")
        #expect(try problems(both).contains { $0.hasPrefix("error backend.routes.recnt.type") })
    }

    @Test func `Routes must lead to a store`() throws {
        func routed(_ rest: String) throws -> [String] {
            try problems(#"{"type": "routed", "default": {"type": "sqlite"}, \#(rest)}"#)
        }
        #expect(
            try routed(#""stores": {"fast": {"type": "memory"}}, "routes": {"r": "fst"}"#) == [
                "error backend.routes.r: there is no store \"fst\". Known: fast. Did you mean \"fast\"?"
            ])
        #expect(
            try routed(#""routes": {"syncs_soup": {"type": "memory"}}"#) == [
                "error backend.routes.syncs_soup: the soup \"syncs_soup\" contains data of the syncs, which is always in the "
                    + "default store. Remove the route."
            ])
        #expect(
            try routed(#""routes": {"r": {"type": "sqlite", "path": "x"}, "s": {"type": "sqlite", "path": "x"}}"#) == [
                "error backend.routes.s.path: the store has the same path as \"routes.r\". Use another path, or name one "
                    + "store in \"stores\" for several soups."
            ])
        #expect(
            try routed(#""stores": {"Fast": {"type": "memory"}, "fast": {"type": "memory"}}"#).map { $0.prefix(54) }
                == [
                    "error backend.stores.fast: another store has the same "
                ])
        #expect(
            try routed(#""stores": {"r": {"type": "memory"}}, "routes": {"r": {"type": "memory"}}"#).map {
                $0.prefix(37)
            }
                == ["error backend.routes.r: a store has t"])
    }

    @Test func `Inner stores have files of their own`() async throws {
        let stores = try TemporaryStores()
        let configuration: JSONValue = [
            "type": "routed", "default": ["type": "sqlite"], "stores": ["A.b": ["type": "sqlite"]],
            "routes": ["s": "A.b", "t": ["type": "sqlite", "path": "own.db"]],
        ]
        try await stores.open(configuration).close()
        #expect(try stores.files == ["own.db", "store.sqlite", "store.sqlite.stores/A%2Eb.sqlite"])
        // A file that the caller chooses replaces those of all stores.
        let other = try TemporaryStores()
        try await stores.open(configuration, file: other.folder.appending(path: "x.db")).close()
        #expect(try other.files == ["x.db", "x.db.stores/A%2Eb.db", "x.db.stores/t.db"])
        #expect(try stores.files.count == 3)
    }

    @Test func `A folder of stores that cannot be created is an error`() async throws {
        let stores = try TemporaryStores()
        let path = stores.folder.appending(path: "store.sqlite.stores")
        try Data("a file in place of the folder".utf8).write(to: path)
        let configuration: JSONValue = [
            "type": "routed", "default": ["type": "sqlite"], "routes": ["b": ["type": "sqlite"]],
        ]
        let error = await #expect(throws: SoupError.self) { _ = try await stores.open(configuration) }
        #expect(error?.code == .storeUnusable && error?.message.contains("store.sqlite.stores/") == true)
        #expect(error?.place?.file?.hasSuffix("/store.sqlite.stores/b.sqlite") == true)
        // Without the file the store opens: nothing of the attempt is left behind or locked.
        try FileManager.default.removeItem(at: path)
        try await stores.open(configuration).close()
        #expect(try stores.files == ["store.sqlite", "store.sqlite.stores/b.sqlite"])
    }

    @Test func `A store in code needs a registry for references`() async throws {
        let configuration = RoutedStore.Configuration(main: StoreReference(type: "memory"))
        let context = StoreContext(folder: URL(filePath: "/nowhere"))
        #expect(await code { _ = try await RoutedStore.open(configuration, in: context) } == .registry)
    }

    @Test func `A registered function opens an inner store`() async throws {
        let stores = try TemporaryStores()
        var registry = try TemporaryStores.registry()
        let fast = try await stores.open(["type": "memory"])
        try registry.register(store: "mine") { _, _ in fast }
        #expect(throws: SoupError.self) { try registry.register(store: "mine") { _, _ in fast } }
        var problems: [ConfigurationProblem] = []
        let open = registry.backend(
            StoreReference(["type": "routed", "default": ["type": "sqlite"], "routes": ["b": ["type": "mine"]]]),
            context: StoreContext(folder: stores.folder), problems: &problems)
        let opening = try #require(open)
        let store = try await opening()
        try await store.write { try $0.registerSoup("b", [IndexSpec("k", .string)]) }
        #expect(try await fast.read { try $0.soupNames() } == ["b"])
    }
}
