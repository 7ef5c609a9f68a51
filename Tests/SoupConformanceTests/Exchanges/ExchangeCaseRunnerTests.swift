// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupConformance
import SoupLocalOrg
import SoupCore
import SoupKit
import Testing

/// Tests cases with requests: the comparison of responses, and the reasons why cases are not run.
@Suite struct ExchangeCaseRunnerTests {
    /// Runs cases, and returns a line for each.
    private func run(_ lines: String..., deviations: String = "{}") async throws -> [String] {
        var options = OrgOptions()
        options.admin = true
        let runner = ConformanceRunner(
            registry: .standard, deviations: try ConformanceDeviations(Array(deviations.utf8), file: "deviations.json"),
            org: OrgUnderTest(transport: try LocalOrg(seed: .tiny, options: options).transport))
        let set = ConformanceSet(Array(lines.joined(separator: "\n").utf8), name: "rest.jsonl")
        return try await runner.run([set]).results.map { result in
            switch result.outcome {
            case .passed: "\(result.example.id) passed"
            case .notRun(let reason): "\(result.example.id) not run: \(reason)"
            case .failed(let mismatches):
                "\(result.example.id) " + mismatches.map(\.description).joined(separator: "; ")
            }
        }
    }

    private let limits = #""req": {"method": "GET", "path": "{v}/limits"}"#

