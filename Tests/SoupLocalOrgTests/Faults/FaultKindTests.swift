// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Each kind of fault, added as JSON like by a test in another language.
@Suite struct FaultKindTests: FaultRuleRequests {
    // MARK: Time

    @Test func `Pauses add up and vary with the seed`() async throws {
        var rounds: [[Int64]] = []
        for seed in [7, 7, 8] as [Int64] {
            let clock = FixedClock()
            let client = try await client(
                ["do": ["kind": "latency", "ms": 1000]],
                ["do": ["kind": "latency", "ms": 100, "jitterMs": 50], "when": ["seed": .int(seed)]],
                ["do": ["kind": "limit"], "when": ["count": 1]], clock: clock)
            #expect(try await client.send(.get, "limits").status == 403)
            #expect(try await client.send(.get, "limits").status == 200)
            rounds.append(clock.sleeps)
            #expect(client.org.journal.map(\.faults) == [["f1", "f2", "f3"], ["f1", "f2"]])
            #expect(client.org.journal.map(\.fault) == ["f3", "f2"])
        }
        #expect(rounds[0] == rounds[1] && rounds[0] != rounds[2])
        #expect(rounds[0].count == 4 && rounds[0][0] == 1000 && (100...150).contains(rounds[0][1]))
    }

    @Test func `Bodies are slow and pause`() async throws {
        let clock = FixedClock()
        let client = try await client(
            ["do": ["kind": "slowBody", "bytesPerSecond": 10, "stallAfterBytes": 3, "stallMs": 5000]], clock: clock)
        let answer = try await client.send(.get, "/services/oauth2/nothing")
        #expect(answer.body.count > 10)
        #expect(clock.sleeps == (0..<answer.body.count).map { $0 == 3 ? 5100 : 100 })
    }

    // MARK: Answers

    @Test func `An answer is replaced as asked`() async throws {
        let client = try await client([
            "do": [
                "kind": "http", "status": 502, "contentType": "text/html; charset=utf-8", "message": "Bad gateway",
                "headers": ["Retry-After": 3],
            ]
        ])
        let answer = try await client.send(.post, "sobjects/Account", body: ["Name": "x"])
        #expect(answer.status == 502 && text(answer) == "<html><body><h1>Bad gateway</h1></body></html>")
        #expect(answer.response.headerFields[.contentType] == "text/html; charset=utf-8")
        #expect(answer.response.headerFields[.retryAfter] == "3")
        #expect(try !client.state([("Account", ["Name"])]).contains("Account x"))
    }

    @Test func `A gateway responds after the org did the work`() async throws {
        let client = try await client(["do": ["kind": "gateway", "status": 404], "when": ["nth": [1]]])
        let answer = try await client.send(.post, "sobjects/Account", body: ["Name": "x"])
        #expect(answer.status == 404 && text(answer) == "<html><body><h1>404</h1></body></html>")
        #expect(answer.response.headerFields[.contentType] == "text/html")
        #expect(try client.state([("Account", ["Name"])]).contains("Account x"))
        try await add(["do": ["kind": "gateway", "status": 302, "body": ""], "when": ["nth": [1]]], to: client)
        let empty = try await client.send(.post, "sobjects/Account", body: ["Name": "y"])
        #expect(empty.status == 302 && empty.body.isEmpty)
        #expect(try client.state([("Account", ["Name"])]).contains("Account y"))
    }

    @Test func `Garbage is the same in each run`() async throws {
        var seen: [[UInt8]] = []
        for _ in 0..<2 {
            let client = try await client(["do": ["kind": "garbage", "bytes": 40], "when": ["seed": 3]])
            seen.append(try await client.send(.get, "limits").body)
            seen.append(try await client.send(.get, "limits").body)
        }
        #expect(seen.map(\.count) == [40, 40, 40, 40])
        #expect(seen[0] == seen[2] && seen[1] == seen[3] && seen[0] != seen[1])
    }

    @Test func `The previous response is repeated`() async throws {
        let client = try await client(["do": ["kind": "duplicateResponse"], "when": ["nth": [2]]])
        let first = try await client.send(.post, "sobjects/Account", body: ["Name": "One"])
        let second = try await client.send(.post, "sobjects/Account", body: ["Name": "Two"])
        let third = try await client.send(.post, "sobjects/Account", body: ["Name": "Three"])
        #expect(second.body == first.body && third.body != first.body)
        let state = try client.state([("Account", ["Name"])])
        #expect(["One", "Two", "Three"].allSatisfy { state.contains("Account \($0)") })
    }

    // MARK: Tokens

    // MARK: Records

    @Test(
        arguments: [
            ([("index", 1)], [true, false, true]), ([("object", "contact")], [true, true, false]),
            ([("field", "Name"), ("value", "B")], [true, false, true]), ([("field", "LastName")], [true, true, false]),
            ([("contains", "\"A\"")], [false, true, true]), ([], [false, false, false]),
        ] as [([(String, JSONValue)], [Bool])])
    func `Records fail by their content`(_ which: [(String, JSONValue)], _ expected: [Bool]) async throws {
        var effect: JSONValue = ["kind": "itemError", "statusCode": "UNABLE_TO_LOCK_ROW", "fields": ["Name"]]
        for (key, value) in which { effect[key] = value }
        let client = try await client(["do": effect])
        let results = try await client.json(
            .post, "composite/sobjects",
            body: [
                "allOrNone": false,
                "records": [
                    ["attributes": ["type": "Account"], "Name": "A"], ["attributes": ["type": "Account"], "Name": "B"],
                    ["attributes": ["type": "Contact"], "LastName": "C"],
                ],
            ])
        #expect(results.arrayValue?.map { $0.success == true } == expected)
        let error = results.arrayValue?.first { $0.success == false }?.errors?[0]
        #expect(error?.statusCode == "UNABLE_TO_LOCK_ROW" && error?.fields == ["Name"])
    }

    @Test func `Subrequests fail by name or object`() async throws {
        let client = try await client(
            ["do": ["kind": "itemError", "referenceId": "b", "statusCode": "X"], "when": ["count": 1]],
            ["do": ["kind": "itemError", "object": "Account", "statusCode": "Y"]])
        let body: JSONValue = [
            "compositeRequest": [
                [
                    "method": "POST", "url": "/services/data/v60.0/sobjects/Account", "referenceId": "a",
                    "body": ["Name": "A"],
                ],
                [
                    "method": "POST", "url": "/services/data/v60.0/sobjects/Contact", "referenceId": "b",
                    "body": ["LastName": "B"],
                ],
            ]
        ]
        var statuses: [[Int64?]] = []
        for _ in 0..<2 {
            let answer = try await client.json(.post, "composite", body: body)
            statuses.append(answer.compositeResponse?.arrayValue?.map { $0.httpStatusCode?.intValue } ?? [])
        }
        #expect(statuses == [[201, 400], [400, 201]])
    }

    // MARK: Queries
}
