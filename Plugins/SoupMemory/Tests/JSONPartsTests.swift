// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupMemory

/// Records with the greatest depth, on a stack of 256 KiB.
@Suite struct JSONPartsTests {
    @Test func `Deep arrays on a path fit a small stack`() async throws {
        try await SmallStack.run {
            let inner = String(repeating: "[", count: 510) + #"{"b": 1}"# + String(repeating: "]", count: 510)
            let found = JSONParts.value(at: ["a", "b"], in: Array(#"{"a": \#(inner)}"#.utf8)[...])
            let expected = String(repeating: "[", count: 510) + "1" + String(repeating: "]", count: 510)
            #expect(found.map { String(decoding: $0, as: UTF8.self) } == expected)
        }
    }

    @Test func `Paths keep the nesting and omit missing values`() {
        func value(_ path: [String], _ json: String) -> String? {
            JSONParts.value(at: path[...], in: Array(json.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(value(["a"], #"{"a": [1, 2]}"#) == "[1, 2]")
        #expect(value(["a", "b"], #"{"a": [{"b": 1}, {"c": 2}, [{"b": [3]}], 4]}"#) == "[1,[[3]]]")
        #expect(value(["a", "b"], #"{"a": [[], [{}], 1]}"#) == nil)
        #expect(value(["a", "b"], #"{"a": 1}"#) == nil)
        #expect(value(["a", "b", "c"], #"{"a": {"b": [{"c": {"d": 1}}]}}"#) == #"[{"d": 1}]"#)
        #expect(value([], "7") == "7")
    }

    @Test(arguments: [true, false]) func `Deep arrays are compacted on a small stack`(_ plain: Bool) async throws {
        try await SmallStack.run {
            let text = String(repeating: "[ ", count: 512) + String(repeating: " ]", count: 512)
            let compact = JSONParts.compact(Array(text.utf8)[...], plain: plain)
            #expect(String(decoding: compact, as: UTF8.self) == text.filter { $0 != " " })
        }
    }
}
