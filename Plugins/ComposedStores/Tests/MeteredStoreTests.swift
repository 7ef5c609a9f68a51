// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupCore
import SoupMemory
import SoupTesting
import Synchronization
import Testing

@Suite struct MeteredStoreTests {
    struct Stop: Error {}

    @Test func `The store keeps the rules of a backend`() async throws {
        try await StoreBackendSuite { MeteredStore(MemoryStore()) }.check()
        let configuration: JSONValue = ["type": "metered", "store": ["type": "sqlite"]]
        try await StoreBackendSuite {
            let stores = try TemporaryStores()
            return HeldStore(inner: try await stores.open(configuration), stores: stores)
        } reopen: { store in
            try await #require(store as? HeldStore).stores.open(configuration)
        }.check()
    }

    @Test func `Calls and entries are counted`() async throws {
        let time = Mutex(Duration.zero)
        let store = MeteredStore(MemoryStore()) { time.withLock { $0 } }
        try await store.write { try $0.registerSoup("s", [IndexSpec("k", .string)]) }
        let batch = RecordBatch(try ["a", "b", "c"].map { try JSONText(#"{"k":"\#($0)"}"#) })
        try await store.write { writer in
            time.withLock { $0 += .seconds(2) }
            try writer.upsert(batch, into: "s", matching: .path("k"))
        }
        // The entries already have these bytes.
        try await store.write { writer in _ = try writer.upsert(batch, into: "s", matching: .path("k")) }
        try await store.write { writer in
            try writer.remove([1], from: "s")
            _ = try writer.remove(matching: .exact("s", "k", equals: "b"), from: "s")
        }
        await #expect(throws: Stop.self) {
            try await store.write { writer in
                try writer.upsert(batch, into: "s")
                throw Stop()
            }
        }
        #expect(try await store.read { try $0.count(.all("s")) } == 1)
        #expect(try await store.quickRead { try $0.count(.all("s")) } == 1)
        await #expect(throws: SoupError.self) { try await store.read { _ = try $0.count(.all("t")) } }
        #expect(
            store.metrics
                == StoreMetrics(
                    reads: .init(count: 3, failures: 1),
                    writes: .init(count: 5, failures: 1, duration: .seconds(2), longest: .seconds(2)),
                    entriesWritten: 3, entriesRemoved: 2))
    }
}
