// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import SoupLocalOrg

/// Fault rules in files and administration requests: accepted, shown and rejected forms.
@Suite struct OrgFaultJSONTests {
    private func client() throws -> OrgClient {
        var options = OrgOptions()
        options.admin = true
        return try OrgClient(clock: FixedClock(), options: options)
    }

    @Test func `A file holds rules`() throws {
        let rules = #"{"faults": [{"do": {"kind": "limit"}}, {"id": "two", "do": {"kind": "drop", "at": "accept"}}]}"#
        #expect(try OrgFault.rules(json: Array(rules.utf8), file: "f.json").map(\.id) == ["", "two"])
        #expect(try OrgFault.rules(json: Array(#"{"do": {"kind": "limit"}}"#.utf8), file: "f.json").count == 1)
        func message(_ text: String) -> String {
            do {
                _ = try OrgFault.rules(json: Array(text.utf8), file: "f.json")
                return "fine"
            } catch {
                return "\(error)"
            }
        }
        #expect(message("[{\"do\": 5}]") == "f.json:1:2: [0]: do must be an object")
        #expect(message(#"{"do": 5}"#) == "f.json:1:1: do must be an object")
        #expect(
            message(#"{"faults": [{"do": {"kind": "limit"}}, {"do": 5}]}"#)
                == "f.json:1:40: faults[1]: do must be an object"
        )
        #expect(
            message(#"{"faults": [], "rules": []}"#)
                == "f.json:1:25: rules: an object with \"faults\" has no other members")
        #expect(message("[\n{]") == "f.json:2:2: not JSON: unexpected character")
        #expect(
            message(#"[{"do": {"kind": "limit"}}, {"do": {"kind": "storm"}}]"#)
                == "f.json:1:29: [1]: there is no kind of fault \"storm\": there are " + Self.kinds)
    }

