// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupConformance
import SoupCore
import SoupKit
import Testing

/// Tests the runner with sets of the test.
@Suite struct ConformanceRunnerTests {
    /// Runs a set, and returns a line for each case: `id passed`, `id not run: reason`, or `id` with its mismatches.
    private func run(
        _ text: String, name: String = "folder/set.json", deviations: String = "{}",
        registry: PluginRegistry = .standard,
        backend: PluginName = "sqlite"
    ) async throws -> [String] {
        let runner = ConformanceRunner(
            registry: registry, backend: backend,
            deviations: try ConformanceDeviations(Array(deviations.utf8), file: "deviations.json"))
        let report = try await runner.run([ConformanceSet(Array(text.utf8), name: name)])
        #expect(report.passed + report.failed + report.notRun == report.results.count + report.problems.count)
        return report.problems.map { "unreadable \($0)" }
            + report.results.map { result in
                switch result.outcome {
                case .passed: "\(result.example.id) passed"
                case .notRun(let reason): "\(result.example.id) not run: \(reason)"
                case .failed(let mismatches):
                    "\(result.example.id) " + mismatches.map(\.description).joined(separator: "; ")
                }
            }
    }

    private let soup = #""soups": [{"name": "s", "indexes": [{"path": "a", "type": "string"}]}]"#

