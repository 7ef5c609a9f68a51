// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupMemory
import SoupCore
import Testing

/// The values in the indexes, from the table of the specification (2.5) and the README of the `sqlite` backend.
@Suite struct StorageValueTests {
    @Test(arguments: [
        (#""abc""#, [#""abc""#, #""abc""#, #""abc""#, #""abc""#]), (#""42""#, [#""42""#, "42", "42.0", #""42""#]),
        (#""""#, [#""""#, #""""#, #""""#, #""""#]), ("42", [#""42""#, "42", "42.0", "42"]),
        ("3.7", [#""3.7""#, "3.7", "3.7", "3.7"]), ("1e21", [#""1.0e+21""#, "1e+21", "1e+21", "1e+21"]),
        ("1e-7", [#""1.0e-07""#, "1e-07", "1e-07", "1e-07"]), ("5.0", [#""5.0""#, "5", "5.0", "5.0"]),
        (
            "12345678901234567890123",
            [
                #""12345678901234567890123""#, "1.2345678901234568e+22", "1.2345678901234568e+22",
                "1.2345678901234568e+22",
            ]
        ),
        ("true", [#""true""#, "1", "1.0", "1"]), ("null", ["null", "null", "null", "null"]),
        (#"[ 1, "\u00e9" ]"#, [#""[1,\"é\"]""#, #""[1,\"é\"]""#, #""[1,\"é\"]""#, #""[1,\"\\u00e9\"]""#]),
    ])
    func `The kind of an index decides the stored value`(_ json: String, _ expected: [String]) async throws {
        let kinds: [IndexSpec.Kind] = [.string, .integer, .floating, .json1]
        let batch = RecordBatch([try JSONText(#"{"x": \#(json) }"#)])
        var found: [String] = []
        for kind in kinds {
            let store = MemoryStore()
            found += try await store.write { writer in
                try writer.registerSoup("s", [IndexSpec("x", kind)])
                _ = try writer.upsert(batch, into: "s")
                return try writer.query(.all("s", selecting: ["x"])).rows.map {
                    String($0.description.dropFirst().dropLast())
                }
            }
        }
        #expect(found == expected)
    }

    @Test func `Values are sorted as SQLite sorts them`() async throws {
        let store = MemoryStore()
        let values = [#""b""#, "2", "null", #""B""#, "1.5", "9007199254740993", "9007199254740992.0", #""é""#, #""""#]
        let batch = RecordBatch(try values.map { try JSONText(#"{"x":\#($0)}"#) })
        let order = try await store.write { writer in
            try writer.registerSoup("s", [IndexSpec("x", .json1)])
            _ = try writer.upsert(batch, into: "s")
            return try writer.query(.all("s", orderedBy: "x", selecting: ["x"])).rows.map(\.description)
        }
        #expect(
            order == [
                "[null]", "[1.5]", "[2]", "[9007199254740992.0]", "[9007199254740993]", #"[""]"#, #"["B"]"#, #"["b"]"#,
                #"["é"]"#,
            ])
    }
}
