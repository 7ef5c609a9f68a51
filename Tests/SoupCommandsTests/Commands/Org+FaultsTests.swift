// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import HTTPTypes
import SoupCore
import Testing

/// Tests `soup org serve --faults FILE`.
@Suite struct OrgFaultsTests {
    private static let rules = #"""
        {"faults": [
          {"id": "busy", "match": {"path": "/limits$"}, "when": {"nth": [2]},
           "do": {"kind": "http", "status": 503, "errorCode": "SERVER_UNAVAILABLE", "headers": {"Retry-After": "2"}}},
          {"match": {"path": "/composite/sobjects"}, "when": {"count": 1},
           "do": {"kind": "itemError", "index": 1, "statusCode": "UNABLE_TO_LOCK_ROW", "message": "locked"}},
          {"id": "lost", "match": {"method": "DELETE"}, "do": {"kind": "drop", "at": "afterCommit"}}
        ]}
        """#

    @Test func `Faults are active from the start`() async throws {
        let folder = try WorkFolder(["faults.json": Self.rules])
        let base = "/services/data/v60.0"
        let status = try await ServedTool.with(
            "--seed", "tiny", "--admin", "--faults", folder.path + "/faults.json"
        ) { org in
            func place(_ path: String) async throws -> (Int, String?) {
                let answer = try await org.send(.get, base + path)
                return (answer.status, answer.response.headerFields[.retryAfter])
            }
            #expect(try await place("/limits") == (200, nil))
            #expect(try await place("/limits") == (503, "2"))
            #expect(try await place("/limits") == (200, nil))
            func record(_ name: String) -> JSONValue { ["attributes": ["type": "Account"], "Name": .string(name)] }
            let created = try await org.send(
                .post, base + "/composite/sobjects", body: ["records": [record("One"), record("Two")]])
            let results = try JSONValue(parsing: created.body)
            let one = results[0]?.id?.stringValue ?? ""
            #expect(
                results == [
                    ["id": .string(one), "success": true, "errors": []],
                    [
                        "success": false,
                        "errors": [["statusCode": "UNABLE_TO_LOCK_ROW", "message": "locked", "fields": []]],
                    ],
                ])
            // The response is lost, but the record is deleted.
            await #expect(throws: SoupError.self) { try await org.send(.delete, base + "/sobjects/Account/\(one)") }
            let state = try JSONValue(parsing: try await org.send(.get, "/_emu/state/Account").body)
            #expect(
                state.arrayValue?.filter { $0["Id"] == .string(one) || $0["Name"] == "Two" }
                    .map { [$0["Name"], $0["IsDeleted"]] } == [["One", true]])
            let faults = try JSONValue(parsing: try await org.send(.get, "/_emu/faults").body)
            #expect(
                faults.arrayValue?.map { [$0["id"], $0["seen"], $0["fired"]] } == [
                    ["busy", 3, 1], ["f2", 1, 1], ["lost", 1, 1],
                ])
        }
        #expect(status == 0)
    }

    /// The file, a part of the message, and members of the error with the place.
    @Test(
        arguments: [
            ("[\n  {\"do\": }\n]", "not JSON: unexpected character", ["line": 2, "column": 10]),
            (#"[{"do": {"kind": "thunder"}}]"#, "thunder", ["path": "[0]"]),
            (#"[{"do": {"kind": "limit"}}, {"when": {"sometimes": 1}}]"#, #"when has no "sometimes""#, ["path": "[1]"]),
            (#"[{"match": {"path": "("}, "do": {"kind": "limit"}}]"#, "regular expression", ["path": "[0]"]),
            ("7", "must be an object", [:]),
        ] as [(String, String, JSONObject)])
    func `An invalid rule is reported with its place`(_ text: String, _ message: String, _ place: JSONObject)
        async throws
    {
        let folder = try WorkFolder(["faults.json": text])
        let file = folder.path + "/faults.json"
        let result = try await SoupTool.run("org", "serve", "--seed", "tiny", "--faults", file, "--json")
        #expect(result.status == 1)
        #expect(result.output == [])
        let error = try #require(try result.jsonErrors.first)
        #expect(error["code"] == "badConfiguration" && error["file"] == .string(file))
        #expect(error["message"]?.stringValue?.contains(message) == true, "\(error)")
        for (name, value) in place.members { #expect(error[name] == value, "\(error)") }
    }

    @Test func `A missing file of faults is reported`() async throws {
        let folder = try WorkFolder()
        let result = try await SoupTool.run("org", "serve", "--faults", folder.path + "/none.json", "--json")
        #expect(result.status == 1)
        #expect(
            try result.jsonErrors.map { $0["message"] } == [
                .string("the file of faults \"\(folder.path)/none.json\" cannot be read")
            ])
    }
}

#endif
