// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// A letter as one code point and the same letter as two are different texts, in every place and in any order.
@Suite struct ComposedLetterTests {
    static let spellings = ["\u{e9}", "e\u{301}"]

    @Test(arguments: [spellings, spellings.reversed()]) func `Queries distinguish both spellings`(_ order: [String])
        async throws
    {
        let stores = try await StoresUnderTest()
        for store in [stores.memory as any StoreBackend, stores.sqlite] {
            try await store.write { writer in
                try writer.registerSoup("s", [IndexSpec("k", .string)])
                for spelling in Self.spellings {
                    let scalars = spelling.unicodeScalars.count
                    let record = try JSONText("{\"k\":\"\(spelling)\",\"\(spelling)\":\(scalars)}")
                    _ = try writer.upsert(RecordBatch([record]), into: "s", matching: .entryId)
                }
            }
            for spelling in order {
                let scalars = Int64(spelling.unicodeScalars.count)
                let path = JSONPath(spelling)
                let found = try await store.read { reader in
                    let specs = [
                        QuerySpec.exact("s", "k", equals: .string(spelling)), .exact("s", path, equals: .int(scalars)),
                        QuerySpec(.range(path: path, begin: 1, end: 2), soup: "s"),
                    ]
                    return try specs.map { try reader.query($0).entries.map(\.id) }
                }
                #expect(found == [[scalars], [scalars], [scalars]], "\(spelling.unicodeScalars.map(\.value))")
                if store.capabilities.contains(.smartSQL) {
                    let sql = "select {s:_soupEntryId} from {s} where {s:k} = '\(spelling)'"
                    let rows = try await store.read { try $0.query(.smart(sql)).rows.map(\.description) }
                    #expect(rows == ["[\(scalars)]"])
                }
            }
        }
    }

    @Test func `Soup names and indexes distinguish both spellings`() async throws {
        let stores = try await StoresUnderTest()
        let names = Self.spellings.map { SoupName($0) }
        let specs = Self.spellings.map { IndexSpec(JSONPath($0), .string) }
        for store in [stores.memory as any StoreBackend, stores.sqlite] {
            try await store.write { writer in
                for name in names { try writer.registerSoup(name, specs) }
                let record = try JSONText("{\"\(Self.spellings[0])\":\"a\",\"\(Self.spellings[1])\":\"b\"}")
                _ = try writer.upsert(RecordBatch([record]), into: names[1], matching: .entryId)
            }
            let counts = try await store.read { reader in
                try names.map { name in
                    try ["a", "b"].flatMap { key in
                        try specs.map { try reader.count(.exact(name, $0.path, equals: .string(key))) }
                    }
                }
            }
            #expect(counts == [[0, 0, 0, 0], [1, 0, 0, 1]])
        }
    }
}
