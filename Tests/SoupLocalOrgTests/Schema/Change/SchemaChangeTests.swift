// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

/// Schema changes of a running org with records.
@Suite final class SchemaChangeTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "soup-schema-\(UUID().uuidString)")
    private let client: OrgClient

    init() throws {
        var options = OrgOptions()
        options.admin = true
        client = try OrgClient(options: options)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private var org: LocalOrg { client.org }

    private func id(_ key: String) -> String { org.id(of: key) ?? "" }

    /// Returns the whole state of the org and its descriptions as one text.
    private func everything(_ client: OrgClient) async throws -> String {
        var lines: [String] = []
        let list = try await client.json(.get, "sobjects").sobjects?.arrayValue ?? []
        for name in list.compactMap({ $0.name?.stringValue }) {
            lines.append("\(try await client.json(.get, "sobjects/\(name)/describe"))")
            lines += try client.org.state(of: name).map { "\($0)" }
        }
        return lines.joined(separator: "\n")
    }

    private func fields(_ object: String) async throws -> [String] {
        try await client.json(.get, "sobjects/\(object)/describe").fields?.arrayValue?
            .compactMap { $0.name?.stringValue } ?? []
    }

    /// Returns the lines that only one of two states has.
    private func difference(_ left: String, _ right: String) -> [Substring] {
        let (left, right) = (left.split(separator: "\n"), right.split(separator: "\n"))
        return left.filter { !right.contains($0) } + right.filter { !left.contains($0) }
    }

    private func expectUnchanged(_ client: OrgClient, since before: String) async throws {
        let changes = difference(try await everything(client), before)
        #expect(changes.isEmpty)
        for change in changes { Issue.record("\(change.prefix(300))") }
    }

    /// Returns the messages for an invalid change, which must not change anything.
    private func refusal(_ changes: JSONObject) async throws -> [String] {
        func state() async throws -> [JSONValue] {
            var state = [try await client.json(.get, "/_emu/schema")]
            for name in ["Account", "Contact", "Lead", "Visit__c", "Visit_Item__c", "RecordType", "User"] {
                state.append(try await client.json(.get, "sobjects/\(name)/describe"))
                state += try org.state(of: name)
            }
            return state
        }
        let before = try await state()
        var problems: [String] = []
        do {
            try org.changeSchema(changes)
        } catch let error as ConfigurationError {
            problems = error.problems.map { "\($0.place.path ?? ""): \($0.message)" }
        }
        #expect(try await state() == before)
        return problems
    }

    @Test func `An added field is used everywhere at once`() async throws {
        let describe = "sobjects/Account/describe"
        let seen = try await client.send(.get, describe)
        let stamp = try #require(seen.response.headerFields[.lastModified])
        let since = HTTPFields([HTTPField(name: .ifModifiedSince, value: stamp)])
        #expect(try await client.send(.get, describe, headers: since).status == 304)
        let first = try await client.query("select Id from Account", batchSize: 200)
        #expect(first.totalSize == 3)
        try org.changeSchema([
            "account": [
                "fields": [
                    "Score__c": ["type": "int", "precision": 3], "Code__c": ["type": "string", "externalId": true],
                    "VIP__c": ["type": "boolean", "default": true],
                    "No__c": ["type": "autonumber", "format": "N-{00}"],
                    "Guide__c": [
                        "type": "reference", "referenceTo": ["Contact"], "childRelationshipName": "Guided__r",
                    ],
                ],
                "validationRules": [["when": "Score__c < 0", "message": "no", "field": "Score__c"]],
            ]
        ])
        #expect(try await client.send(.get, describe, headers: since).status == 200)
        #expect(
            try client.state([("Account", ["Name", "Score__c", "VIP__c", "No__c", "Guide__c"])]) == """
                Account Acme null true N-01 null
                Account Globex null true N-02 null
                Account O'Neil 100%_x null true N-03 null
                [Account Deleted null true N-04 null]
                """)
        let created = try await client.json(
            .post, "sobjects/Account",
            body: ["Name": "New", "Score__c": 7, "Code__c": "c", "Guide__c": .string(id("con3"))])
        #expect(created.success == true)
        #expect(
            try await client.values("select No__c from Account where Score__c > 5 and Guide__r.LastName = 'Orphan'")
                == ["N-05"])
        #expect(try await client.query("select Id, (select Id from Guided__r) from Contact").totalSize == 3)
        #expect(try await client.json(.patch, "sobjects/Account/Code__c/c", body: ["Score__c": 8]).created == false)
        let path = "sobjects/Account/\(id("acc1"))"
        #expect(
            client.code(try await client.json(.patch, path, body: ["Score__c": -1]))
                == "FIELD_CUSTOM_VALIDATION_EXCEPTION")
        #expect(
            client.code(try await client.json(.patch, path, body: ["Score__c": 1000])) == "NUMBER_OUTSIDE_VALID_RANGE")
        #expect(try await fields("Account").suffix(5) == ["Score__c", "Code__c", "VIP__c", "No__c", "Guide__c"])
        let info = try await client.json(.get, "ui-api/object-info/Account")
        #expect(info.fields?.Score__c?.dataType == "Int")
    }

    @Test func `A field is removed with its values`() async throws {
        try org.changeSchema([
            "Account": ["fields": ["Rating": nil, "BillingAddress": nil]], "Lead": ["fields": ["Legacy__c": nil]],
        ])
        let names = try await fields("Account")
        #expect(!names.contains("Rating") && !names.contains { $0.hasPrefix("Billing") } && names.contains("Type"))
        #expect(client.code(try await client.query("select Rating from Account")) == "INVALID_FIELD")
        let answer = try await client.json(.patch, "sobjects/Account/\(id("acc1"))", body: ["Rating": "Hot"])
        #expect(client.code(answer) == "INVALID_FIELD")
        #expect(client.code(try await client.json(.get, "sobjects/Lead/Legacy__c/L-1")) == "NOT_FOUND")
        // The object returns without its own fields, with the standard field unchanged.
        try org.changeSchema(["Account": ["fields": ["rating": [:]]]])
        #expect(try await client.values("select Rating from Account") == [nil, nil, nil])
        #expect(try await client.send(.patch, "sobjects/Account/\(id("acc1"))", body: ["Rating": "Cold"]).status == 204)
    }

    @Test func `A relationship is removed with its field`() async throws {
        try org.delete("Account", id: id("acc1"))
        try org.changeSchema(["Visit__c": ["fields": ["Account__c": nil]]])
        let describe = try await client.json(.get, "sobjects/Account/describe")
        #expect(describe.childRelationships?.arrayValue?.contains { $0.childSObject == "Visit__c" } == false)
        #expect(
            client.code(try await client.query("select Id, (select Id from Visits__r) from Account")) == "INVALID_FIELD"
        )
        // The reference that the delete cleared cannot be restored.
        try org.undelete(id: id("acc1"))
        #expect(try client.state([("Visit__c", ["External_Id__c"])]) == "Visit__c V/1")
    }

    @Test func `Records need no source fields of formulas`() throws {
        try org.changeSchema([
            "Opportunity": ["fields": ["StageName": nil, "Amount": nil, "Probability": nil]],
            "Contact": ["fields": ["FirstName": nil, "Email": nil]], "Case": ["fields": ["Status": nil]],
            "Task": ["fields": ["Status": nil, "Priority": nil]],
        ])
        try org.insert("Opportunity", ["Name": "New", "CloseDate": "2024-02-01"])
        try org.edit("Opportunity", id: id("opp2"), ["Name": "Other"])
        try org.insert("Contact", ["LastName": "New"])
        try org.insert("Case", ["Subject": "New"])
        try org.insert("Task", ["Subject": "New"])
        #expect(
            try client.state([
                ("Opportunity", ["Name", "IsClosed", "ExpectedRevenue"]), ("Contact", ["Name"]),
                ("Case", ["Subject", "IsClosed"]), ("Task", ["Subject", "IsClosed", "IsHighPriority"]),
            ]) == """
                Opportunity First false 10.0
                Opportunity Other false null
                Opportunity New false null
                Contact Ana Ng
                Contact Smith
                Contact Orphan
                Contact New
                Case Broken false
                Case New false
                Task New false false
                """)
    }

    @Test func `Objects are added and removed`() async throws {
        let before = try await everything(client)
        try org.changeSchema([
            "Shelf__c": ["fields": ["Code__c": ["type": "string", "unique": true]]],
            "Book__c": ["fields": ["Shelf__c": ["type": "masterdetail", "referenceTo": ["Shelf__c"]]]],
        ])
        let shelf = try org.insert("Shelf__c", ["Code__c": "A"])
        let book = try org.insert("Book__c", ["Shelf__c": .string(shelf)])
        #expect(shelf.hasPrefix("a02") && book.hasPrefix("a03"))
        #expect(try await client.values("select Shelf__r.Code__c from Book__c").count == 1)
        try org.changeSchema(["Shelf__c": nil, "Book__c": nil])
        #expect(client.code(try await client.query("select Id from Book__c")) == "INVALID_TYPE")
        #expect(try await client.json(.get, "sobjects/Book__c/\(book)")[0]?.errorCode == "NOT_FOUND")
        let after = try await everything(client)
        #expect(after == before)
        // No ID is assigned twice, and no ID of a removed record names another one.
        try org.changeSchema(["Crate__c": ["fields": [:]], "Shelf__c": ["fields": [:]]])
        #expect(try org.insert("Crate__c", [:]).hasPrefix("a04"))
        let other = try org.insert("Shelf__c", [:])
        #expect(other.hasPrefix("a05") && other.hasSuffix("2AAA"))
        // A standard object and the objects that refer to it.
        try org.changeSchema([
            "Product2": nil, "Asset": nil, "Attachment": nil,
            "Task": ["fields": ["WhatId": ["referenceTo": ["Account", "Opportunity", "Case"]]]],
            "Event": ["fields": ["WhatId": ["referenceTo": ["Account", "Opportunity", "Case"]]]],
        ])
        #expect(client.code(try await client.query("select Id from Product2")) == "INVALID_TYPE")
        #expect(
            try await client.json(.get, "sobjects/Account/describe").childRelationships?.arrayValue?
                .contains { $0.childSObject == "Asset" } == false)
    }

    @Test func `Parts in use cannot be removed`() async throws {
        let refused = try await refusal([
            "Visit__c": ["fields": ["Version__c": nil, "Name": nil, "OwnerId": nil]], "User": nil, "Contcat": nil,
        ])
        #expect(
            refused.prefix(4) == [
                "objects.Visit__c.fields.Name: Visit__c.Name is the name of its records",
                "objects.Visit__c.fields.OwnerId: Visit__c.OwnerId is a field that the org fills",
                "objects.User: the org itself needs User",
                "objects.Contcat: there is no object \"Contcat\" to remove",
            ])
        let rule = try await refusal(["Visit__c": ["fields": ["Version__c": nil]]])
        #expect(!rule.isEmpty && rule.allSatisfy { $0.hasPrefix("objects.Visit__c.validationRules[0].") })
        // Together with the rule it can be removed.
        try org.changeSchema(["Visit__c": ["fields": ["Version__c": nil], "validationRules": []]])
        #expect(
            try await refusal(["Visit__c": nil]) == [
                "objects.Visit_Item__c.fields.Visit__c.referenceTo[0]: there is no object \"Visit__c\""
            ])
        let product = try await refusal(["Product2": nil]).compactMap { $0.split(separator: ":").first }
        #expect(product.contains("objects.Asset.fields.Product2Id.referenceTo"))
        #expect(
            try await refusal(["Account": ["fields": ["BillingCity": nil]]]) == [
                "objects.Account.fields.BillingCity: Account.BillingCity is a part of BillingAddress"
            ])
    }

    @Test func `A change that conflicts with rows is rejected`() async throws {
        // Each contains a valid part too, which must not be applied either.
        let good: JSONValue = ["fields": ["Good__c": ["type": "string"]]]
        func refusal(_ object: String, _ description: JSONValue) async throws -> [String] {
            try await self.refusal(["Contact": good, object: description])
        }
        #expect(
            try await refusal("Account", ["fields": ["X__c": ["type": "strnig"], "Name": ["length": -1]]])
                == [
                    "objects.Account.fields.Name.length: -1 is not a valid length",
                    "objects.Account.fields.X__c.type: there is no field type \"strnig\"",
                ].sorted { $0 > $1 })
        #expect(
            try await refusal("Account", ["fields": ["AnnualRevenue": ["type": "string"]]]) == [
                "objects.Account.fields.AnnualRevenue: Account.AnnualRevenue cannot change from currency to string"
            ])
        #expect(
            try await refusal("Lead", ["fields": ["Legacy__c": ["unique": true]]]) == [
                "objects.Lead.fields.Legacy__c: Lead.Legacy__c has \"L-1\" more than once"
            ])
        #expect(
            try await refusal(
                "Account", ["fields": ["Top__c": ["type": "masterdetail", "referenceTo": ["Contact"]]]]) == [
                    "objects.Account.fields.Top__c: Account has records, which would be without a master"
                ])
        #expect(
            try await refusal("Visit__c", ["keyPrefix": "zz9"]) == [
                "objects.Visit__c.keyPrefix: the key prefix of Visit__c cannot change: its records' ids begin with it"
            ])
        #expect(try await refusal("Account", ["fielsd": [:]]).count == 1)
        #expect(try await refusal("Account", 7).count == 1)
        #expect(try await refusal("Account", ["validationRules": [["when": "Nope__c = 1"]]]).count == 1)
    }

    @Test func `A new unique field compares by its case sensitivity`() async throws {
        try org.changeSchema(["Contact": ["fields": ["FirstName": ["unique": true, "caseSensitive": true]]]])
        try org.insert("Contact", ["LastName": "x", "FirstName": "ANA"])
        #expect(try await client.values("select FirstName from Contact where FirstName = 'Ana'") == ["Ana"])
        #expect(throws: SoupError.self) { try org.insert("Contact", ["LastName": "x", "FirstName": "Ana"]) }
        #expect(
            try await refusal(["Contact": ["fields": ["FirstName": ["caseSensitive": false]]]]) == [
                "objects.Contact.fields.FirstName: Contact.FirstName has \"ANA\" more than once"
            ])
    }

    @Test func `Record types keep their IDs`() async throws {
        let visit = try #require(org.insert("Visit__c", [:]) as String?)
        let routine = try #require(org.state(of: "Visit__c").last?.RecordTypeId?.stringValue)
        try org.changeSchema([
            "Account": ["recordTypes": [["developerName": "Big", "name": "Big one", "default": true]]],
            "Visit__c": [
                "recordTypes": [
                    ["developerName": "Special", "name": "Special"], ["developerName": "Routine", "name": "Usual"],
                ]
            ],
        ])
        #expect(
            try client.state([("RecordType", ["SobjectType", "DeveloperName", "Name", "Id"])]).split(separator: "\n")
                .map(String.init) == [
                    "RecordType Visit__c Routine Usual \(routine)", "RecordType Account Big Big one 012000000000002AAA",
                    "RecordType Visit__c Special Special 012000000000003AAA",
                ])
        #expect(try await client.values("select RecordType.Name from Visit__c where Id = '\(visit)'").count == 1)
        try org.insert("Account", ["Name": "New"])
        #expect(try org.state(of: "Account").last?.RecordTypeId == "012000000000002AAA")
        try org.changeSchema(["Visit__c": ["recordTypes": [["developerName": "Special"]]]])
        #expect(try org.state(of: "Visit__c").allSatisfy { $0.RecordTypeId == .null })
        #expect(try org.state(of: "RecordType").count == 2)
    }

    @Test func `Pages continue only after additions`() async throws {
        for index in 0..<250 { try org.insert("Account", ["Name": .string("A\(index)")]) }
        let first = try await client.query("select Name, Rating from Account", batchSize: 200)
        let next = try #require(first.nextRecordsUrl?.stringValue)
        try org.changeSchema(["Account": ["fields": ["Score__c": ["type": "int"]]]])
        #expect(try await client.json(.get, next).records?.arrayValue?.count == 53)
        try org.changeSchema(["Account": ["fields": ["Rating": nil]]])
        #expect(client.code(try await client.json(.get, next)) == "INVALID_QUERY_LOCATOR")
    }

    @Test func `The file and snapshots contain the change`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func open() throws -> OrgClient {
            var options = OrgOptions()
            options.stateFile = folder.appending(path: "org.db")
            return try OrgClient(options: options)
        }
        var before = ""
        do {
            let client = try open()
            try client.org.changeSchema([
                "Crate__c": ["fields": ["N__c": ["type": "int"]], "recordTypes": [["developerName": "Big"]]],
                "Account": ["fields": ["Score__c": ["type": "int"], "Fax": nil]], "Visit_Item__c": nil,
            ])
            try client.org.insert("Crate__c", ["N__c": 1])
            try client.org.edit("Account", id: client.org.id(of: "acc1") ?? "", ["Score__c": 5])
            before = try await everything(client)
        }
        let client = try open()
        try await expectUnchanged(client, since: before)
        #expect(client.org.id(of: "vit1") == nil && client.org.id(of: "vis1") != nil)
        try client.org.takeSnapshot()
        try client.org.changeSchema(["Crate__c": nil, "Account": ["fields": ["Score__c": nil]]])
        #expect(try await everything(client) != before)
        try client.org.restoreSnapshot()
        try await expectUnchanged(client, since: before)
        try client.org.reset(to: .tiny)
        #expect(try await everything(client) == everything(OrgClient()))
    }

    @Test func `The administration accepts the same`() async throws {
        let added = try await client.send(
            .post, "/_emu/schema", body: ["objects": ["Account": ["fields": ["Score__c": ["type": "int"]]]]])
        #expect(added.status == 200)
        #expect(try await fields("Account").last == "Score__c")
        let shown = try await client.json(.get, "/_emu/schema")
        #expect(shown.objects?.Account == ["fields": ["Score__c": ["type": "int"]]])
        let before = try await everything(client)
        for body: JSONValue in [
            ["objects": ["User": nil]], ["objects": 7], [:], ["objects": [:], "remove": ["Account"]], [],
            ["objects": ["Account": ["fields": ["Score__c": ["type": "date"]]]]],
        ] {
            let answer = try await client.json(.post, "/_emu/schema", body: body)
            #expect(["INVALID_INPUT", "JSON_PARSER_ERROR"].contains(client.code(answer) ?? ""))
        }
        try await expectUnchanged(client, since: before)
    }

    /// Stored values are not truncated.
    @Test func `A field does not become smaller than its values`() throws {
        let org = try LocalOrg(seed: .tiny)
        for (field, change) in [("Name", ["length": 12]), ("AnnualRevenue", ["precision": 6])] as [(String, JSONValue)]
        {
            let changes: JSONObject = ["Account": ["fields": .object(JSONObject([(key: field, value: change)]))]]
            let error = #expect(throws: ConfigurationError.self) { try org.changeSchema(changes) }
            let messages = error?.problems.map(\.description) ?? []
            #expect(
                messages.count == 1
                    && messages[0].hasPrefix(
                        "objects.Account.fields.\(field): a record has a value that is too large for Account.\(field)"),
                "\(messages)")
        }
        try org.changeSchema(["Account": ["fields": ["Name": ["length": 13], "AnnualRevenue": ["precision": 7]]]])
    }
}
