// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import HTTPTypes
import SoupCore
import Testing

/// Tests `soup conformance --org URL`: cases with requests to an org in another process.
@Suite struct ConformanceOrgTests {
    private static let cases = #"""
        {"id": "A1", "area": "limits", "prio": "P0", "req": {"method": "GET", "path": "{v}/limits"}, "exp": {"status": 200, "json": {"DailyApiRequests": {"Max": "$any"}}}}
        {"id": "A2", "area": "rows", "prio": "P0", "pre": [{"method": "PATCH", "path": "{v}/sobjects/Account/{acc1}", "json": {"Rating": "Cold"}}], "req": {"method": "GET", "path": "{v}/sobjects/Account/{acc1}", "query": {"fields": "Rating"}}, "exp": {"status": 200, "json": {"Rating": "Cold"}}}
        {"id": "A3", "area": "rows", "prio": "P0", "req": {"method": "GET", "path": "{v}/sobjects/Account/{acc1}", "query": {"fields": "Rating"}}, "exp": {"status": 200, "json": {"Rating": "Warm"}}}
        """#

    @Test func `Requests of cases are sent to the given org`() async throws {
        let folder = try WorkFolder(["cases.jsonl": Self.cases])
        let status = try await ServedTool.with("--seed", "medium", "--admin") { org in
            let result = try await SoupTool.run("conformance", folder.path, "--org", org.url)
            #expect(result.status == 1)
            #expect(
                result.output == [
                    "cases.jsonl: 2 passed, 1 failed", "  FAILED A3", "    json.Rating: expected \"Warm\", got \"Hot\"",
                    "2 passed, 1 failed",
                ])
            // The org is reset before each case, so it contains the rows of the last case.
            let journal = try JSONValue(parsing: try await org.send(.get, "/_emu/journal").body)
            #expect(
                journal.arrayValue?.map { $0["method"]?.stringValue ?? "" }.filter { $0 != "POST" }
                    == ["GET", "PATCH", "GET", "GET"])
            let state = try JSONValue(parsing: try await org.send(.get, "/_emu/state/Account").body)
            #expect(state.arrayValue?.map { $0["Name"] } == ["Acme", "Globex", "O'Neil 100%_x", "Deleted"])
        }
        #expect(status == 0)
    }

    @Test func `An unusable org is reported`() async throws {
        let folder = try WorkFolder(["cases.jsonl": Self.cases])
        func run(_ url: String) async throws -> [JSONValue] {
            let result = try await SoupTool.run("conformance", folder.path, "--org", url, "--json")
            #expect(result.status == 1)
            return try result.json + result.jsonErrors
        }
        #expect(
            try await run("127.0.0.1:1") == [
                [
                    "code": "badConfiguration", "message": "\"127.0.0.1:1\" is not the URL of an org",
                    "hint": "Give a URL such as http://127.0.0.1:8080.",
                ]
            ])
        #expect(
            try await run("http://127.0.0.1:1/x") == [
                [
                    "code": "badConfiguration", "message": "\"http://127.0.0.1:1/x\" is not the URL of an org",
                    "hint": "Give scheme, host and port, without a path.",
                ]
            ])
        let sums: JSONValue = ["passed": 0, "failed": 3, "notRun": 0]
        let unreachable = try await run("http://127.0.0.1:1")
        #expect(unreachable.count == 4 && unreachable.last == sums)
        let error = unreachable[0]["mismatches"]?[0]?["found"]
        #expect(error?["error"] == "network")
        #expect(error?.message?.stringValue?.hasPrefix("the server cannot be reached: ") == true)
        // Without its administration API an org cannot be reset for each case.
        try await ServedTool.with("--seed", "tiny") { org in
            let closed = try await run(org.url)
            #expect(closed.count == 4 && closed.last == sums)
            let error = closed[0]["mismatches"]?[0]?["found"]
            #expect(
                error?.message?.stringValue?.hasPrefix("the org responds with 404 to DELETE /_emu/faults: ") == true)
            #expect(error?.message?.stringValue?.hasSuffix(" Serve the org with --admin.") == true)
        }
    }
}

#endif
