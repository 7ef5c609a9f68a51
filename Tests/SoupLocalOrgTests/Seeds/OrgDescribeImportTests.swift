// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Imports of describes as seed files.
@Suite struct OrgDescribeImportTests {
    private func bytes(_ json: JSONValue) throws -> [UInt8] { Array(try JSONText(json).bytes) }

    private func imported(_ describes: [JSONValue]) throws -> (client: OrgClient, notes: [String]) {
        var importing = OrgDescribeImport()
        for describe in describes { try importing.add(try bytes(describe)) }
        return (try OrgClient(try OrgSeed(json: try importing.seedFile())), try importing.notes)
    }

    private func describe(_ client: OrgClient, _ object: String) async throws -> JSONValue {
        try await client.json(.get, "sobjects/\(object)/describe")
    }

    @Test func `Our own describes are imported unchanged`() async throws {
        let client = try OrgClient()
        let global = try await client.json(.get, "sobjects")
        let names = try #require(global.sobjects?.arrayValue).compactMap { $0.name?.stringValue }
        #expect(names.count > 15)
        var describes: [JSONValue] = []
        for name in names { describes.append(try await describe(client, name)) }
        let (again, notes) = try imported(describes + [global])
        #expect(notes == [])
        for (name, before) in zip(names, describes) {
            let after = try await describe(again, name)
            for (key, value) in before.objectValue?.members ?? [] where key != "fields" {
                #expect(after[key] == value, "\(name).\(key)")
            }
            #expect(after.fields?.arrayValue?.map { $0.name } == before.fields?.arrayValue?.map { $0.name }, "\(name)")
            for (old, new) in zip(before.fields?.arrayValue ?? [], after.fields?.arrayValue ?? []) {
                for (key, value) in old.objectValue?.members ?? [] {
                    #expect(new[key] == value, "\(name).\(old.name?.stringValue ?? "").\(key)")
                }
            }
        }
        // The imported objects can be used like before.
        let account = try await again.json(.post, "sobjects/Account", body: ["Name": "A", "BillingCity": "Oslo"])
        let contact = try await again.json(
            .post, "sobjects/Contact", body: ["LastName": "Ng", "AccountId": account.id ?? .null])
        #expect(contact.success == true)
        let answer = try await again.query("select BillingAddress, (select Name from Contacts) from Account")
        #expect(answer.records?[0]?.BillingAddress?.city == "Oslo")
        #expect(answer.records?[0]?.Contacts?.records?[0]?.Name == "Ng")
    }

    /// A describe of an account like one of a real org: fewer fields, other picklists, and features that a local org
    /// lacks.
    private static let account: JSONValue = [
        "name": "Account", "label": "Firma", "labelPlural": "Firmen", "keyPrefix": "001", "createable": true,
        "deletable": false, "mruEnabled": true,
        "childRelationships": [
            ["childSObject": "Trip__c", "field": "Firm__c", "relationshipName": "Trips__r", "cascadeDelete": true]
        ],
        "recordTypeInfos": [
            ["active": true, "developerName": "Kunde", "name": "Kunde", "defaultRecordTypeMapping": true],
            ["active": false, "developerName": "Alt", "name": "Alt"],
            ["active": true, "developerName": "Master", "name": "Master", "master": true],
        ],
        "fields": [
            ["name": "Id", "type": "id", "nillable": false],
            [
                "name": "Name", "type": "string", "label": "Firmenname", "length": 100, "nillable": false,
                "createable": true, "updateable": true, "nameField": true,
            ],
            [
                "name": "Rating", "type": "picklist", "length": 255, "nillable": true, "createable": true,
                "updateable": true, "restrictedPicklist": true,
                "picklistValues": [
                    ["value": "Alt", "active": false], ["value": "Heiß", "active": true, "defaultValue": true],
                ],
            ],
            ["name": "Place__c", "type": "location", "nillable": true],
            [
                "name": "Place__Latitude__s", "type": "double", "precision": 18, "scale": 4, "nillable": true,
                "createable": true, "updateable": true, "compoundFieldName": "Place__c",
            ],
            [
                "name": "Place__Longitude__s", "type": "double", "precision": 18, "scale": 4, "nillable": true,
                "createable": true, "updateable": true, "compoundFieldName": "Place__c",
            ],
            ["name": "Photo__c", "type": "base64", "nillable": true, "createable": true, "updateable": true],
            [
                "name": "Guess__c", "type": "anyType", "length": 20, "nillable": true, "createable": true,
                "updateable": true,
            ],
            [
                "name": "Odd__c", "type": "string", "length": 9, "nillable": false, "createable": true,
                "updateable": true,
                "defaultedOnCreate": true, "defaultValueFormula": "TODAY()",
            ],
            [
                "name": "Who__c", "type": "reference", "referenceTo": ["Individual", "Other__c"], "nillable": true,
                "createable": true, "updateable": true, "relationshipName": "Who__r",
            ],
            ["name": "Number__c", "type": "string", "autoNumber": true, "length": 30, "nillable": false],
            ["name": "Sum__c", "type": "double", "calculated": true, "precision": 18, "scale": 2, "nillable": true],
        ],
    ]

