// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Faults of queries, searches and subrequests.
@Suite struct FaultKindQueriesTests: FaultRuleRequests {
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
        client.org.advanceClock(by: .milliseconds(1000))
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

    /// The org's time is five past twelve.
    @Test func `A late commit is dated before it`() async throws {
        let client = try await client(["match": ["method": "POST"], "do": ["kind": "lateCommit", "ms": 300_000]])
        let before = try await client.json(.get, "query?q=SELECT+count()+FROM+Account").totalSize?.intValue
        _ = try await client.send(.post, "sobjects/Account", body: ["Name": "Zebra"])
        let path = "query?q=SELECT+LastModifiedDate,SystemModstamp,CreatedDate+FROM+Account+WHERE+Name='Zebra'"
        let record = try #require(try await client.json(.get, path)["records"]?.arrayValue?.first)
        let after = try await client.json(.get, "query?q=SELECT+count()+FROM+Account").totalSize?.intValue
        #expect(before.map { $0 + 1 } == after)
        for field in ["LastModifiedDate", "SystemModstamp", "CreatedDate"] {
            #expect(record[field] == "2024-01-15T12:00:00.000+0000")
        }
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
        client.org.advanceClock(by: .milliseconds(60_000))
        #expect(try await found() == 1)
        let path = "sobjects/Account/updated?start=2024-01-15T12:00:00Z&end=2024-01-15T13:00:00Z"
        #expect(try await client.json(.get, path).latestDateCovered == "2024-01-15T11:56:00.000+0000")
        client.org.removeFault()
        #expect(try await client.json(.get, path).latestDateCovered == "2024-01-15T12:06:00.000+0000")
    }
}