    @Test func `Each pattern can fail`() async throws {
        let contacts = #""req": {"method": "GET", "path": "{v}/query", "query": {"q": "select LastName from Contact"}}"#
        func expecting(_ json: String) async throws -> String {
            try await run(#"{"id": "1", \#(contacts), "exp": {"status": 200, "json": {\#(json)}}}"#)[0]
        }
        #expect(
            try await expecting(#""totalSize": 3, "done": "$any", "x": "$absent", "records": "$len:3""#) == "1 passed")
        #expect(try await expecting(#""totalSize": 4"#) == "1 json.totalSize: expected 4, got 3")
        #expect(try await expecting(#""x": "$any""#) == "1 json.x: expected \"$any\", got \"nothing\"")
        #expect(try await expecting(#""done": "$absent""#) == "1 json.done: expected \"$absent\", got true")
        #expect(try await expecting(#""records": "$len:2""#).hasPrefix("1 json.records: expected \"$len:2\""))
        #expect(try await expecting(#""done": "$re:^tru$""#) == "1 json.done: expected \"$re:^tru$\", got true")
        #expect(try await expecting(#""done": "$id:003""#).hasPrefix("1 json.done"))
        #expect(
            try await expecting(#""records": {"$contains": [{"LastName": "Ng"}, {"LastName": "X"}]}"#)
                .hasPrefix(#"1 json.records: expected {"$contains":[{"LastName":"X"}]}"#))
        #expect(
            try await expecting(#""records": [{}, {"LastName": null}, {}]"#)
                == "1 json.records[1].LastName: expected null, got \"Smith\"")
        let id =
            #"{"id": "1", "req": {"method": "GET", "path": "{v}/sobjects/Account/{acc1}"}, "exp": {"json": {"Id": "$id:003"}}}"#
        #expect(try await run(id)[0].hasPrefix("1 json.Id: expected \"$id:003\", got \"001"))
    }

    @Test func `A case with unknown or missing members is not run`() async throws {
        let lines = try await run(
            #"{"id": "1", "req": {"methd": "GET", "path": "{v}/limits"}, "exp": {"status": 404}}"#,
            #"{"id": "2", \#(limits), "exp": {"sttus": 404}}"#, #"{"id": "3", \#(limits), "exp": {}}"#,
            #"{"id": "4", \#(limits)}"#, #"{"id": "5", \#(limits), "exp": {"status": 200, "body": {"a": 1}}}"#,
            #"{"id": "6", "pre": [{"paht": "x"}], \#(limits), "exp": {"status": 200}}"#)
        #expect(
            lines == [
                "1 not run: req has the unknown member \"methd\": did you mean \"method\"?",
                "2 not run: exp has the unknown member \"sttus\": did you mean \"status\"?",
                "3 not run: exp has no expectations", "4 not run: exp has no expectations",
                "5 not run: exp has the unknown member \"body\": the known members are status, headers, json, text",
                "6 not run: pre[0] has the unknown member \"paht\": did you mean \"path\"?",
            ])
    }

    @Test func `Status, headers and text are compared`() async throws {
        let lines = try await run(
            #"{"id": "1", \#(limits), "exp": {"status": 201, "headers": {"X-None": "$absent", "Content-Type": "x"}}}"#,
            #"{"id": "2", \#(limits), "exp": {"status": 200, "text": ["$re:DailyApiRequests", "$re:nowhere"]}}"#)
        #expect(
            lines[0] == "1 status: expected 201, got 200; headers.Content-Type: expected \"x\", "
                + "got \"application/json;charset=UTF-8\"")
        #expect(lines[1].hasPrefix("2 text: expected \"$re:nowhere\", got \"{") && !lines[1].contains("$re:Daily"))
    }

    @Test func `A failing step ends the case`() async throws {
        let lines = try await run(
            #"{"id": "1", "pre": [{"method": "GET", "path": "{v}/none"}], \#(limits), "exp": {"status": 200}}"#,
            #"{"id": "2", "pre": [{"method": "GET", "path": "{v}/none"}], \#(limits), "exp": {"status": 200}, "note": "a 404"}"#,
            #"{"id": "3", "pre": [{"case": "9"}], \#(limits), "exp": {"status": 200}}"#,
            #"{"id": "4", "pre": [{"case": "4"}], \#(limits), "exp": {"status": 200}}"#,
            #"{"id": "5", "pre": [{"emu": "make it rain"}], \#(limits), "exp": {"status": 200}}"#,
            #"{"id": "6", "pre": [{"emu": "POST /_emu/nothing"}], \#(limits), "exp": {"status": 200}}"#)
        #expect(
            Array(lines.dropLast()) == [
                #"1 pre[0].status: expected "below 400", got 404"#, "2 passed",
                "3 not run: the set does not contain a case to which a step refers",
                "4 not run: cases refer to each other", "5 not run: unknown administration step: make it rain",
            ])
        #expect(lines.last?.contains("the org responds with 404 to POST /_emu/nothing") == true)
    }

    @Test func `A deviation replaces the expected response`() async throws {
        let set = #"{"id": "1", \#(limits), "exp": {"status": 500}}"#
        func deviation(_ status: Int) -> String {
            #"{"1": {"expect": {"status": \#(status)}, "rule": "r", "reason": "x"}}"#
        }
        #expect(try await run(set, deviations: deviation(200)) == ["1 passed"])
        #expect(try await run(set, deviations: deviation(201)) == ["1 status: expected 201 (a deviation), got 200"])
    }

    @Test func `An org without its administration API is reported`() async throws {
        let runner = ConformanceRunner(
            registry: .standard, org: OrgUnderTest(transport: try LocalOrg(seed: .tiny).transport))
        let set = ConformanceSet(Array(#"{"id": "1", \#(limits), "exp": {"status": 200}}"#.utf8), name: "rest.jsonl")
        guard case .failed(let mismatches)? = try await runner.run([set]).results.first?.outcome else {
            Issue.record("the case was run")
            return
        }
        #expect(mismatches.first?.description.contains("Serve the org with --admin") == true)
    }

    @Test(arguments: [
        "localhost:80", "http://", "http://localhost/path", "", "u:secret@host", "http://u:secret@h/p?secret",
    ])
    func `An invalid URL is refused`(_ url: String) throws {
        let error = #expect(throws: SoupError.self) { try OrgUnderTest(url: url, transport: URLSessionTransport()) }
        #expect(error?.message.contains("secret") == false)
    }
}
