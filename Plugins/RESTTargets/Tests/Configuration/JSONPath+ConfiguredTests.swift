// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import RESTTargets

@Suite struct JSONPathConfiguredTests {
    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a.b", ["a", "b"]), (#"@odata\.nextLink"#, ["@odata.nextLink"]),
        (#"a\.b.c\.d"#, ["a.b", "c.d"]), (#"a\b"#, [#"a\b"#]), (#"a\"#, [#"a\"#]), ("a..b", ["a", "", "b"]),
        (#"ü\.\u{301}"#, ["ü.\\u{301}"]),
    ])
    func `An escaped dot is part of a key`(text: String, keys: [String]) throws {
        let path = JSONPath(configured: text)
        #expect(path.keys == keys)
        #expect(path.description == keys.joined(separator: "."))
        // A path without such a dot is the usual one.
        if !keys.contains(where: { $0.contains(".") }) { #expect(path == JSONPath(text)) }
    }

    @Test func `A value is found by a key with a dot`() throws {
        let record = try JSONText(#"{"a": {"b": 1}, "a.b": 2, "x": {"y.z": [3]}}"#)
        #expect(record[JSONPath(configured: "a.b")] == 1)
        #expect(record[JSONPath(configured: #"a\.b"#)] == 2)
        #expect(record[JSONPath(configured: #"x.y\.z"#)] == [3])
    }
}
