// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupCore
import Testing

/// Reads of two soups while one write after another changes both.
@Suite struct TornReadTests {
    @Test(arguments: ["sqlite", "memory"]) func `No read of 10,000 sees a part of a write`(_ kind: String) async throws
    {
        let stores = try TemporaryStores()
        let store = try await stores.routed(kind)
        for soup in ["a", "b"] as [SoupName] { try await store.add(#"{"n":0}"#, to: soup) }
        let torn = try await withThrowingTaskGroup(of: (torn: Int, values: Set<Int64>).self) { group in
            group.addTask {
                for number in 1...1_000 {
                    let stamp = RecordBatch.Stamp().setting("n", .integer(Int64(number)))
                    try await store.write { writer in
                        for soup in ["a", "b"] as [SoupName] {
                            _ = try writer.stamp([EntryStamp(id: 1, stamp: stamp)], in: soup)
                        }
                    }
                }
                return (0, [])
            }
            for _ in 0..<8 {
                group.addTask {
                    var (torn, values) = (0, Set<Int64>())
                    for _ in 0..<1_250 {
                        let pair = try await store.read { reader in
                            try (["a", "b"] as [SoupName]).map { try reader.retrieve([1], from: $0).first?["n"] }
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
        #expect(torn.torn == 0)
        print("torn reads over sqlite and \(kind): \(torn.torn) of 10,000, which saw \(torn.values.count) states")
        #expect(try await store.dump("a") == [#"1 {"n":1000}"#])
        try await store.close()
    }
}
