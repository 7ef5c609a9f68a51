// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Values that the org itself sets in records of standard objects.
@Suite struct RecordConsistencyTests {
    private let client: OrgClient
    init() throws { client = try OrgClient() }

    private func id(_ key: String) -> JSONValue { .string(client.org.id(of: key) ?? "") }

    @Test func `An event needs a time`() async throws {
        for (body, missing) in [
            (["Subject": "x"], ["DurationInMinutes", "ActivityDateTime"]),
            (["StartDateTime": "2024-01-01T10:00:00Z"], ["DurationInMinutes"]),
            (["EndDateTime": "2024-01-01T10:00:00Z"], ["ActivityDateTime"]),
        ] as [(JSONValue, [String])] {
            let answer = try await client.json(.post, "sobjects/Event", body: body)
            #expect(client.code(answer) == "REQUIRED_FIELD_MISSING", "\(answer)")
            #expect(answer[0]?.message == .string("Required fields are missing: [\(missing.joined(separator: ", "))]"))
        }
        #expect(try client.org.state(of: "Event") == [])
    }

    @Test func `The times of an event are consistent`() async throws {
        let fields = ["StartDateTime", "EndDateTime", "ActivityDateTime", "DurationInMinutes", "ActivityDate"]
        let start = "2024-01-01T10:00:00.000+0000"
        func event() throws -> [JSONValue] {
            let row = try client.org.state(of: "Event").last
            return fields.map { row?[$0] ?? .null }
        }
        for body in [
            ["ActivityDateTime": .string(start), "DurationInMinutes": 90],
            ["StartDateTime": .string(start), "EndDateTime": "2024-01-01T11:30:00Z"],
        ] as [JSONValue] {
            #expect(try await client.send(.post, "sobjects/Event", body: body).status == 201)
            #expect(
                try event() == [.string(start), "2024-01-01T11:30:00.000+0000", .string(start), 90, "2024-01-01"])
        }
        let id = try client.org.state(of: "Event").last?.Id?.stringValue ?? ""
        let later: JSONValue = ["StartDateTime": "2024-01-02T10:00:00Z"]
        #expect(try await client.send(.patch, "sobjects/Event/\(id)", body: later).status == 204)
        let moved = "2024-01-02T10:00:00.000+0000"
        #expect(try event() == [.string(moved), "2024-01-02T11:30:00.000+0000", .string(moved), 90, "2024-01-02"])
        let allDay: JSONValue = ["IsAllDayEvent": true, "ActivityDate": "2024-02-01"]
        #expect(try await client.send(.post, "sobjects/Event", body: allDay).status == 201)
        #expect(try event()[4] == "2024-02-01" && event()[3] == 1440)
    }

    @Test func `An account is not its own ancestor`() async throws {
        // The second account is a child of the first.
        for (child, parent) in [("acc1", "acc2"), ("acc1", "acc1")] {
            let path = "sobjects/Account/\(id(child).stringValue ?? "")"
            let answer = try await client.json(.patch, path, body: ["ParentId": id(parent)])
            #expect(client.code(answer) == "CIRCULAR_DEPENDENCY", "\(answer)")
        }
        let path = "sobjects/Account/\(id("acc1").stringValue ?? "")"
        #expect(try await client.send(.patch, path, body: ["ParentId": id("acc3")]).status == 204)
    }

    @Test func `A closed case has a closing date`() async throws {
        let path = "sobjects/Case/\(id("case1").stringValue ?? "")"
        #expect(try await client.send(.patch, path, body: ["Status": "Closed"]).status == 204)
        let closed = try await client.json(.get, path)
        #expect(closed.ClosedDate == "2024-01-15T12:05:00.000+0000" && closed.IsClosed == true)
        client.org.advanceClock(by: .milliseconds(60_000))
        #expect(try await client.send(.patch, path, body: ["Subject": "x"]).status == 204)
        #expect(try await client.json(.get, path).ClosedDate == closed.ClosedDate)
        #expect(try await client.send(.patch, path, body: ["Status": "New"]).status == 204)
        #expect(try await client.json(.get, path).ClosedDate == .null)
    }

    @Test func `A case belongs to its contact's account`() async throws {
        #expect(try await client.send(.post, "sobjects/Case", body: ["ContactId": id("con1")]).status == 201)
        #expect(try client.org.state(of: "Case").last?.AccountId == id("acc1"))
        let both: JSONValue = ["ContactId": id("con1"), "AccountId": id("acc2")]
        #expect(try await client.send(.post, "sobjects/Case", body: both).status == 201)
        #expect(try client.org.state(of: "Case").last?.AccountId == id("acc2"))
    }

    @Test func `A task with a lead has no other related record`() async throws {
        let both: JSONValue = ["WhoId": id("dupA"), "WhatId": id("acc1")]
        let refused = try await client.json(.post, "sobjects/Task", body: both)
        #expect(client.code(refused) == "FIELD_INTEGRITY_EXCEPTION")
        let contact: JSONValue = ["WhoId": id("con1"), "WhatId": id("acc1")]
        for body in [["WhoId": id("dupA")], contact] as [JSONValue] {
            #expect(try await client.send(.post, "sobjects/Task", body: body).status == 201)
        }
        #expect(try client.org.state(of: "Task").count == 2)
    }

    @Test func `A duplicate key in a collection writes no record`() async throws {
        func record(_ key: String, _ notes: String) -> JSONValue {
            [
                "attributes": ["type": "Visit__c"], "External_Id__c": .string(key), "Notes__c": .string(notes),
                "Version__c": 9,
            ]
        }
        let visits = [("Visit__c", ["External_Id__c", "Notes__c"])]
        let answer = try await client.json(
            .patch, "composite/sobjects/Visit__c/External_Id__c",
            body: [
                "records": [
                    record("V/1", "a"), record("new", "b"), record("v/1", "c"), record("N", "d"), record("n", "e"),
                ]
            ])
        #expect(answer.arrayValue?.map { $0.success == true } == [false, true, false, false, false])
        #expect(
            answer[2]?.errors?[0] == [
                "statusCode": "DUPLICATE_VALUE", "message": "Duplicate external id specified: v/1",
                "fields": ["External_Id__c"],
            ])
        #expect(try client.state(visits) == "Visit__c V/1 null\nVisit__c new b")
    }

    @Test func `Texts with NUL are rejected`() async throws {
        let answer = try await client.json(.post, "sobjects/Account", body: ["Name": "a\u{0}b"])
        #expect(client.code(answer) == "JSON_PARSER_ERROR")
    }
}
