// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// Similar keys: a projection finds each of its own keys and no others.
@Suite struct JSONPathTreeTests {
    /// Two keys of every length, up to lengths that share their bits with smaller ones.
    static let keys = (1...70).flatMap { length in
        [String(repeating: "a", count: length), String(repeating: "a", count: length - 1) + "b"]
    }

    private func values(of paths: [JSONPath], in text: String) throws -> [String?] {
        let bytes = Array(text.utf8)
        var result = JSONProjected()
        try JSONScanner.project(JSONProjection(paths), from: bytes, in: 0..<bytes.count, into: &result)
        return result.fields.map { JSONText.text(of: $0, in: bytes[...], collected: result.collected)?.description }
    }

    @Test func `Keys of all lengths are found`() throws {
        let text = "{" + Self.keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
        #expect(try values(of: Self.keys.map { JSONPath($0) }, in: text) == Self.keys.indices.map { "\($0)" })
        for (position, key) in Self.keys.enumerated() {
            let others = Self.keys.filter { $0 != key }
            let without = "{" + others.map { "\"\($0)\":true" }.joined(separator: ",") + "}"
            #expect(try values(of: [JSONPath(key)], in: without) == [nil], "key \(position)")
        }
    }

    @Test func `Paths with common prefixes are found, in any order`() throws {
        let text = #"{"a":{"b":{"c":1,"d":2},"c":3},"b":{"c":4},"":{"":5},"c":6}"#
        let paths: [JSONPath] = ["a.b.d", "c", "b.c", "a.c", "a.b", ".", "a.b.c", "b", "a.b.d", "d.a", "a.d"]
        let found = ["2", "6", "4", "3", #"{"c":1,"d":2}"#, "5", "1", #"{"c":4}"#, "2", nil, nil]
        #expect(try values(of: paths, in: text) == found)
        #expect(try values(of: paths.reversed(), in: text) == found.reversed())
    }

    @Test func `Keys that are written with escapes are found`() throws {
        let text = #"{"\u0049d":1,"N\u0061me":2,"I\"d":3}"#
        #expect(try values(of: ["Id", "Name", "I\"d", "Nome"], in: text) == ["1", "2", "3", nil])
    }
}
