// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Records that refer to other records by external IDs.
@Suite struct ExternalReferenceTests {
    private let client: OrgClient
    private static let seed = #"""
        {"freeze": "2030-01-02T00:00:00Z",
         "objects": {
           "Account": {"fields": {"Code__c": {"type": "string", "length": 20, "externalId": true}}},
           "Contact": {"recordTypes": [{"developerName": "Shared", "name": "Shared"}]},
           "Project__c": {"recordTypes": [
               {"developerName": "Small_One", "name": "Small"}, {"developerName": "Shared", "name": "Shared"}],
             "fields": {
               "Code__c": {"type": "string", "length": 20, "externalId": true, "unique": true},
               "Number__c": {"type": "int", "externalId": true}, "Note__c": {"type": "string", "length": 20}}},
           "Step__c": {"fields": {
             "Key__c": {"type": "string", "length": 20, "externalId": true, "unique": true},
             "Project__c": {"type": "reference", "referenceTo": ["Project__c"], "childRelationshipName": "Steps__r"},
             "Account__c": {"type": "reference", "referenceTo": ["Account"], "childRelationshipName": "Steps__r"}}}},
         "seed": [
           {"object": "Project__c", "key": "p1", "values": {"Code__c": "P-1", "Number__c": 7, "Note__c": "n"}},
           {"object": "Project__c", "key": "p2", "values": {"Code__c": "P-2", "Number__c": 8}},
           {"object": "Project__c", "values": {"Code__c": "P-0"}, "deleted": true},
           {"object": "Account", "key": "a", "values": {"Name": "A", "Code__c": "A"}},
           {"object": "Account", "values": {"Name": "B", "Code__c": "Twice"}},
           {"object": "Account", "values": {"Name": "C", "Code__c": "Twice"}},
           {"object": "Contact", "key": "ana", "values": {"LastName": "Ng", "Email": "ana@example.org"}},
           {"object": "Step__c", "key": "s", "values": {"Key__c": "S-0", "Project__c": "@p1"}}]}
        """#

    init() throws { client = try OrgClient(OrgSeed(json: Array(Self.seed.utf8))) }

    private var steps: [(String, [String])] { [("Step__c", ["Key__c", "Project__c", "Account__c"])] }
    private func id(_ key: String) -> String { client.org.id(of: key) ?? "" }
    private func step(_ key: String, project: String? = nil, account: String? = nil) -> String {
        "Step__c \(key) \(project.map(id) ?? "null") \(account.map(id) ?? "null")"
    }

    // MARK: Resources

    @Test func `Rows are written with them`() async throws {
        let created = try await client.send(
            .post, "sobjects/Step__c",
            body: ["Key__c": "S-1", "project__R": ["code__c": "p-2"], "Account__r": ["Code__c": "A"]])
        #expect(created.status == 201)
        #expect(
            try await client.send(.patch, "sobjects/Step__c/\(id("s"))", body: ["Project__r": ["Number__c": 8]]).status
                == 204
        )
        let path = "sobjects/Step__c/Key__c/S-2"
        #expect(try await client.send(.patch, path, body: ["Project__r": ["Code__c": "P-1"]]).status == 201)
        #expect(
            try client.state(steps)
                == [
                    step("S-0", project: "p2"), step("S-1", project: "p2", account: "a"), step("S-2", project: "p1"),
                ].joined(separator: "\n"))
        #expect(try await client.send(.patch, path, body: ["Project__r": ["Code__c": "P-2"]]).status == 200)
        #expect(try client.state(steps).hasSuffix(step("S-2", project: "p2")))
        #expect(try await client.send(.patch, path, body: ["Project__r": nil]).status == 200)
        #expect(try client.state(steps).hasSuffix(step("S-2")))
    }

    private func record(_ members: JSONObject) -> JSONValue {
        var members = members
        members["attributes"] = ["type": "Step__c"]
        return .object(members)
    }

    @Test func `Collections are written with them`() async throws {
        let created = try await client.json(
            .post, "composite/sobjects",
            body: [
                "records": [
                    record(["Key__c": "S-1", "Project__r": ["Code__c": "P-2"]]),
                    record(["Key__c": "S-2", "Project__r": ["Code__c": "p-9"]]),
                ]
            ])
        #expect(created[0]?.success == true)
        #expect(
            created[1]?.errors == [
                [
                    "statusCode": "INVALID_FIELD", "fields": [],
                    "message": "Foreign key external ID: p-9 not found for field Code__c in entity Project__c",
                ]
            ])
        let updated = try await client.json(
            .patch, "composite/sobjects",
            body: ["records": [record(["id": .string(id("s")), "Project__r": ["Code__c": "P-2"]])]])
        #expect(updated[0]?.success == true)
        let upserted = try await client.json(
            .patch, "composite/sobjects/Step__c/Key__c",
            body: [
                "records": [
                    record(["Key__c": "S-1", "Project__r": ["Code__c": "P-1"]]),
                    record(["Key__c": "S-3", "Account__r": ["Code__c": "A"]]),
                ]
            ])
        #expect(upserted.arrayValue?.map { $0.created } == [false, true])
        #expect(
            try client.state(steps)
                == [
                    step("S-0", project: "p2"), step("S-1", project: "p1"), step("S-3", account: "a"),
                ].joined(separator: "\n"))
    }

    @Test func `Composite requests refer to answers in them`() async throws {
        let requests: JSONValue = [
            [
                "method": "POST", "url": "/services/data/v60.0/sobjects/Project__c", "referenceId": "made",
                "body": ["Code__c": "P-3"],
            ],
            ["method": "GET", "url": "/services/data/v60.0/sobjects/Project__c/@{made.id}", "referenceId": "read"],
            [
                "method": "PATCH", "url": "/services/data/v60.0/sobjects/Step__c/Key__c/S-1", "referenceId": "step",
                "body": ["Project__r": ["Code__c": "@{read.Code__c}"]],
            ],
        ]
        let one = try await client.json(.post, "composite", body: ["allOrNone": true, "compositeRequest": requests])
        #expect(one.compositeResponse?[2]?.httpStatusCode == 201, "\(one)")
        let graph = try await client.json(
            .post, "composite/graph",
            body: [
                "graphs": [
                    [
                        "graphId": "g",
                        "compositeRequest": [
                            [
                                "method": "POST", "url": "/services/data/v60.0/sobjects/Step__c", "referenceId": "step",
                                "body": ["Key__c": "S-2", "Project__r": ["Code__c": "P-3"]],
                            ]
                        ],
                    ]
                ]
            ])
        #expect(graph.graphs?[0]?.isSuccessful == true)
        #expect(
            try await client.values("SELECT Key__c FROM Step__c WHERE Project__r.Code__c = 'P-3' ORDER BY Key__c")
                == ["S-1", "S-2"])
    }

    @Test func `Trees are written with them`() async throws {
        let answer = try await client.json(
            .post, "composite/tree/Project__c",
            body: [
                "records": [
                    [
                        "attributes": ["type": "Project__c", "referenceId": "p"], "Code__c": "P-3",
                        "Steps__r": [
                            "records": [
                                [
                                    "attributes": ["type": "Step__c", "referenceId": "s"], "Key__c": "S-1",
                                    "Account__r": ["Code__c": "A"],
                                ]
                            ]
                        ],
                    ]
                ]
            ])
        #expect(answer.hasErrors == false, "\(answer)")
        #expect(
            try await client.values("SELECT Account__r.Code__c FROM Step__c WHERE Project__r.Code__c = 'P-3'").count
                == 1)
        #expect(
            try await client.values("SELECT Key__c FROM Step__c WHERE Account__r.Code__c = 'A'") == ["S-1"])
    }

    @Test func `Standard relationships are included`() async throws {
        let contact = try await client.json(
            .post, "sobjects/Contact",
            body: [
                "LastName": "New", "Account": ["Code__c": "A"], "Owner": ["Username": "other@example.org"],
                "ReportsTo": ["Email": "ANA@example.org"],
            ])
        #expect(contact.success == true, "\(contact)")
        let row = try await client.json(.get, "sobjects/Contact/\(contact.id?.stringValue ?? "")")
        #expect(row.AccountId == .string(id("a")) && row.OwnerId == .string(id("other")))
        #expect(row.ReportsToId == .string(id("ana")))
        let account = try await client.json(.post, "sobjects/Account", body: ["Name": "X", "Parent": ["Code__c": "A"]])
        #expect(account.success == true, "\(account)")
        // Of several possible objects, one is named.
        let task = try await client.json(
            .post, "sobjects/Task",
            body: [
                "Subject": "Call", "Who": ["attributes": ["type": "contact"], "Email": "ana@example.org"],
                "What": ["attributes": ["type": "Account"], "Code__c": "A"],
            ])
        let tasks = try await client.json(.get, "sobjects/Task/\(task.id?.stringValue ?? "")")
        #expect(tasks.WhoId == .string(id("ana")) && tasks.WhatId == .string(id("a")))
    }

    @Test func `Record types are known by their names`() async throws {
        let made = try await client.json(
            .post, "sobjects/Project__c", body: ["Code__c": "R", "RecordType": ["Name": "Small"]])
        #expect(made.success == true, "\(made)")
        #expect(
            try await client.values("SELECT Code__c FROM Project__c WHERE RecordType.DeveloperName = 'Small_One'") == [
                "R"
            ])
        try await expect(
            ["RecordType": ["DeveloperName": "Small_One"]], of: "Project__c",
            "DeveloperName is not an External ID or indexed field for RecordType")
        try await expect(
            ["RecordType": ["Name": "Shared"]], of: "Project__c",
            "More than 1 record found for external ID Shared of field Name in entity RecordType")
    }

    // MARK: Errors

    private func expect(_ body: JSONValue, of object: String = "Step__c", _ message: String) async throws {
        let before = try client.state([(object, ["Id", "LastModifiedDate"])])
        let answer = try await client.send(.post, "sobjects/\(object)", body: body)
        #expect(answer.status == 400)
        #expect(
            try JSONValue(parsing: answer.body) == [
                ["message": .string(message), "errorCode": "INVALID_FIELD", "fields": []]
            ])
        #expect(try client.state([(object, ["Id", "LastModifiedDate"])]) == before)
    }

    @Test func `A reference must name exactly one record`() async throws {
        for code in ["p-9", "P-0", ""] {
            try await expect(
                ["Project__r": ["Code__c": .string(code)]],
                "Foreign key external ID: \(code) not found for field Code__c in entity Project__c")
        }
        try await expect(
            ["Account__r": ["Code__c": "twice"]],
            "More than 1 record found for external ID twice of field Code__c in entity Account")
        try await expect(
            ["Project__r": ["Note__c": "n"]], "Note__c is not an External ID or indexed field for Project__c")
        try await expect(["Project__r": ["Nope__c": "n"]], "No such column 'Nope__c' on sobject of type Project__c")
        try await expect(
            ["Project__r": "P-1"], "The value provided for foreign key reference Project__r is not a nested SObject")
        try await expect(
            ["Project__r": ["Code__c": "P-1", "Number__c": 7]],
            "More than 1 field provided in an external foreign key reference in entity: Project__c")
        try await expect(
            ["Project__r": [:]], "No field provided in an external foreign key reference in entity: Project__c")
        try await expect(
            ["Project__c": .string(id("p1")), "Project__r": ["Code__c": "P-1"]],
            "Cannot specify both an external ID reference Project__r and a salesforce id, Project__c")
        let kind = "The external foreign key reference does not reference a valid entity: "
        try await expect(["Project__r": ["attributes": ["type": "Account"], "Code__c": "A"]], kind + "Project__r")
        try await expect(["Who": ["Email": "ana@example.org"]], of: "Task", kind + "Who")
        try await expect(["Who": ["attributes": ["type": "User"], "Email": "x"]], of: "Task", kind + "Who")
    }

    @Test func `A read-only field is rejected by its own name`() async throws {
        let answer = try await client.json(
            .post, "sobjects/Step__c", body: ["CreatedBy": ["Username": "unknown@example.org"]])
        #expect(client.code(answer) == "INVALID_FIELD_FOR_INSERT_UPDATE", "\(answer)")
        #expect(answer[0]?.fields == ["CreatedById"])
        let value = try await client.json(.post, "sobjects/Step__c", body: ["Project__r": ["Number__c": "x"]])
        #expect(client.code(value) == "JSON_PARSER_ERROR", "\(value)")
    }
}
