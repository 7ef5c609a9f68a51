// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct RecordTreeHandlerTests {
    private let objects = [("Account", ["Name"]), ("Contact", ["LastName"]), ("Case", ["Subject"])]

    private func record(_ type: String, reference: String, _ values: JSONObject) -> JSONValue {
        var record: JSONObject = ["attributes": ["type": .string(type), "referenceId": .string(reference)]]
        for (key, value) in values.members { record[key] = value }
        return .object(record)
    }

    @Test func `Parents are created before their children`() async throws {
        let client = try OrgClient()
        let child = record(
            "Contact", reference: "r3",
            ["LastName": "C", "Cases": ["records": [record("Case", reference: "r4", ["Subject": "S"])]]])
        let answer = try await client.json(
            .post, "composite/tree/Account",
            body: [
                "records": [
                    record("Account", reference: "r1", ["Name": "A", "contacts": ["records": [child]]]),
                    record("Account", reference: "r2", ["Name": "B"]),
                ]
            ])
        #expect(answer.results?.arrayValue?.map { $0.referenceId } == ["r1", "r2", "r3", "r4"])
        let found = try await client.query("SELECT Contact.Name, Contact.Account.Name FROM Case WHERE Subject = 'S'")
        #expect(found.records?[0]?.Contact?.Account?["Name"] == "A")
    }

    @Test func `One failure rolls the tree back`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        let answer = try await client.json(
            .post, "composite/tree/Account",
            body: [
                "records": [
                    record(
                        "Account", reference: "r1",
                        ["Name": "A", "Contacts": ["records": [record("Contact", reference: "r2", [:])]]]),
                    record("Account", reference: "r3", ["Name": "B"]),
                ]
            ])
        #expect(answer.hasErrors == true && answer.results?.arrayValue?.map { $0.referenceId } == ["r2"])
        #expect(answer.results?[0]?.errors?[0]?.fields == ["LastName"])
        #expect(try client.state(objects) == before)
    }

    @Test func `Each reference ID names one record`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        let same = record("Account", reference: "r1", ["Name": "A"])
        let answer = try await client.send(
            .post, "composite/tree/Account",
            body: ["records": [same, record("Account", reference: "r2", ["Name": "B"]), same]])
        #expect(answer.status == 400)
        let json = try JSONValue(parsing: answer.body)
        #expect(json.hasErrors == true && json.results?.arrayValue?.map { $0.referenceId } == ["r1", "r1"])
        #expect(try client.state(objects) == before)
    }

    @Test func `A tree has its limits`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        func nested(_ depth: Int) -> JSONValue {
            guard depth > 1 else { return record("Account", reference: "r1", ["Name": "A"]) }
            return record(
                "Account", reference: "r\(depth)", ["Name": "A", "ChildAccounts": ["records": [nested(depth - 1)]]])
        }
        func list(_ relationship: String, _ type: String) -> (String, JSONValue) {
            (
                relationship,
                ["records": [record(type, reference: type, ["Name": "x", "Subject": "x", "LastName": "x"])]]
            )
        }
        var wide: JSONObject = ["Name": "A"]
        for (name, type) in [
            ("Contacts", "Contact"), ("Opportunities", "Opportunity"), ("Cases", "Case"), ("Tasks", "Task"),
            ("Events", "Event"),
        ] {
            wide[name] = list(name, type).1
        }
        let many = (0..<201).map { record("Account", reference: "r\($0)", ["Name": "A"]) }
        for records in [
            [nested(6)], [record("Account", reference: "r", wide)], many,
            [record("Contact", reference: "r", ["Name": "A"])], [],
        ] {
            let answer = try await client.send(.post, "composite/tree/Account", body: ["records": .array(records)])
            #expect(answer.status == 400)
            #expect((try JSONValue(parsing: answer.body)).arrayValue != nil)
        }
        #expect(try client.state(objects) == before)
        #expect(try await client.send(.post, "composite/tree/Account", body: ["records": [nested(5)]]).status == 201)
    }
}
