// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import Testing

/// Tests `soup conformance` with cases for stores.
@Suite struct ConformanceTests {
    private static let good = """
        [{"id": "G1", "title": "an unknown soup does not exist", "ops": [
            {"op": "soupExists", "soup": "s", "expect": {"exists": false}}]}]
        """
    private static let bad = """
        [{"id": "B1", "title": "a wrong expectation", "ops": [
            {"op": "soupExists", "soup": "s", "expect": {"exists": true}}]},
         {"id": "B2", "when": ["a text"]}]
        """

    @Test func `The last line contains the sums`() async throws {
        let folder = try WorkFolder(["a.json": Self.good, "b.json": Self.bad, "deviations.json": "{}", "c.txt": "x"])
        let result = try await SoupTool.run("conformance", folder.path)
        #expect(result.status == 1)
        #expect(
            result.output == [
                "a.json: 1 passed, 0 failed", "b.json: 0 passed, 1 failed, 1 not run",
                "  FAILED B1 a wrong expectation",
                "    operation 0 (soupExists): expected {\"exists\":true}, got {\"exists\":false}",
                "not run: 1 (a description: covered by hand-written tests)", "1 passed, 1 failed",
            ])
        let single = try await SoupTool.run("conformance", "\(folder.path)/a.json")
        #expect(single.status == 0)
        #expect(single.output == ["a.json: 1 passed, 0 failed", "1 passed, 0 failed"])
    }

    @Test func `A file configures the backend`() async throws {
        let folder = try WorkFolder([
            "a.json": Self.good, "metered.json": #"{"type": "metered", "store": {"type": "memory"}}"#,
            "routed.json": #"{"type": "routed"}"#, "none.json": "{}", "text.json": "metered",
        ])
        let result = try await SoupTool.run(
            "conformance", "\(folder.path)/a.json", "--backend", "\(folder.path)/metered.json")
        #expect(result.status == 0)
        #expect(result.output.last == "1 passed, 0 failed")
        for (file, message) in [
            ("routed", "\"default\" is missing"), ("none", "none.json has no \"type\""),
            ("text", "text.json is not JSON: "), ("missing", "missing.json cannot be read"),
        ] {
            let result = try await SoupTool.run(
                "conformance", "\(folder.path)/a.json", "--backend", "\(folder.path)/\(file).json")
            #expect(result.status == 1, "\(file)")
            #expect((result.output + result.errors).joined(separator: "\n").contains(message), "\(result)")
        }
    }

    @Test func `JSON output has a line for each case`() async throws {
        let folder = try WorkFolder(["a.json": Self.good, "b.json": Self.bad])
        let result = try await SoupTool.run("--json", "conformance", folder.path)
        #expect(result.status == 1)
        #expect(
            try result.json == [
                ["set": "a.json", "case": "G1", "outcome": "passed"],
                [
                    "set": "b.json", "case": "B1", "outcome": "failed",
                    "mismatches": [
                        ["expected": [["exists": true]], "found": ["exists": false], "operation": 0]
                    ],
                ],
                [
                    "set": "b.json", "case": "B2", "outcome": "notRun",
                    "reason": "a description: covered by hand-written tests",
                ],
                ["passed": 1, "failed": 1, "notRun": 1],
            ])
    }

    @Test func `A deviation replaces the expectation of a case`() async throws {
        let folder = try WorkFolder(["b.json": Self.bad])
        func deviation(_ exists: Bool) -> String {
            "{\"B1/0\": {\"expect\": {\"exists\": \(exists)}, \"rule\": \"r\", \"reason\": \"x\"}}"
        }
        try folder.write(deviation(false), to: "ours.json")
        let ours = ["conformance", "\(folder.path)/b.json", "--deviations", "\(folder.path)/ours.json"]
        let holds = try await SoupTool.run(ours)
        #expect(holds.status == 0)
        #expect(holds.output.last == "1 passed, 0 failed")
        try folder.write(deviation(true), to: "ours.json")
        let fails = try await SoupTool.run(ours)
        #expect(fails.status == 1)
        #expect(fails.output.last == "0 passed, 1 failed")
        try folder.write("{\"B1\": 5}", to: "ours.json")
        let unreadable = try await SoupTool.run(ours)
        #expect(unreadable.status == 1)
        #expect(unreadable.errors.first?.contains("ours.json") == true, "\(unreadable.errors)")
    }

    @Test func `A malformed set fails with its place`() async throws {
        let folder = try WorkFolder(["a.json": Self.good, "b.json": "[\n  {\"id\": }\n]"])
        let result = try await SoupTool.run("conformance", folder.path)
        #expect(result.status == 1)
        #expect(
            result.output == [
                "a.json: 1 passed, 0 failed", "b.json: 0 passed, 1 failed",
                "  unreadable: b.json:2:10: not JSON: unexpected character", "1 passed, 1 failed",
            ])
    }

    @Test func `A missing set, path or backend is reported`() async throws {
        let folder = try WorkFolder()
        let empty = try await SoupTool.run("conformance", folder.path, "--json")
        #expect(empty.status == 1)
        #expect(try empty.jsonErrors.first?["message"]?.stringValue?.contains("no set of cases") == true)
        let missing = try await SoupTool.run("conformance", "\(folder.path)/none", "--json")
        #expect(missing.status == 1)
        try folder.write(Self.good, to: "a.json")
        let backend = try await SoupTool.run("conformance", folder.path, "--backend", "papyrus", "--json")
        #expect(backend.status == 1)
        #expect(try backend.jsonErrors.first?["hint"]?.stringValue?.contains("Known: ") == true)
        #expect(try await SoupTool.run("conformance").status == 2)
        let help = try await SoupTool.run("help", "conformance")
        #expect(help.output.joined(separator: "\n").contains("--deviations <file>"))
    }
}

#endif