    @Test func `Every wrong rule of a file is reported`() {
        let rules = """
            [
              {"do": {"kind": "limit"}},
              {"do": 5},
              {"do": {"kind": "limit"}, "when": {"nth": 0}}
            ]
            """
        let error = #expect(throws: ConfigurationError.self) {
            try OrgFault.rules(json: Array(rules.utf8), file: "f.json")
        }
        #expect(error?.problems.map { "\($0.place)" } == ["f.json:3:3: [1]", "f.json:4:3: [2]"])
    }

    /// A rule of every kind, with all of its members.
    static let written = [
        #"{"id":"a","match":{"method":"GET","path":"/x","object":"Account","bodyContains":"b","client":"*"},"when":{"nth":[1,2],"every":3,"count":4,"probability":0.5,"seed":-7,"afterMs":9},"do":{"kind":"limit"}}"#,
        #"{"id":"a","do":{"kind":"http","status":503,"errorCode":"X","message":"m","contentType":"text/html","headers":{"A":"1"}}}"#,
        #"{"id":"a","do":{"kind":"latency","ms":5,"jitterMs":6}}"#,
        #"{"id":"a","do":{"kind":"slowBody","bytesPerSecond":5,"stallAfterBytes":6,"stallMs":7}}"#,
        #"{"id":"a","do":{"kind":"drop","at":"midBody"}}"#, #"{"id":"a","do":{"kind":"truncate","bytes":5}}"#,
        #"{"id":"a","do":{"kind":"garbage"}}"#, #"{"id":"a","do":{"kind":"garbage","bytes":5}}"#,
        #"{"id":"a","do":{"kind":"expireToken"}}"#, #"{"id":"a","do":{"kind":"expireToken","afterCalls":2,"ttl":3}}"#,
        #"{"id":"a","do":{"kind":"refreshFails","with":"invalid_grant"}}"#,
        #"{"id":"a","do":{"kind":"refreshFails","status":503}}"#,
        #"{"id":"a","do":{"kind":"refreshFails","with":"timeout","ms":5}}"#,
        #"{"id":"a","do":{"kind":"badOAuthToken"}}"#,
        #"{"id":"a","do":{"kind":"moveInstance","url":"http://x"}}"#, #"{"id":"a","do":{"kind":"duplicateResponse"}}"#,
        #"{"id":"a","do":{"kind":"gateway","status":404,"body":""}}"#,
        #"{"id":"a","do":{"kind":"itemError","index":0,"referenceId":"r","object":"Account","field":"Name","value":null,"contains":"c","errorCode":"E","message":"m","fields":["F"]}}"#,
        #"{"id":"a","do":{"kind":"mutateBetweenPages","insert":[{"object":"Account","values":{"Name":"n"}}],"edit":[{"object":"Account","id":"@a","values":{}}],"delete":[{"object":"Account","id":"@b"}]}}"#,
        #"{"id":"a","do":{"kind":"jobFail","message":"m"}}"#,
        #"{"id":"a","do":{"kind":"jobStall","state":"UploadComplete","looks":2,"ms":3}}"#,
        #"{"id":"a","do":{"kind":"shrinkBatch","rows":2}}"#, #"{"id":"a","do":{"kind":"locatorExpire"}}"#,
        #"{"id":"a","do":{"kind":"locatorExpire","afterPages":2,"ms":3}}"#, #"{"id":"a","do":{"kind":"shuffle"}}"#,
        #"{"id":"a","do":{"kind":"shuffle","seed":3}}"#, #"{"id":"a","do":{"kind":"reverseIndependent"}}"#,
        #"{"id":"a","do":{"kind":"searchIndexDelay","ms":2}}"#, #"{"id":"a","do":{"kind":"replicationLag","ms":2}}"#,
        #"{"id":"a","do":{"kind":"lateCommit","ms":2}}"#,
    ]

    @Test(arguments: written) func `Rules are listed as they are written`(_ rule: String) async throws {
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(options: options)
        let given = try JSONValue(parsing: rule)
        client.org.add(try OrgFault(json: given))
        let shown = try await client.json(.get, "/_emu/faults")
        var expected = given.objectValue ?? JSONObject()
        expected["seen"] = 0
        expected["fired"] = 0
        #expect(shown == [.object(expected)])
    }

    @Test func `Every kind of fault is covered`() throws {
        let kinds = try Self.written.map { try JSONValue(parsing: $0)["do"]?.kind?.stringValue ?? "" }
        #expect(Set(kinds).sorted() == FaultKind.all.map(\.name).sorted())
    }

    private static let kinds =
        "badOAuthToken, drop, duplicateResponse, expireToken, garbage, gateway, http, itemError, jobFail, jobStall, "
        + "lateCommit, latency, limit, locatorExpire, moveInstance, mutateBetweenPages, refreshFails, replicationLag, reverseIndependent, "
        + "searchIndexDelay, shrinkBatch, shuffle, slowBody, truncate"

    @Test(arguments: [
        (
            #"{"do": {"kind": "limit"}, "wen": {}}"#,
            #"a fault has no "wen": there are do, id, match, when; did you mean "when"?"#
        ),
        (
            #"{"do": {"kind": "limit"}, "when": {"nth": [0]}}"#,
            "when.nth must be a whole number, or an array of them, from 1 to 1000000000, not [0]"
        ),
        (
            #"{"do": {"kind": "limit"}, "when": {"count": "1"}}"#,
            #"when.count must be a whole number from 0 to 1000000000, not "1""#
        ),
        (
            #"{"do": {"kind": "limit"}, "when": {"count": 9223372036854775807}}"#,
            "when.count must be a whole number from 0 to 1000000000, not 9223372036854775807"
        ),
        (
            #"{"do": {"kind": "limit"}, "when": {"probability": 2}}"#,
            "when.probability must be a number from 0 to 1, not 2"
        ),
        (
            #"{"do": {"kind": "limit"}, "match": {"path": "("}}"#,
            #"match.path must be a regular expression, not "(""#
        ),
        (
            #"{"do": {"kind": "limit"}, "match": {"method": "(POST|PATCH)"}}"#,
            #"match.method must be one method, such as POST, not "(POST|PATCH)""#
        ),
        (#"{"do": {"kind": "http", "status": 99}}"#, "do.status must be a whole number from 200 to 599, not 99"),
        (
            #"{"do": {"kind": "slowBody", "bytesPerSecond": 9223372036854775807}}"#,
            "do.bytesPerSecond must be a whole number from 1 to 1000000000, not 9223372036854775807"
        ),
        (
            #"{"do": {"kind": "latency", "ms": -1}}"#,
            "do.ms must be a whole number from 0 to 86400000, not -1"
        ),
        (
            #"{"do": {"kind": "jobStall", "looks": 1e308}}"#,
            "do.looks must be a whole number from 0 to 1000000, not 1e308"
        ),
        (
            #"{"do": {"kind": "latency", "millis": 5}}"#,
            #"do has no "millis": there are jitterMs, kind, ms"#
        ),
        (
            #"{"do": {"kind": "limit", "ms": 5}}"#, #"do has no "ms": there are kind"#
        ),
        (
            #"{"do": {"kind": "http", "headers": {"Retry-After": []}}}"#,
            #"do.headers must be an object of texts and numbers under names of headers, not {"Retry-After":[]}"#
        ),
        (
            #"{"do": {"kind": "drop", "at": "noon"}}"#,
            #"do.at must be accept, beforeHeaders, midBody or afterCommit, not "noon""#
        ),
        (
            #"{"do": {"kind": "jobStall", "state": "JobComplete"}}"#,
            #"do.state must be UploadComplete or InProgress, not "JobComplete""#
        ),
        (
            #"{"do": {"kind": "refreshFails", "with": "x"}}"#,
            #"do.with must be invalid_grant, timeout or a whole number from 400 to 599, not "x""#
        ),
        (
            #"{"do": {"kind": "mutateBetweenPages", "edit": [{"object": "Account"}]}}"#,
            #"do.edit[0] needs "id""#
        ),
        (
            #"{"do": {"kind": "latencie"}}"#,
            #"there is no kind of fault "latencie": there are \#(kinds); did you mean "latency"?"#
        ),
        (#"{"do": {}}"#, "do.kind must be one of " + kinds),
        (
            #"{"do": {"kind": "mutateBetweenPages"}}"#,
            #"mutateBetweenPages needs "insert", "edit" or "delete""#
        ),
        (#"{"do": {"kind": "moveInstance"}}"#, "do.url must be the URL of the instance"),
        (#"{"match": {}}"#, "do must be an object"),
    ])
    func `Wrong rules are rejected by name`(_ rule: String, _ message: String) async throws {
        let client = try client()
        let answer = try await client.json(.post, "/_emu/faults", body: try JSONValue(parsing: rule))
        #expect(answer == [["message": .string(message), "errorCode": "INVALID_INPUT"]])
        #expect(client.org.faults.isEmpty)
    }

    @Test func `Rules of a list are added together or not at all`() async throws {
        let client = try client()
        let list: JSONValue = [["do": ["kind": "limit"]], ["do": ["kind": "storm"]]]
        #expect(try await client.send(.post, "/_emu/faults", body: list).status == 400)
        #expect(client.org.faults.isEmpty)
    }
}
