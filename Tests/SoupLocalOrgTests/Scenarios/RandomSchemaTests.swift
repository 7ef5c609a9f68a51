// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

/// Random schema changes: after each of them every resource answers without an internal error.
@Suite struct RandomSchemaTests {
    private static let types = [
        "string", "int", "double", "boolean", "date", "datetime", "picklist", "email", "autonumber",
    ]

    @Test(arguments: 1...3) func `Every resource answers after any change`(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(options: options)
        var made = 0
        var refused = 0
        for step in 0..<12 {
            let names = try await objects(client)
            var changes = JSONObject()
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let name = names.randomElement(using: &random) ?? "Account"
                let change = Self.change(of: name, fields: try await fields(client, name), step: step, &random)
                changes[change.object] = change.value
            }
            do {
                try client.org.changeSchema(changes)
                made += 1
            } catch is ConfigurationError {
                refused += 1
            }
            try await askEverything(client)
        }
        #expect(made > 1 && refused > 1)
    }

    /// Returns a random change of an object, or a new object.
    private static func change(
        of name: String, fields: [String], step: Int, _ random: inout SeededRandom
    ) -> (object: String, value: JSONValue) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return (name, .null)
        case 1: return ("Own\(step)__c", ["fields": ["N__c": ["type": "int"]]])
        case 2:
            return (name, ["fields": ["To\(step)__c": ["type": "reference", "referenceTo": [.string(name)]]]])
        case 3:
            let type = types.randomElement(using: &random) ?? "string"
            return (name, ["fields": .object(["F\(step)__c": ["type": .string(type)]])])
        case 4:
            let text = fields.randomElement(using: &random) ?? "Id"
            let formula: JSONValue = ["type": "boolean", "formula": .string("ISBLANK(\(text))")]
            return (name, ["fields": .object(["C\(step)__c": formula])])
        default:
            let gone = (0..<3).compactMap { _ in fields.randomElement(using: &random) }
            return (name, ["fields": .object(JSONObject(gone.map { (key: $0, value: .null) }))])
        }
    }

    private func objects(_ client: OrgClient) async throws -> [String] {
        try await client.json(.get, "sobjects").sobjects?.arrayValue?.compactMap { $0.name?.stringValue } ?? []
    }

    private func fields(_ client: OrgClient, _ object: String) async throws -> [String] {
        try await client.json(.get, "sobjects/\(object)/describe").fields?.arrayValue?
            .compactMap { $0.name?.stringValue } ?? []
    }

    private func askEverything(_ client: OrgClient) async throws {
        var paths = [
            "limits/recordCount", "recent", "connect/briefcase/priming-records",
            "search?q=" + URLText.query("FIND {acme OR 47}"), "../../oauth2/userinfo",
        ]
        for name in try await objects(client) {
            paths += [
                "sobjects/\(name)", "sobjects/\(name)/describe/layouts", "ui-api/object-info/\(name)",
                "ui-api/layout/\(name)", "query?q=" + URLText.query("select fields(all) from \(name) limit 200"),
                "sobjects/\(name)/deleted?start=2024-01-14T00:00:00Z&end=2024-01-16T00:00:00Z",
            ]
            let created = try await client.send(
                .post, "sobjects/\(name)",
                body: [
                    "LastName": "x", "Name": "x", "Company": "x", "StageName": "Prospecting", "CloseDate": "2024-01-01",
                ])
            #expect(created.status < 500, "POST \(name)")
            let answer = try await client.send(.post, "sobjects/\(name)", body: [:])
            #expect(answer.status < 500, "POST \(name)")
            guard answer.status == 201, let id = try JSONValue(parsing: answer.body).id?.stringValue else { continue }
            #expect(try await client.send(.patch, "sobjects/\(name)/\(id)", body: [:]).status < 500)
            #expect(try await client.send(.delete, "sobjects/\(name)/\(id)").status < 500)
            if try client.org.state(of: name).last?.IsDeleted == true { try client.org.undelete(id: id) }
        }
        for path in paths {
            let answer = try await client.send(.get, path)
            #expect(answer.status < 500, "\(path): \(String(decoding: answer.body, as: UTF8.self).prefix(300))")
        }
    }
}
