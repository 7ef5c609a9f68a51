// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

extension RandomOperations {
    static let scalars = [
        "null", "true", "false", "0", "1", "2", "3", "42", "-1", "9007199254740993", "-9223372036854775808",
        "9223372036854775807", "12345678901234567890123", "3.7", "-0.5", "1e21", "1E2", "5.0", "0.1", "1e-7", "-0.0",
        "123456789.12345679", "\"abc\"", "\"ABC\"", "\"abd\"", "\"42\"", "\"3.7\"", "\" 42 \"", "\"+1\"", "\"1.\"",
        "\"\"",
        "\"1e2\"", "\"é\"", "\"e\u{301}\"", "\"\\u00e9\"", "\"😀\"", "\"a%b\"", "\"a_b\"", "\"true\"", "\"1\"",
        "\"a\\n\\\"b\"",
        "\"9007199254740993\"", "\"-\"", "\"0x1\"", "\"z\"", "1e999", "-1e999",
        "1.7976931348623157e308", "5e-324", "0.1234567890123455", "\"1e999\"", "\"\\ud83d\\ude00\"",
        "9007199254740993.0", "9223372036854775808", "-9223372036854775809", "\"9223372036854775808\"",
        "100000000000000", "123456789012345.6", "999999999999999.9", "0.00001",
    ]

    static let containers = [
        "[]", "[1, 2]", "[ \"x\",[1.50] ]", "[{\"b\":1},{\"b\":null},{}]", "[{\"b\":\"abc\"}]", "{\"b\":{\"c\":1}}",
        "{}",
        "{ \"b\" : [1] }", "[[{\"b\":2}],{\"b\":\"\\u00e9\"}]", "{\"c\":1}", "[\"\\u00e9\\/\"]",
    ]

    static let patterns = ["%", "", "abc", "a%", "%B", "a_b", "_", "%2%", "3._", "%é", "1%", "%\"b\"%", "tru_", "[%"]

    mutating func scalar() -> String { pick(Self.scalars) }

    mutating func value() -> String { chance(5) ? pick(Self.containers) : scalar() }

    mutating func key() -> JSONValue { (try? JSONValue(parsing: value())) ?? .null }

    mutating func id() -> Int64 { Int64.random(in: 0...12, using: &random) }

    mutating func version() -> Int64? { chance(2) ? nil : Int64.random(in: 995...1030, using: &random) }

    /// Returns a record with unusual but valid JSON, or sometimes a text that is not an object.
    mutating func record() -> String {
        if chance(60) { return pick(["[]", "1", "{", "{\"k\":1}}", "", "{\"k\":\"\u{1}\"}"]) }
        var members: [(String, String)] = []
        if !chance(12) {
            members.append(("k", chance(4) ? value() : pick(["1", "\"1\"", "\"b\"", "\"c\"", "2", "3.0"])))
        }
        if chance(2) { members.append(("n", value())) }
        if chance(2) { members.append(("a", chance(2) ? "{\"b\": \(value())}" : value())) }
        if chance(2) { members.append(("x", value())) }
        if chance(3) { members.append((pick(EntryFlag.names), chance(3) ? scalar() : pick(["true", "false"]))) }
        if chance(3) {
            members.append(("__local__", pick(["true", "true", "false", "1", "\"1\"", "null", "0", "\"x\""])))
        }
        if chance(4) { members.append(("__sync_id__", pick(["1", "2", "\"1\"", "1.0"]))) }
        if chance(3) { members.append(("_soupEntryId", chance(12) ? scalar() : "\(id())")) }
        if chance(5) { members.append(("_soupLastModifiedDate", "5")) }
        if chance(6) { members.append((pick(["k", "n", "__local__"]), value())) }
        // SQLite's json_extract compares keys as they are written, so "e" is never a json1 path.
        if chance(4) { members.append((pick(["e", "\\u0065"]), value())) }
        let space = pick(["", "", " ", "\n  "])
        let text = members.shuffled(using: &random).map { "\(space)\"\($0)\":\(space)\($1)\(space)" }.joined(
            separator: ",")
        return "\(space){\(text)}\(space)"
    }

    mutating func stamp() -> RecordBatch.Stamp {
        RecordBatch.Stamp(
            several(0...3) { random in
                let name = random.pick(
                    ["k", "n", "a", "x", "__local__", "__locally_deleted__", "__sync_id__", "_soupEntryId"])
                let value = random.chance(6) ? nil : try? JSONText(random.value())
                return RecordBatch.Stamp.Member(random.chance(80) ? "a.b" : name, value)
            })
    }
}

/// The local flags.
enum EntryFlag {
    static let names = EntryField.localFlags
}
