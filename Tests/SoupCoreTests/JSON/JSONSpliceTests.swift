// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// Members are added and removed; the rest of the text stays unchanged.
@Suite struct JSONSpliceTests {
    static func splice(_ text: String, without names: [JSONPath], adding: [(String, JSONText)] = []) throws -> String {
        let json = try JSONText(text)
        var result = JSONProjected()
        try JSONScanner.project(JSONProjection(names), from: json.bytes.span, in: 0..<json.bytes.count, into: &result)
        let removed = result.fields.filter { !$0.isMissing }.map { $0.memberStart..<$0.end }
        var output: [UInt8] = []
        JSONSplice.append(json.bytes, removing: removed, adding: adding, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        arguments: [
            (#"{"a":1,"b":2,"c":3}"#, ["a"], #"{"b":2,"c":3}"#), (#"{"a":1,"b":2,"c":3}"#, ["b"], #"{"a":1,"c":3}"#),
            (#"{"a":1,"b":2,"c":3}"#, ["c"], #"{"a":1,"b":2}"#), (#"{"a":1,"b":2,"c":3}"#, ["c", "a"], #"{"b":2}"#),
            (#"{"a":1,"b":2,"c":3}"#, ["b", "c"], #"{"a":1}"#), (#"{"a":1}"#, ["a"], "{}"),
            (#"{"a":1,"b":2}"#, ["a", "b"], "{}"),
            (#"{ "a" : 1 , "b" : [ 2 ] }"#, ["a"], #"{ "b" : [ 2 ] }"#),
            (#"{ "a" : 1 , "b" : [ 2 ] }"#, ["b"], #"{ "a" : 1 }"#),
            ("{}", [], "{}"),
        ] as [(String, [JSONPath], String)])
    func `Members are removed`(text: String, names: [JSONPath], expected: String) throws {
        #expect(try Self.splice(text, without: names) == expected)
    }

    @Test func `Members are added at the end`() throws {
        #expect(try Self.splice("{}", without: [], adding: [("x", .true)]) == #"{"x":true}"#)
        #expect(try Self.splice("{ }", without: [], adding: [("x", .null)]) == #"{ "x":null}"#)
        #expect(
            try Self.splice(#"{"a":1}"#, without: ["a"], adding: [("a", .integer(2)), ("q\"", .string("v"))])
                == #"{"a":2,"q\"":"v"}"#)
    }

    @Test func `Random removals and additions agree with the tree`() throws {
        var generator = JSONGenerator(seed: 6)
        let names: [JSONPath] = ["a", "b", "Id", "ключ"]
        for _ in 0..<5_000 {
            let text = generator.object(depth: 3)
            let removed = names.shuffled(using: &generator.random).prefix(2)
            var tree = try JSONValue(parsing: text)
            for name in removed { tree[name.rawValue] = nil }
            tree["added"] = 1
            let spliced = try Self.splice(text, without: Array(removed), adding: [("added", .integer(1))])
            #expect(try JSONValue(parsing: spliced) == tree, "\(text) without \(removed)")
        }
    }
}
