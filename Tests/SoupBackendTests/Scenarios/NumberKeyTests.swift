// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// Numbers as keys: the same number finds a record, for every kind of index and at any length.
@Suite struct NumberKeyTests {
    static let numbers = [
        "0", "-0", "-0.0", "1", "1E2", "1.50", "0.1", "18446744073709551615", "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809", "123456789012345678901234567890", "0.12345678901234567890123", "1e400", "-1e400",
        "1e-400",
        "9007199254740993", "9007199254740993.0", "5.0E8", "1e21",
    ]
    static let kinds: [IndexSpec.Kind] = [.string, .integer, .floating, .json1]

    /// Returns the IDs that each number finds at a path, by an exact query and as both ends of a range.
    private func found(
        at path: JSONPath, in soup: SoupName, of store: any StoreBackend
    ) async throws -> [String: [Int64]] {
        var found: [String: [Int64]] = [:]
        for text in Self.numbers {
            let key = try JSONValue(parsing: text)
            let specs: [QuerySpec] = [.exact(soup, path, equals: key), .range(soup, path, from: key, to: key)]
            for spec in specs.map({ $0.withPageSize(100) }) {
                let ids = try await store.read { try $0.query(spec).entries.map(\.id).sorted() }
                #expect(found[text] == nil || found[text] == ids, "\(text)")
                found[text] = ids
            }
        }
        return found
    }

    private func stores() async throws -> (StoresUnderTest, [any StoreBackend]) {
        let pair = try await StoresUnderTest()
        let records = try Self.numbers.map { try JSONText(#"{"k":\#($0),"n":\#($0)}"#) }
        for store in [pair.memory, pair.sqlite] as [any StoreBackend] {
            try await store.write { writer in
                for kind in Self.kinds {
                    let soup = SoupName(kind.rawValue)
                    try writer.registerSoup(soup, [IndexSpec("k", kind)])
                    try writer.upsert(RecordBatch(records), into: soup)
                }
            }
        }
        return (pair, [pair.memory, pair.sqlite])
    }

    @Test(arguments: kinds) func `A number finds its own record`(_ kind: IndexSpec.Kind) async throws {
        let (pair, stores) = try await stores()
        for path in ["k", "n"] as [JSONPath] {
            var results: [[String: [Int64]]] = []
            for store in stores {
                let found = try await found(at: path, in: SoupName(kind.rawValue), of: store)
                for (index, text) in Self.numbers.enumerated() {
                    #expect(found[text]?.contains(Int64(index + 1)) == true, "\(kind) \(path) \(text)")
                }
                results.append(found)
            }
            #expect(results[0] == results[1], "\(path)")
        }
        withExtendedLifetime(pair) {}
    }

    /// A text column compares every digit of a whole number.
    @Test func `Text columns distinguish long numbers`() async throws {
        let (pair, stores) = try await stores()
        for store in stores {
            let key = try JSONValue(parsing: "18446744073709551616")
            let other = try await store.read { try $0.query(.exact("string", "k", equals: key)).entries.count }
            #expect(other == 0)
            let exact = try JSONValue(parsing: "18446744073709551615")
            #expect(try await store.read { try $0.lookup(exact, at: "k", in: "string") } == 8)
        }
        withExtendedLifetime(pair) {}
    }

    /// A full-text index compares values like a text column.
    @Test func `Full-text columns find numbers`() async throws {
        let pair = try await StoresUnderTest()
        try await pair.sqlite.write { writer in
            try writer.registerSoup("s", [IndexSpec("k", .fullText)])
            try writer.upsert(RecordBatch(try Self.numbers.map { try JSONText(#"{"k":\#($0)}"#) }), into: "s")
        }
        let found = try await found(at: "k", in: "s", of: pair.sqlite)
        for (index, text) in Self.numbers.enumerated() {
            #expect(found[text]?.contains(Int64(index + 1)) == true, "\(text)")
        }
    }
}

extension QuerySpec {
    fileprivate func withPageSize(_ size: Int) -> QuerySpec {
        var spec = self
        spec.pageSize = size
        return spec
    }
}
