// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

@testable import SoupCommands

@Suite struct ExpectedValueTests {
    private static let names = TestNames(["ana": "003A"])

    @Test(arguments: [
        ("1", "1.0", true), ("1", #""1""#, false), ("null", "null", true), ("false", "null", false),
        (#""$any""#, "0", true), (#""$any""#, "null", false), (#""$absent""#, "null", false),
        (#""$$any""#, #""$any""#, true), (#""@ana""#, #""003A""#, true), (#""@@ana""#, #""@ana""#, true),
        (#"{"a": {"b": 1}}"#, #"{"a": {"b": 1, "c": 2}, "d": 3}"#, true),
        (#"{"a": "$absent"}"#, #"{"b": 1}"#, true), (#"{"a": null}"#, #"{"b": 1}"#, false),
        (#"[1, {"a": "$any"}]"#, #"[1, {"a": 2, "b": 3}]"#, true), ("[1]", "[1, 2]", false), ("[]", "{}", false),
    ])
    func `A value matches the values that its text describes`(expected: String, found: String, isMatch: Bool) throws {
        let value = ExpectedValue(try JSONValue(parsing: expected), names: Self.names)
        #expect(value.matches(try JSONValue(parsing: found)) == isMatch)
    }

    @Test func `Only absent matches a missing field`() {
        func matches(_ json: JSONValue) -> Bool { ExpectedValue(json, names: Self.names).matches(nil) }
        #expect(matches("$absent"))
        #expect(!matches("$any") && !matches(nil) && !matches(""))
    }

    @Test func `Differences of objects are those of their members`() throws {
        let expected = ExpectedValue(["a": 1, "b": ["c": "$any", "d": "x"], "e": [1]], names: Self.names)
        let found: JSONValue = ["a": 1, "b": ["c": nil], "e": [1, 2]]
        #expect(
            expected.differences(from: found, at: ["field"], names: Self.names) == [
                .init(path: ["field", "b", "c"], expected: "any value", found: "null"),
                .init(path: ["field", "b", "d"], expected: #""x""#, found: "no such field"),
                .init(path: ["field", "e"], expected: "[1]", found: "[1,2]"),
            ])
    }

    /// The differences are empty exactly if the value matches.
    @Test func `A value without differences matches`() throws {
        let values: [JSONValue] = [
            nil, 1, 1.0, true, "", "$any", "$absent", "$$any", "@ana", "003A", [], [1], ["$any"], [:], ["a": 1],
            ["a": "$absent"], ["a": ["b": nil]], ["a": ["b": "$any"]], [["a": 1], 2],
        ]
        for expected in values {
            for found in values.map(Optional.some) + [nil] {
                let value = ExpectedValue(expected, names: Self.names)
                #expect(value.matches(found) == value.differences(from: found, at: ["f"], names: Self.names).isEmpty)
            }
        }
    }
}

#endif