    private static let trip: JSONValue = [
        "name": "Trip__c", "label": "Trip", "labelPlural": "Trips", "keyPrefix": "a7x", "custom": true,
        "childRelationships": [["childSObject": "Task", "field": "WhatId", "relationshipName": "Tasks"]],
        "fields": [
            [
                "name": "Name", "type": "string", "length": 80, "nillable": true, "createable": true,
                "updateable": true,
                "nameField": true, "defaultedOnCreate": true,
            ],
            [
                "name": "Firm__c", "type": "reference", "referenceTo": ["Account"], "nillable": false,
                "createable": true,
                "cascadeDelete": true, "relationshipName": "Firm__r",
            ],
        ],
    ]

    @Test func `Unsupported parts of fields are reported`() throws {
        func field(_ name: String, type: String, _ more: JSONObject) -> JSONValue {
            var json: JSONObject = [
                "name": .string(name), "type": .string(type), "nillable": true, "createable": true, "updateable": true,
            ]
            for (key, value) in more.members { json[key] = value }
            return .object(json)
        }
        let describe: JSONValue = [
            "name": "Trip__c", "label": "Trip", "labelPlural": "Trips", "keyPrefix": "a7x", "custom": true,
            "fields": [
                field("Name", type: "string", ["nameField": true, "length": 80]),
                field("By__c", type: "string", ["length": 80, "defaultValueFormula": "$User.FirstName"]),
                field("On__c", type: "date", ["defaultValueFormula": "TODAY()"]),
                field("Days__c", type: "double", ["precision": 4, "scale": 0, "defaultValueFormula": "3"]),
                field(
                    "City__c", type: "picklist",
                    [
                        "dependentPicklist": true, "controllerName": "Land__c",
                        "picklistValues": [["value": "Rome", "active": true], ["value": "Ulm", "active": false]],
                    ]),
            ],
        ]
        let (client, notes) = try imported([[describe]])
        #expect(
            notes == [
                "Trip__c.By__c has no default: $User.FirstName is not supported.",
                "Trip__c.On__c has no default: TODAY() is not supported.",
                "Trip__c.City__c accepts all its values, regardless of Land__c.",
            ])
        try client.org.insert("Trip__c", ["Name": "a"])
        #expect(try client.org.state(of: "Trip__c").map { [$0.By__c, $0.On__c, $0.Days__c] } == [[.null, .null, 3]])
    }

    @Test func `Another org's objects are served`() async throws {
        let global: JSONValue = ["sobjects": [["name": "Individual", "label": "Person", "keyPrefix": "0PK"]]]
        let (client, notes) = try imported([[Self.account, Self.trip], global])
        #expect(
            notes == [
                "Account.Guess__c is a string: its type is anyType.",
                "Account.Odd__c has no default: TODAY() is not supported.",
                "Account.Odd__c can be empty: its describe does not contain its default.",
                "Account.Sum__c is empty: its describe does not contain its formula.",
                "Individual has no describe: the seed file has only its Id and Name.",
            ])
        let fields = try await describe(client, "Account").fields?.arrayValue?.compactMap { $0.name?.stringValue }
        #expect(
            fields == [
                "Id", "IsDeleted", "Name", "Rating", "RecordTypeId", "CreatedDate", "CreatedById", "LastModifiedDate",
                "LastModifiedById", "SystemModstamp", "LastViewedDate", "LastReferencedDate", "Place__c",
                "Place__Latitude__s", "Place__Longitude__s", "Photo__c", "Guess__c", "Odd__c", "Who__c", "Number__c",
                "Sum__c",
            ])
        #expect(try await describe(client, "Individual").keyPrefix == "0PK")
        let created = try await client.json(
            .post, "sobjects/Account",
            body: ["Name": "F", "Place__Latitude__s": 1.5, "Place__Longitude__s": 2.5, "Photo__c": "AQID"])
        let row = try client.org.state(of: "Account")[0]
        #expect(row.Place__c == ["latitude": 1.5, "longitude": 2.5])
        #expect(try await client.send(.get, row.Photo__c?.stringValue ?? "").body == [1, 2, 3])
        let parents = try await describe(client, "Task").fields?.arrayValue?.first { $0["name"] == "WhatId" }
        #expect(parents?.referenceTo?.arrayValue?.contains("Trip__c") == true)
        #expect(row.Rating == "Heiß" && row.Number__c == "1" && row.RecordTypeId != .null)
        #expect(
            client.code(try await client.json(.post, "sobjects/Account", body: ["Name": "F", "Rating": "Alt"]))
                == "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST")
        let trip = try await client.json(.post, "sobjects/Trip__c", body: ["Firm__c": created.id ?? .null])
        #expect(trip.id?.stringValue?.hasPrefix("a7x") == true)
        let trips = try await client.query("select (select Name from Trips__r) from Account")
        #expect(trips.records?[0]?.Trips__r?.totalSize == 1)
    }

    @Test func `Computable formulas are imported`() throws {
        func field(_ name: String, _ formula: String) -> JSONValue {
            [
                "name": .string(name), "type": "double", "precision": 18, "scale": 2, "calculated": true,
                "calculatedFormula": .string(formula), "nillable": true,
            ]
        }
        let describe: JSONValue = [
            "name": "Deal__c", "custom": true, "createable": true, "keyPrefix": "a0D",
            "fields": [
                ["name": "Name", "type": "string", "length": 80, "nameField": true, "createable": true],
                ["name": "N__c", "type": "double", "precision": 18, "scale": 2, "createable": true, "nillable": true],
                field("Good__c", "N__c * 2"), field("Bad__c", "TODAY() - N__c"), field("User__c", "Bad__c + Good__c"),
            ],
        ]
        let (client, notes) = try imported([describe])
        #expect(notes.map { String($0.prefix { $0 != ":" }) }.sorted().first == "Deal__c.Bad__c is empty")
        _ = try client.org.insert("Deal__c", ["N__c": 3])
        let row = try client.org.state(of: "Deal__c")[0]
        #expect(row.Good__c == 6 && row.Bad__c == .null)
    }

    @Test func `A text that is not a describe is reported`() throws {
        func refusal(_ text: String) -> String {
            do {
                var importing = OrgDescribeImport()
                try importing.add(Array(text.utf8), file: "a.json")
                _ = try importing.seedFile()
                return "taken"
            } catch { return (error as? SoupError).map { "\($0.code): \($0.message)" } ?? "\(error)" }
        }
        #expect(refusal("{").hasPrefix("json: "))
        for text in ["{}", "[]", "3", #"{"records": []}"#] {
            #expect(refusal(text) == "badConfiguration: a.json describes no object")
        }
        #expect(refusal(#"{"sobjects": [{"name": "Account"}]}"#).hasPrefix("badConfiguration: no object is described"))
        #expect(refusal(#"{"name": "A b", "fields": []}"#).contains("cannot be the name of an object"))
    }
}
