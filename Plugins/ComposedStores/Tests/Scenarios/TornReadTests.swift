// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupCore
import SoupMemory
import Testing

/// Reads of two soups while one write after another changes both.
@Suite struct TornReadTests {
    private static let soups: [SoupName] = ["a", "b"]

    typealias Read =
        @Sendable (@escaping @Sendable (any StoreReader) throws -> [JSONValue?]) async throws -> [JSONValue?]

    /// Returns the number of torn reads of 10,000, and the number of states that the reads saw.
    private func tornReads(of store: any StoreBackend, _ reads: [Read]) async throws -> (torn: Int, states: Int) {
        for soup in Self.soups { try await store.add(#"{"n":0}"#, to: soup) }
        let found = try await withThrowingTaskGroup(of: (torn: Int, values: Set<Int64>).self) { group in
            group.addTask {
                for number in 1...1_000 {
                    let stamp = RecordBatch.Stamp().setting("n", .integer(Int64(number)))
                    try await store.write { writer in
                        for soup in Self.soups {
                            _ = try writer.stamp([EntryStamp(id: 1, stamp: stamp)], in: soup)
                        }
                    }
                }
                return (0, [])
            }
            for task in 0..<8 {
                let read = reads[task % reads.count]
                group.addTask {
                    var (torn, values) = (0, Set<Int64>())
                    for _ in 0..<1_250 {
                        let pair = try await read { reader in
                            try Self.soups.map { try reader.retrieve([1], from: $0).first?["n"] }
                        }
                        if pair[0] != pair[1] { torn += 1 }
                        if let value = pair[0]?.intValue { values.insert(Int64(value)) }
                    }
                    return (torn, values)
                }
            }
            return try await group.reduce(into: (torn: 0, values: Set<Int64>())) { sum, own in
                sum.torn += own.torn
                sum.values.formUnion(own.values)
            }
        }
        #expect(try await store.dump("a") == [#"1 {"n":1000}"#])
        try await store.close()
        return (found.torn, found.values.count)
    }

    @Test(arguments: ["sqlite", "memory"]) func `No read of 10,000 sees a part of a write`(_ kind: String) async throws
    {
        let stores = try TemporaryStores()
        let store = try await stores.routed(kind)
        let (torn, states) = try await tornReads(of: store, [{ try await store.read($0) }])
        #expect(torn == 0)
        #expect(states > 10, "the reads must overlap with the writes")
        print("torn reads over sqlite and \(kind): \(torn) of 10,000, which saw \(states) states")
    }

    /// Half of the reads can use the front store, the other half uses the back store.
    @Test func `No read of 10,000 of a layered store is torn`() async throws {
        let stores = try TemporaryStores()
        let layered = try await stores.layered()
        let store = layered.store
        let (torn, states) = try await tornReads(
            of: store, [{ try await store.quickRead($0) }, { try await store.read($0) }])
        #expect(torn == 0)
        // The reads of the writes and of the test itself are not many.
        let fromFront = 10_000 - layered.back.metrics.reads.count
        #expect(states > 10, "the reads must overlap with the writes")
        #expect(fromFront > 0)
        print(
            "torn reads of a layered store: \(torn) of 10,000, \(fromFront) from the front, which saw \(states) states")
    }
}