    @Test func `The result of each operation is compared`() async throws {
        let lines = try await run(
            """
            [{"id": "1", \(soup), "ops": [
                {"op": "upsert", "soup": "s", "entries": [{"a": 1}, {"a": 2}], "expect": {"ids": [1, 2.0]}},
                {"op": "count", "soup": "s", "spec": {"queryType": "range"}, "expect": {"count": 3}},
                {"op": "count", "soup": "s", "spec": {"queryType": "range"}, "expectIOS": {"count": 9},
                 "expectAndroid": {"count": 2}},
                {"op": "removeSoup", "soup": "s"},
                {"op": "clearSoup", "soup": "s"},
                {"op": "fly", "soup": "s", "expect": {"ok": true}}]},
             {"id": "2", "ops": [{"op": "soupExists", "soup": "s", "expect": {"exists": false}}]}]
            """)
        #expect(
            lines == [
                "1 operation 1 (count): expected {\"count\":3}, got {\"count\":2}; "
                    + "operation 4 (clearSoup): expected no error, got {\"error\":\"soupNotFound\"}; "
                    + "operation 5 (fly): expected {\"ok\":true}, got {\"error\":\"unknown operation fly\"}",
                "2 passed",
            ])
    }

    @Test func `Deviations replace expectations`() async throws {
        let set = """
            [{"id": "1", \(soup), "ops": [
                {"op": "count", "soup": "s", "spec": {"queryType": "range"}, "expect": {"count": 7}},
                {"op": "soupExists", "soup": "s", "expect": {"exists": true}}]},
             {"id": "2", "op": "hasOrderBy", "soql": "select Id from A", "expect": true}]
            """
        func deviation(_ id: String, _ expect: String) -> String {
            "\"\(id)\": {\"expect\": \(expect), \"rule\": \"r\", \"reason\": \"x\"}"
        }
        let holding = "{\(deviation("1/0", "{\"count\": 0}")), \(deviation("2", "false"))}"
        #expect(try await run(set, deviations: holding) == ["1 passed", "2 passed"])
        let broken = "{\(deviation("1/1", "{\"exists\": false}")), \(deviation("2", "null"))}"
        #expect(
            try await run(set, deviations: broken) == [
                "1 operation 0 (count): expected {\"count\":7}, got {\"count\":0}; "
                    + "operation 1 (soupExists): expected {\"exists\":false} (a deviation), got {\"exists\":true}",
                "2 expected null (a deviation), got false",
            ])
        let vague = try await run(set, deviations: "{\(deviation("1", "{\"count\": 0}"))}")
        #expect(vague.first?.contains("names none of them") == true, "\(vague)")
    }

    @Test(arguments: [
        ("[]", "deviations.json: deviations must be an object with one member for each case"),
        ("{\n \"C1\":", "deviations.json:2:7: not JSON: the text ends in the middle of a value"),
        (
            #"{"C1": {"expect": 1, "rule": "r"}}"#,
            "deviations.json: C1.reason: a deviation must have a string \"reason\""
        ),
        (
            #"{"C1": {"rule": "r", "reason": "x"}}"#,
            "deviations.json: C1.expect: a deviation must have an expectation. "
                + "Write {\"expect\": …, \"rule\": \"…\", \"reason\": \"…\"}."
        ),
    ])
    func `An invalid list of deviations is refused`(text: String, expected: String) {
        #expect {
            try ConformanceDeviations(Array(text.utf8), file: "deviations.json")
        } throws: {
            "\($0)" == expected
        }
    }

    @Test func `Invalid cases are reported and the others are run`() async throws {
        #expect(try await run("[\n{,]") == ["unreadable folder/set.json:2:2: not JSON: unexpected character"])
        #expect(try await run("5") == ["unreadable folder/set.json:1:1: a set must be an array of cases"])
        #expect(
            try await run(
                """
                [{"id": "1", "ops": []},
                 {"ops": []}, {"id": "3", "ops": 5},
                 {"id": "4", "ops": [{}]}, {"id": "5", "soups": [{}], "ops": []}]
                """) == [
                    "unreadable folder/set.json:2:2: [1].id: a case must have a string \"id\"",
                    "unreadable folder/set.json:2:15: [2].ops: expected an array of operations",
                    "unreadable folder/set.json:3:2: [3].ops[0]: an operation must be an object with a string \"op\"",
                    "unreadable folder/set.json:3:28: [4].soups[0]: a soup must be an object with \"name\" and \"indexes\"",
                    "1 passed",
                ])
        #expect(
            try await run(
                "{\"id\": \"1\", \"op\": \"hasOrderBy\", \"soql\": \"select Id from A\", \"expect\": false}\n\n[1]\n{\"id\"",
                name: "lines.jsonl") == [
                    "unreadable lines.jsonl:3: a case must be an object",
                    "unreadable lines.jsonl:4:6: not JSON: the text ends in the middle of a value", "1 passed",
                ])
    }

    @Test func `A case with an invalid query fails`() async throws {
        let lines = try await run(
            """
            [{"id": "1", "op": "mutate", "soql": "select", "steps": [], "expect": "select"},
             {"id": "2", "op": "mutate", "soql": "select Id from A", "steps": ["fly"], "expect": "x"},
             {"id": "3", "op": "SOQL build", "given": {"from": "A"}, "expect": {"iOS": null, "Android": "exception x"}},
             {"id": "4", "op": "construct", "target": {"type": "soql"}, "expect": {"query": "x"}},
             {"id": "5", "op": "SOQL build", "given": {"from": "A"}, "expect": null},
             {"id": "6", "op": "SOQL build", "given": {"fields": "Id", "from": "A"}, "expect": "exception x"},
             {"id": "7", "op": "SOSL build", "given": {}, "expect": null}]
            """)
        #expect(lines[0].contains("\"error\":\"soql\""), "\(lines)")
        #expect(lines[1].contains("unknown step fly"), "\(lines)")
        #expect(lines[2] == "3 passed")
        #expect(lines[3].contains("\"error\":\"badConfiguration\""), "\(lines)")
        // Null means that there is no result, which an error does not match.
        #expect(lines[4].hasPrefix("5 expected null, got {\"error\":"), "\(lines)")
        #expect(lines[5] == "6 expected \"exception x\", got \"select Id from A\"")
        #expect(lines[6] == "7 passed")
    }

    @Test func `A case can refer to the target of another case`() async throws {
        let target = """
            {"type": "parent_children", "relationshipType": "LOOKUP", "parentSoqlFilter": "School = 'MIT'",
             "parent": {"sobjectType": "Parent", "soupName": "parentsSoup", "idFieldName": "ParentId",
                        "modificationDateFieldName": "ParentModifiedDate"},
             "parentFieldlist": ["ParentName", "Title"],
             "children": {"sobjectType": "Child", "sobjectTypePlural": "Children", "soupName": "childrenSoup",
                          "parentIdFieldName": "ParentId", "idFieldName": "ChildId",
                          "modificationDateFieldName": "ChildLastModifiedDate"},
             "childrenFieldlist": ["ChildName", "School"]}
            """
        let all = "select ChildName, School, ChildId, ChildLastModifiedDate from Children"
        let set = """
            [{"id": "Q22", "op": "query", "target": \(target), "expect": "select ParentName, Title, ParentId, \
            ParentModifiedDate, (\(all)) from Parent where School = 'MIT' order by ParentModifiedDate"},
             {"id": "Q23", "op": "resync query", "target": "Q22", "expect": "select ParentName, Title, ParentId, \
            ParentModifiedDate, (\(all) where ChildLastModifiedDate > D) from Parent where ParentModifiedDate > D \
            and School = 'MIT' order by ParentModifiedDate"},
             {"id": "Q99", "op": "resync query", "target": "Q98", "expect": ""}]
            """
        let runner = ConformanceRunner(registry: .standard)
        let report = try await runner.run([ConformanceSet(Array(set.utf8), name: "set.json")])
        #expect([report.passed, report.failed, report.notRun] == [2, 0, 1])
        #expect(try await run(set).contains { $0.hasPrefix("Q23 expected") })
    }

    @Test func `Unknown kinds of cases are not run`() async throws {
        let lines = try await run(
            """
            [{"id": "1", "req": {"method": "GET"}, "exp": {"status": 200}},
             {"id": "2", "given": {}, "when": ["a text"], "expect": {"a": "b"}},
             {"id": "3", "op": "construct", "target": {"type": "no_such"}, "expect": {"query": "x"}}]
            """)
        #expect(
            lines == [
                "1 not run: requests to a local org: no org is given",
                "2 not run: a description: covered by hand-written tests",
                "3 not run: no sync-down target \"no_such\" is registered",
            ])
    }

    @Test func `An unknown backend is an error`() async throws {
        await #expect(throws: SoupError.self) { try await run("[]", backend: "no-such") }
    }
}
