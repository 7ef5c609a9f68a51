// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct ExternalIdHandlerTests {
    private let visits = [("Visit__c", ["Name", "External_Id__c", "Notes__c", "Status__c"])]

    @Test func `By external ID, it creates once and then updates`() async throws {
        let client = try OrgClient()
        let path = "sobjects/Visit__c/External_Id__c/N%2F2"
        let created = try await client.send(.patch, path, body: ["Notes__c": "one"])
        #expect(created.status == 201)
        let again = try await client.send(.patch, path, body: ["Notes__c": "two", "Version__c": 1])
        #expect(again.status == 200)
        let answers = try [created, again].map { try JSONValue(parsing: $0.body) }
        #expect(answers[0].created == true && answers[1].created == false)
        #expect(answers[0].id == answers[1].id)
        #expect(try client.state(visits) == "Visit__c V-00001 V/1 null Planned\nVisit__c V-00002 N/2 two Planned")
        #expect(try await client.send(.delete, path).status == 204)
        #expect(try await client.send(.get, path).status == 404)
    }

    /// The ID is an external ID like any other: the response has a body.
    @Test func `An upsert by ID responds like other upserts`() async throws {
        let client = try OrgClient()
        let id = try #require(client.org.id(of: "acc1"))
        let answer = try await client.send(.patch, "sobjects/Account/Id/\(id)", body: ["Name": "By Id"])
        #expect(answer.status == 200)
        #expect(
            try JSONValue(parsing: answer.body)
                == ["id": .string(id), "success": true, "errors": [], "created": false])
        #expect(try await client.json(.get, "sobjects/Account/Id/\(id)").Name == "By Id")
        let nested = try await client.json(
            .post, "composite",
            body: [
                "compositeRequest": [
                    [
                        "method": "PATCH", "referenceId": "a", "body": ["Name": "Nested"],
                        "url": .string("\(client.version)/sobjects/Account/Id/\(id)"),
                    ]
                ]
            ])
        #expect(nested.compositeResponse?[0]?.httpStatusCode == 200, "\(nested)")
        #expect(nested.compositeResponse?[0]?.body?.id == .string(id), "\(nested)")
        let missing = try await client.json(.patch, "sobjects/Account/Id/001000000000000AAA", body: ["Name": "None"])
        #expect(client.code(missing) == "INVALID_CROSS_REFERENCE_KEY")
        let twice = try await client.json(
            .patch, "sobjects/Account/Id/\(id)", body: ["Id": .string(id), "Name": "Twice"])
        #expect(client.code(twice) == "INVALID_FIELD")
        #expect(try await client.send(.patch, "sobjects/Account/\(id)", body: ["Name": "By path"]).status == 204)
    }

    @Test func `By ID, older versions have no response body`() async throws {
        var client = try OrgClient()
        client.version = "/services/data/v45.0"
        let id = try #require(client.org.id(of: "acc1"))
        #expect(try await client.send(.patch, "sobjects/Account/Id/\(id)", body: ["Name": "Old"]).status == 204)
    }

    /// A key that clients cannot write would not be stored, so each upsert would create another record.
    @Test func `A read-only key creates no record`() async throws {
        let client = try OrgClient()
        let objects = [("Case", ["CaseNumber"]), ("Contact", ["Name"])]
        let before = try client.state(objects)
        for (path, body) in [
            ("Case/CaseNumber/ABC", ["Subject": "x"]), ("Contact/Name/Foo", ["LastName": "Foo"]),
            ("Contact/Name/Ana%20Ng", ["LastName": "Foo"]),
        ] as [(String, JSONValue)] {
            let answer = try await client.json(.patch, "sobjects/\(path)", body: body)
            #expect(client.code(answer) == "NOT_FOUND", "\(path) \(answer)")
        }
        let many = try await client.json(
            .patch, "composite/sobjects/Contact/Name",
            body: ["records": [["attributes": ["type": "Contact"], "Name": "Foo", "LastName": "Foo"]]])
        #expect(client.code(many) == "NOT_FOUND", "\(many)")
        #expect(try client.state(objects) == before)
        // Reading is possible.
        #expect(try await client.json(.get, "sobjects/Contact/Name/Ana%20Ng").LastName == "Ng")
        try client.org.changeSchema([
            "Visit__c": ["fields": ["No__c": ["type": "autonumber", "format": "{0}", "externalId": true]]]
        ])
        let number = try await client.json(.patch, "sobjects/Visit__c/No__c/77", body: ["Notes__c": "x"])
        #expect(client.code(number) == "INVALID_FIELD_FOR_INSERT_UPDATE", "\(number)")
        #expect(
            try await client.json(.patch, "sobjects/Visit__c/No__c/1", body: ["Notes__c": "y", "Version__c": 1]).created
                == false)
        #expect(try client.state(visits) == "Visit__c V-00001 V/1 y Planned")
    }

    @Test func `Older versions answer an update without a body`() async throws {
        var client = try OrgClient()
        client.version = "/services/data/v45.0"
        let answer = try await client.send(
            .patch, "sobjects/Visit__c/External_Id__c/v%2f1", body: ["Notes__c": "x", "Version__c": 1])
        #expect(answer.status == 204 && answer.body.isEmpty)
    }

    @Test func `The body may not repeat the key`() async throws {
        let client = try OrgClient()
        let answer = try await client.json(
            .patch, "sobjects/Visit__c/External_Id__c/N", body: ["external_id__c": "N", "Notes__c": "x"])
        #expect(client.code(answer) == "INVALID_FIELD")
        #expect(try client.state(visits) == "Visit__c V-00001 V/1 null Planned")
    }

    @Test func `Collections upsert each record by its key`() async throws {
        let client = try OrgClient()
        let record: (JSONValue, JSONValue) -> JSONValue = { key, notes in
            ["attributes": ["type": "Visit__c"], "External_Id__c": key, "Notes__c": notes, "Version__c": 7]
        }
        let answer = try await client.json(
            .patch, "composite/sobjects/Visit__c/External_Id__c",
            body: ["allOrNone": false, "records": [record("V/1", "old"), record("N", "new"), record(nil, "none")]])
        #expect(answer[0]?.success == true && answer[0]?.created == false)
        #expect(answer[1]?.success == true && answer[1]?.created == true)
        #expect(answer[2]?.success == false && answer[2]?.errors?[0]?.statusCode == "MISSING_ARGUMENT")
        #expect(try client.state(visits) == "Visit__c V-00001 V/1 old Planned\nVisit__c V-00002 N new Planned")
    }

    @Test func `With allOrNone one failure rolls all back`() async throws {
        let client = try OrgClient()
        let before = try client.state(visits)
        let answer = try await client.json(
            .patch, "composite/sobjects/Visit__c/External_Id__c",
            body: [
                "allOrNone": true,
                "records": [
                    ["attributes": ["type": "Visit__c"], "External_Id__c": "N", "Status__c": "Done"],
                    [
                        "attributes": ["type": "Visit__c"], "External_Id__c": "V/1", "Version__c": 1,
                        "Status__c": "Bogus",
                    ],
                ],
            ])
        #expect(answer[0]?.errors?[0]?.statusCode == "ALL_OR_NONE_OPERATION_ROLLED_BACK")
        #expect(answer[0]?.created == true && answer[0]?.id == nil)
        #expect(answer[1]?.errors?[0]?.statusCode == "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST")
        #expect(try client.state(visits) == before)
    }

    @Test func `A rule reads the record before and after`() async throws {
        let client = try OrgClient()
        let path = "sobjects/Visit__c/\(client.org.id(of: "vis1") ?? "")"
        #expect(try await client.send(.patch, path, body: ["Version__c": 2]).status == 204)
        let stale = try await client.json(.patch, path, body: ["Version__c": 2, "Notes__c": "lost?"])
        #expect(client.code(stale) == "FIELD_CUSTOM_VALIDATION_EXCEPTION")
        #expect(try await client.values("select Notes__c from Visit__c where Version__c = 2") == [nil])
    }
}
