// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Each kind of fault, added as JSON like by a test in another language.
@Suite struct FaultKindTests {
    private func client(_ rules: JSONValue..., clock: any SoupClock = StandingClock()) async throws -> OrgClient {
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(clock: clock, options: options)
        for rule in rules { try await add(rule, to: client) }
        return client
    }

    private func add(_ rule: JSONValue, to client: OrgClient) async throws {
        let answer = try await client.send(.post, "/_emu/faults", body: rule)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    private func refresh(_ client: OrgClient) async throws -> HTTPAnswer {
        let form = "grant_type=refresh_token&client_id=emu-client&refresh_token=\(client.org.refreshToken)"
        return try await client.org.respond(
            to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token"),
            body: Array(form.utf8))
    }

    private func text(_ answer: HTTPAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    // MARK: Time

    @Test func `Pauses add up and vary with the seed`() async throws {
        var rounds: [[Int64]] = []
        for seed in [7, 7, 8] as [Int64] {
            let clock = StandingClock()
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
        let clock = StandingClock()
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

    @Test func `Tokens end after a number of calls`() async throws {
        let client = try await client(["do": ["kind": "expireToken", "afterCalls": 2]])
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await client.send(.get, "limits").status) }
        #expect(statuses == [200, 200, 401])
    }

    @Test func `Tokens end after a time`() async throws {
        let client = try await client(["do": ["kind": "expireToken", "ttl": 5000], "when": ["count": 1]])
        #expect(try await client.send(.get, "limits").status == 200)
        client.org.advanceClock(byMilliseconds: 4999)
        #expect(try await client.send(.get, "limits").status == 200)
        client.org.advanceClock(byMilliseconds: 1)
        #expect(try await client.send(.get, "limits").status == 401)
        #expect(try await refresh(client).status == 200)
    }

    @Test func `A refresh fails in four ways`() async throws {
        let clock = StandingClock()
        let client = try await client(
            ["do": ["kind": "refreshFails", "with": "invalid_grant"], "when": ["count": 1]],
            ["do": ["kind": "refreshFails", "with": "503"], "when": ["count": 1]],
            ["do": ["kind": "refreshFails", "status": 429], "when": ["count": 1]],
            ["do": ["kind": "refreshFails", "with": "timeout", "ms": 9000], "when": ["count": 1]], clock: clock)
        #expect(try await client.send(.get, "limits").status == 200)
        let over = try await refresh(client)
        #expect(over.status == 400)
        #expect(
            try JSONValue(parsing: over.body) == [
                "error": "invalid_grant", "error_description": "expired access/refresh token",
            ])
        #expect(try await refresh(client).status == 503)
        #expect(try await refresh(client).status == 429)
        await #expect(throws: SoupError.self) { try await refresh(client) }
        #expect(clock.sleeps == [9000])
        #expect(try await refresh(client).status == 200)
        #expect(client.org.journal.map(\.fault) == [nil, "f1", "f2", "f3", "f4", nil])
    }

    @Test func `User info rejects the token`() async throws {
        let client = try await client(["do": ["kind": "badOAuthToken"], "when": ["count": 1]])
        #expect(try await client.send(.get, "limits").status == 200)
        let answer = try await client.send(.get, "/services/oauth2/userinfo")
        #expect(answer.status == 403 && text(answer) == "Bad_OAuth_Token")
        #expect(try await client.send(.get, "/services/oauth2/userinfo").status == 200)
    }

    @Test func `The next refresh moves the instance`() async throws {
        let client = try await client(
            ["do": ["kind": "moveInstance", "url": "http://localhost:9"], "when": ["count": 1]])
        #expect(try await client.send(.get, "limits").status == 200)
        for _ in 0..<2 {
            let fresh = try JSONValue(parsing: try await refresh(client).body)
            #expect(fresh.instance_url == "http://localhost:9")
        }
    }

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

    @Test func `Locators end after pages or time`() async throws {
        let client = try await client(
            ["do": ["kind": "shrinkBatch", "rows": 1]],
            ["id": "pages", "match": ["path": "01g"], "do": ["kind": "locatorExpire", "afterPages": 2]])
        func next(_ page: JSONValue) async throws -> JSONValue {
            try await client.json(.get, page.nextRecordsUrl?.stringValue ?? "none")
        }
        // The first rule applies to every request, so the second never does.
        var page = try await client.query("select Id from Contact")
        page = try await next(try await next(page))
        #expect(page.done == true)
        client.org.removeFault()
        client.org.setOptions { $0.maximumPageSize = 1 }
        try await add(["do": ["kind": "locatorExpire", "afterPages": 2]], to: client)
        page = try await next(try await client.query("select Id from Contact"))
        #expect(page.records?.arrayValue?.count == 1)
        #expect(client.code(try await next(page)) == "INVALID_QUERY_LOCATOR")
        client.org.removeFault()
        try await add(["do": ["kind": "locatorExpire", "ms": 1000]], to: client)
        page = try await next(try await client.query("select Id from Contact"))
        client.org.advanceClock(byMilliseconds: 1000)
        #expect(client.code(try await next(page)) == "INVALID_QUERY_LOCATOR")
        client.org.removeFault()
        #expect(try await next(page).done == true)
    }

    @Test func `Rows without an order are shuffled`() async throws {
        let client = try await client(["do": ["kind": "shuffle", "seed": 5], "when": ["count": 2]])
        let names = "select Name from Contact"
        let shuffled = try await client.values(names)
        #expect(try await client.values(names + " order by Name") == ["Ana Ng", "Orphan", "Smith"])
        let usual = try await client.values(names)
        #expect(Set(shuffled.map(\.description)) == Set(usual.map(\.description)) && shuffled != usual)
    }

    @Test func `Independent subrequests run in reverse order`() async throws {
        let client = try await client(["do": ["kind": "reverseIndependent"]])
        func create(_ reference: String, _ parent: JSONValue = .null) -> JSONValue {
            [
                "method": "POST", "url": "/services/data/v60.0/sobjects/Account", "referenceId": .string(reference),
                "body": ["Name": .string(reference), "ParentId": parent],
            ]
        }
        let answer = try await client.json(
            .post, "composite",
            body: ["compositeRequest": [create("a"), create("b", "@{a.id}"), create("c")], "allOrNone": true])
        let answers = answer.compositeResponse?.arrayValue ?? []
        #expect(answers.map { $0.referenceId } == ["a", "b", "c"])
        #expect(answers.map { $0.httpStatusCode } == [201, 201, 201])
        let ids = answers.map { $0.body?.id?.stringValue ?? "" }
        #expect(ids[2] < ids[0] && ids[0] < ids[1])
    }

    /// The name of one subrequest can be a prefix of another's.
    @Test func `A subrequest depends only on those that it names`() async throws {
        let client = try await client(["do": ["kind": "reverseIndependent"]])
        func request(_ method: String, _ path: String, reference: String, body: JSONValue) -> JSONValue {
            [
                "method": .string(method), "url": .string("/services/data/v60.0/\(path)"),
                "referenceId": .string(reference), "body": body,
            ]
        }
        let others = "query?q=SELECT COUNT() FROM Account WHERE Id != '@{ab.id}'"
        let answer = try await client.json(
            .post, "composite",
            body: [
                "compositeRequest": [
                    request("POST", "sobjects/Account", reference: "a", body: ["Name": "a"]),
                    request("POST", "sobjects/Account", reference: "ab", body: ["Name": "ab"]),
                    request("GET", others, reference: "c", body: nil),
                ]
            ])
        let answers = answer.compositeResponse?.arrayValue ?? []
        #expect(answers.map { $0.httpStatusCode } == [201, 201, 200])
        // The last possible subrequest runs first: the count needs the second one, and runs before the first one.
        #expect(answers.last?.body?.totalSize == 3)
        #expect(
            try await client.values("SELECT Name FROM Account WHERE Name LIKE 'a%' ORDER BY Id") == ["Acme", "ab", "a"])
    }

