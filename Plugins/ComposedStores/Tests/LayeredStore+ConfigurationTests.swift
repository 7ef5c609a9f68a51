// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupCore
import SoupMemory
import Testing

@Suite struct LayeredStoreConfigurationTests {
    @Test func `Faults of the stores and of the soups have their place`() throws {
        func layered(_ rest: String) throws -> [String] {
            try TemporaryStores.problems(#"{"type": "layered", "back": {"type": "sqlite"}\#(rest)}"#)
        }
        #expect(try layered("") == [])
        #expect(try layered(#", "front": {"type": "memory"}, "soups": ["contacts"]"#) == [])
        #expect(
            try TemporaryStores.problems(#"{"type": "layered", "front": {"type": "memory"}}"#) == [
                #"error backend.back: "back" is missing. Add "back" with an object."#
            ])
        #expect(
            try layered(#", "front": {"type": "memry"}"#) == [
                "error backend.front.type: no store backend \"memry\" is registered. Known: layered, memory, metered, "
                    + "routed, sqlite. Did you mean \"memory\"?"
            ])
        #expect(
            try TemporaryStores.problems(
                #"{"type": "metered", "store": {"type": "layered", "back": {"type": "sqlite", "busyTimeout": -1}}}"#)
                == [
                    "error backend.store.back.busyTimeout: -1.0 is not a valid timeout. Write seconds, from 0 to 86400."
                ])
        #expect(
            try layered(#", "soup": ["contacts"]"#) == [
                "warning backend.soup: the key \"soup\" is not known and is ignored. Did you mean \"soups\"?"
            ])
        #expect(
            try layered(#", "soups": []"#) == [
                "error backend.soups: no soup is in the front store. Name at least one soup, or remove \"soups\" to keep "
                    + "all soups in the front store."
            ])
        #expect(
            try layered(#", "soups": ["contacts", "syncs_soup"]"#) == [
                "error backend.soups[1]: the soup \"syncs_soup\" contains data of the syncs, which is only in the back "
                    + "store. Remove the name."
            ])
        #expect(
            try layered(#", "soups": ["a:b"]"#) == [
                "error backend.soups[0]: \"a:b\" cannot be the name of a soup. Use a name that is not empty and contains "
                    + "no :, {, } or control characters."
            ])
        #expect(try layered(#", "soups": "contacts""#).map { $0.prefix(20) } == ["error backend.soups:"])
        #expect(try layered(#", "soups": [1]"#).map { $0.prefix(23) } == ["error backend.soups[0]:"])
    }

    @Test func `The back store has the file of the configuration`() async throws {
        let stores = try TemporaryStores()
        let store = try await stores.open(["type": "layered", "back": ["type": "sqlite"]])
        #expect(store.capabilities == (store as? LayeredStore)?.inner.capabilities)
        try await store.close()
        #expect(try stores.files == ["store.sqlite"])
        let other = try TemporaryStores()
        try await stores.open(
            ["type": "layered", "back": ["type": "sqlite", "path": "own.db"]],
            file: other.folder.appending(path: "x.db")
        ).close()
        #expect(try other.files == ["x.db"])
    }

    @Test func `A store that cannot be a layer is refused`() async throws {
        let stores = try TemporaryStores()
        func error(_ configuration: JSONValue) async -> SoupError? {
            await #expect(throws: SoupError.self) { _ = try await stores.open(configuration) }
        }
        let durable = await error([
            "type": "layered", "front": ["type": "sqlite"], "back": ["type": "sqlite"],
        ])
        #expect(durable?.code == .notSupported)
        #expect(
            durable?.message
                == "the front store is durable, but it is filled again whenever the store is opened")
        let plain = PlainStore(inner: MemoryStore())
        for (front, back) in [(plain, MemoryStore()), (MemoryStore(), plain)] as [(any StoreBackend, any StoreBackend)]
        {
            #expect(await code { _ = try await LayeredStore(front: front, back: back) } == .notSupported)
        }
        for soups in [[], ["syncs_soup"]] as [[SoupName]] {
            #expect(
                await code { _ = try await LayeredStore(front: MemoryStore(), back: MemoryStore(), soups: soups) }
                    == .badConfiguration)
        }
        // A refused store has no open files left.
        try await stores.open(["type": "layered", "back": ["type": "sqlite"]]).close()
    }
}
