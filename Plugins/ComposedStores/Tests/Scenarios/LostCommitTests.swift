// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupCore
import SoupMemory
import Testing

/// A write whose last commit, that of the main store, fails.
@Suite struct LostCommitTests {
    @Test(arguments: ["sqlite", "memory"]) func `The other stores are committed before the main store`(
        _ kind: String
    ) async throws {
        let stores = try TemporaryStores()
        let main = LosingStore(try await stores.sqlite("main.db"))
        let other: any StoreBackend = kind == "sqlite" ? try await stores.sqlite("other.db") : MemoryStore()
        let store = try await RoutedStore(main: main, stores: ["other": other], routes: ["b": "other"])
        try await store.write { writer in
            for soup in ["a", "b"] as [SoupName] { try writer.registerSoup(soup, [IndexSpec("k", .string)]) }
        }
        let batch = RecordBatch([try JSONText(#"{"k":"x"}"#)])
        main.fault = .atCommit
        await #expect(throws: LosingStore.Lost.self) {
            try await store.write { writer in
                for soup in ["a", "b"] as [SoupName] { try writer.upsert(batch, into: soup) }
            }
        }
        #expect(try await store.dump("a") == [])
        #expect(try await store.dump("b") == [#"1 {"k":"x"}"#])
        // The gate is open again for reads and writes.
        main.fault = nil
        try await store.write { writer in
            for soup in ["a", "b"] as [SoupName] { try writer.upsert(batch, into: soup, matching: .path("k")) }
        }
        #expect(try await store.dump("a") + store.dump("b") == [#"1 {"k":"x"}"#, #"1 {"k":"x"}"#])
    }
}
