// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import SoupKit
import Testing

@testable import SoupCommands

@Suite struct TestCaseReadingTests {
    private static let configuration = {
        var configuration = TestedConfiguration()
        configuration.soups = ["contacts": RecordConventions(), "notes": RecordConventions(idField: "key")]
        configuration.syncs["down"] = SyncDefinition(
            name: "down", type: .syncDown, soup: "contacts", target: TargetReference(["type": "soql"]))
        return configuration
    }()

    private static func read(_ text: String) -> (test: TestCase?, problems: [ConfigurationProblem]) {
        TestCase.read(Array(text.utf8), file: "tests/a.test.json", testing: configuration)
    }

    static let story = #"""
        {
          "_comment": "ignored",
          "name": "a story",
          "org": {"seed": "tiny", "rows": {"Contact": [{"Id": "@ana", "LastName": "Ng"}, {"LastName": "Bo"}]}},
          "steps": [
            {"sync": "down", "saved": 2, "failed": 1},
            {"cleanGhosts": "down", "removed": 0, "error": "tooManyGhosts"},
            {"create": "notes", "fields": {"key": "@note", "text": "x"}},
            {"edit": "contacts", "where": {"Id": "@ana"}, "fields": {"Phone": null}},
            {"delete": "contacts", "where": {"LastName": "Bo"}},
            {"org": {"create": {"Contact": [{"Id": "@eve", "LastName": "Lund"}]},
                     "update": {"Contact": [{"Id": "@eve", "Phone": "1"}]}, "delete": {"Contact": ["@eve"]}}},
            {"expect": {"store": {"notes": []}}}
          ],
          "expect": {"store": {"contacts": [{"Id": "$any", "__local__": false}]}, "org": {"Contact": [{}]}}
        }
        """#

    @Test func `A test contains its rows, steps and expectations`() throws {
        let (read, problems) = Self.read(Self.story)
        #expect(problems.isEmpty)
        let test = try #require(read)
        #expect(test.name == "a story")
        #expect(
            test.rows.map { "\($0.path.text): \($0.object) \($0.name ?? "-") \(JSONValue.object($0.fields))" } == [
                #"org.rows.Contact[0]: Contact ana {"LastName":"Ng"}"#,
                #"org.rows.Contact[1]: Contact - {"LastName":"Bo"}"#,
            ])
        #expect(
            test.steps.map(Self.description) == [
                "1 sync down saved=2 failed=1 -",
                "2 cleanGhosts down removed=0 tooManyGhosts",
                #"3 create notes note {"text":"x"}"#,
                #"4 edit contacts {"Id":"@ana"} {"Phone":null}"#,
                #"5 delete contacts {"LastName":"Bo"}"#,
                #"6 org create Contact @eve {"LastName":"Lund"}, update Contact @eve {"Phone":"1"}, delete Contact @eve {}"#,
                "7 expect notes: ",
                #"end expect contacts: {"Id":"$any","__local__":false}; Contact: {}"#,
            ])
        #expect(test.place(of: test.steps[3].path).description == "tests/a.test.json:9:5: steps[3]")
    }

    private static func description(_ step: TestStep) -> String {
        func run(_ name: String, _ expected: RunExpectation) -> String {
            let counts = expected.counts.map { "\($0.key)=\($0.count)" }.joined(separator: " ")
            return "\(name) \(counts) \(expected.error ?? "-")"
        }
        func json(_ fields: JSONObject) -> String { JSONValue.object(fields).description }
        let text =
            switch step.action {
            case .sync(let name, let expected): "sync " + run(name, expected)
            case .cleanGhosts(let name, let expected): "cleanGhosts " + run(name, expected)
            case .create(let soup, let name, let fields): "create \(soup) \(name ?? "-") \(json(fields))"
            case .edit(let soup, let row, let fields): "edit \(soup) \(json(row.fields)) \(json(fields))"
            case .delete(let soup, let row): "delete \(soup) \(json(row.fields))"
            case .org(let changes):
                "org "
                    + changes.map { "\($0.kind) \($0.object) \($0.id ?? "-") \(json($0.fields))" }
                    .joined(separator: ", ")
            case .expect(let expected):
                "expect "
                    + expected.map { rows in
                        let name =
                            switch rows.source {
                            case .soup(let soup): soup.rawValue
                            case .object(let object): object
                            }
                        return "\(name): \(rows.rows.map { json($0.fields) }.joined(separator: ", "))"
                    }.joined(separator: "; ")
            }
        return "\(step.number.map(String.init) ?? "end") \(text)"
    }

    @Test func `A test without a name has that of its file`() {
        #expect(Self.read(#"{"steps": [{"sync": "down"}]}"#).test?.name == "a")
    }

    /// One fault each, with the expected problem.
    @Test(arguments: [
        ("", "tests/a.test.json:1:1: the file is empty"),
        ("[]", "expected an object, found an array"),
        ("{}", "the test expects nothing"),
        (#"{"steps": [{"create": "notes", "fields": {}}]}"#, "the test expects nothing"),
        (
            #"{"step": [{"sync": "down"}]}"#,
            #"step: the key "step" is not known. Known: name, org, steps, expect. Did you mean "steps"?"#
        ),
        (#"{"name": 5}"#, "name: expected a string, found the number 5"),
        (#"{"name": ""}"#, "name: expected a string, found an empty string"),
        (
            #"{"org": {"sede": "tiny"}}"#,
            #"org.sede: the key "sede" is not known. Known: seed, rows. Did you mean "seed"?"#
        ),
        (#"{"org": {"seed": 5}}"#, "org.seed: expected a seed, found the number 5"),
        (#"{"org": {"rows": []}}"#, "org.rows: expected an object, found an array"),
        (#"{"org": {"rows": {"Contact": {}}}}"#, "org.rows.Contact: expected an array, found an object"),
        (#"{"org": {"rows": {"Contact": [5]}}}"#, "org.rows.Contact[0]: expected an object, found the number 5"),
        (
            #"{"org": {"rows": {"Contact": [{"Id": "003000000000001AAA"}]}}}"#,
            "org.rows.Contact[0].Id: a new record gets its ID from the org or from the store"
        ),
        (#"{"steps": [{"org": {}}]}"#, "steps[0].org: the step changes nothing. Add"),
        (
            #"{"steps": [{"org": {"create": {"Contact": []}}}]}"#,
            #"steps[0].org.create.Contact: the list is empty. Add records, or remove "Contact"."#
        ),
        (#"{"steps": {}}"#, "steps: expected an array, found an object"),
        (#"{"steps": [5]}"#, "steps[0]: expected an object, found the number 5"),
        (#"{"steps": [{"snyc": "down"}]}"#, #"steps[0]: the step names no action. Did you mean "sync"?"#),
        (
            #"{"steps": [{"sync": "down", "create": "notes"}]}"#,
            #"steps[0]: the step names several actions: "sync" and "create""#
        ),
        (
            #"{"steps": [{"sync": "dwn"}]}"#,
            #"steps[0].sync: the configuration has no sync named "dwn". Known: down. Did you mean "down"?"#
        ),
        (#"{"steps": [{"sync": 5}]}"#, "steps[0].sync: expected a string, found the number 5"),
        (#"{"steps": [{"sync": "down", "savd": 1}]}"#, #"steps[0].savd: the key "savd" is not known"#),
        (#"{"steps": [{"sync": "down", "saved": -1}]}"#, "steps[0].saved: expected a number of records, found -1"),
        (#"{"steps": [{"sync": "down", "saved": "1"}]}"#, #"steps[0].saved: expected a number of records, found "1""#),
        (
            #"{"steps": [{"cleanGhosts": "down", "saved": 1}]}"#,
            #"steps[0].saved: the key "saved" is not known. Known: cleanGhosts, removed, error."#
        ),
        (
            #"{"steps": [{"create": "note", "fields": {}}]}"#,
            #"steps[0].create: the configuration has no soup named "note". Known: contacts, notes. Did you mean "notes"?"#
        ),
        (#"{"steps": [{"create": "notes"}]}"#, #"steps[0]: "fields" is missing"#),
        (#"{"steps": [{"create": "notes", "fields": {"key": 5}}]}"#, "steps[0].fields.key: a new record gets its ID"),
        (#"{"steps": [{"edit": "notes", "fields": {}}]}"#, #"steps[0]: "where" is missing"#),
        (
            #"{"steps": [{"delete": "notes", "where": {"a": "$anny"}}]}"#,
            ##"steps[0].where.a: no placeholder "$anny". Known: $any, $absent. Did you mean "$any"? Write "$$anny" for the text itself."##
        ),
        (
            #"{"steps": [{"org": {"edit": {}}}]}"#,
            #"steps[0].org.edit: the key "edit" is not known. Known: create, update, delete."#
        ),
        (
            #"{"steps": [{"org": {"update": {"Contact": [{"Phone": "1"}]}}}]}"#,
            #"steps[0].org.update.Contact[0]: "Id" is missing"#
        ),
        (
            #"{"steps": [{"org": {"delete": {"Contact": [{}]}}}]}"#,
            "steps[0].org.delete.Contact[0]: expected the ID of a record, found an object"
        ),
        (#"{"expect": {}}"#, "expect: the expectation is empty"),
        (#"{"expect": {"store": {}, "org": {}}}"#, "expect: the expectation is empty"),
        (
            #"{"expect": {"stor": {}}}"#,
            #"expect.stor: the key "stor" is not known. Known: store, org. Did you mean "store"?"#
        ),
        (
            #"{"expect": {"store": {"contact": []}}}"#,
            #"expect.store.contact: the configuration has no soup named "contact""#
        ),
        (#"{"expect": {"store": {"notes": [[]]}}}"#, "expect.store.notes[0]: expected an object, found an array"),
        (#"{"expect": {"org": {"Contact": [{"a": {"b": ["$no"]}}]}}}"#, "expect.org.Contact[0].a.b[0]: no placeholder"),
        (
            #"{"expect": {"org": {"Contact": [{"a": 1, "a": 2}]}}}"#,
            "the key occurs twice in its object with different values"
        ),
    ])
    func `A fault is reported with its place`(text: String, expected: String) throws {
        let problems = Self.read(text).problems
        let first = try #require(problems.first)
        #expect(first.description.contains(expected), "\(problems)")
        #expect(first.place.file == "tests/a.test.json" && first.place.line == 1)
        #expect(first.severity == .error && first.hint != nil)
    }

    @Test func `All faults are reported`() {
        let problems = Self.read(#"{"name": 1, "steps": [{"sync": "x"}, {"edit": "y"}], "expect": {"org": 5}}"#)
            .problems
        #expect(
            problems.map { $0.place.path ?? "" } == [
                "name", "steps[0].sync", "steps[1]", "steps[1]", "steps[1].edit", "expect.org",
            ])
    }

    /// A text that is read without problems is a test; any other text has a problem with a line.
    @Test func `Damaged files are read or reported`() {
        var random = SystemRandomNumberGenerator()
        let story = Array(Self.story.utf8)
        let pieces = [
            "{}", "[]", "null", "5", "\"@\"", "\"@@\"", "\"$\"", "{\"expect\":", ",", "}", "\"Id\": ", "\"sync\"",
            "\"org\"", "\"",
        ].map { Array($0.utf8) }
        for _ in 0..<2_000 {
            var text = story
            for _ in 0..<Int.random(in: 1...4, using: &random) where !text.isEmpty {
                let start = Int.random(in: text.indices, using: &random)
                let end = min(text.count, start + Int.random(in: 0...12, using: &random))
                text.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
            }
            let (test, problems) = TestCase.read(text, file: "a.test.json", testing: Self.configuration)
            #expect(test != nil || !problems.isEmpty)
            #expect(problems.allSatisfy { $0.place.line != nil && $0.severity == .error })
            if let test, problems.isEmpty {
                let check = TestCheck(test, names: ["ana"], schema: ["Contact": ["LastName", "Phone"]])
                for problem in test.document.located(check.problems) { #expect(problem.place.line != nil) }
                #expect(!test.steps.isEmpty)
            }
        }
    }
}

#endif