    @Test func `Rows change between pages`() async throws {
        let client = try await client([
            "do": [
                "kind": "mutateBetweenPages", "insert": ["object": "Contact", "values": ["LastName": "New"]],
                "edit": [["object": "Contact", "id": "@con2", "values": ["LastName": "Changed"]]],
                "delete": [["object": "Contact", "id": "@con3"]],
            ]
        ])
        client.org.setOptions { $0.maximumPageSize = 1 }
        let contacts = [("Contact", ["Name"])]
        var page = try await client.query("select Name from Contact")
        #expect(try client.state(contacts) == "Contact Ana Ng\nContact Smith\nContact Orphan")
        page = try await client.json(.get, page.nextRecordsUrl?.stringValue ?? "")
        #expect(page.records?[0]?.Name == "Changed")
        #expect(try client.state(contacts) == "Contact Ana Ng\nContact Changed\n[Contact Orphan]\nContact New")
        #expect(client.org.journal.map(\.rowsWritten) == [0, 0])
        _ = try await client.json(.get, page.nextRecordsUrl?.stringValue ?? "")
        #expect(try client.state(contacts).hasSuffix("[Contact Orphan]\nContact New\nContact New"))
    }

    @Test func `Searches and replication are delayed`() async throws {
        let client = try await client(
            ["match": ["path": "/search"], "do": ["kind": "searchIndexDelay", "ms": 60000]],
            ["match": ["path": "/updated"], "do": ["kind": "replicationLag", "ms": 600_000]])
        _ = try await client.send(.post, "sobjects/Account", body: ["Name": "Zebra"])
        func found() async throws -> Int? {
            try await client.json(.get, "search?q=FIND+%7BZebra%7D").searchRecords?.arrayValue?.count
        }
        #expect(try await found() == 0)
        client.org.advanceClock(byMilliseconds: 60_000)
        #expect(try await found() == 1)
        let path = "sobjects/Account/updated?start=2024-01-15T12:00:00Z&end=2024-01-15T13:00:00Z"
        #expect(try await client.json(.get, path).latestDateCovered == "2024-01-15T11:56:00.000+0000")
        client.org.removeFault()
        #expect(try await client.json(.get, path).latestDateCovered == "2024-01-15T12:06:00.000+0000")
    }
}
