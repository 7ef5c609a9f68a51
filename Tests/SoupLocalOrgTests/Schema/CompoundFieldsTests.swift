// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

/// Locations of a seed's own objects, and the objects to which activities can refer.
@Suite struct CompoundFieldsTests {
    private static let seed = #"""
        {"freeze": "2030-01-01T00:00:00Z", "objects": {
          "Shop__c": {"activities": true, "fields": {"Place__c": {"type": "location", "scale": 4}}},
          "Quiet__c": {"fields": {}}},
         "seed": [
          {"object": "Shop__c", "key": "oslo",
            "values": {"Name": "Oslo", "Place__Latitude__s": 59.9, "Place__Longitude__s": 10.7}},
          {"object": "Shop__c", "key": "lost", "values": {"Name": "Lost"}},
          {"object": "Quiet__c", "key": "quiet", "values": {"Name": "Quiet"}}]}
        """#
    private let client: OrgClient

    init() throws { client = try OrgClient(try OrgSeed(json: Array(Self.seed.utf8))) }

    private func id(_ key: String) -> String { client.org.id(of: key) ?? "" }

    @Test func `A location is an object of its parts`() async throws {
        let row = try await client.json(.get, "sobjects/Shop__c/\(id("oslo"))")
        #expect(row.Place__c == ["latitude": 59.9, "longitude": 10.7])
        #expect(row.Place__Latitude__s == 59.9 && row.Place__Longitude__s == 10.7)
        #expect(try await client.values("SELECT Place__c FROM Shop__c WHERE Name = 'Lost'") == [nil])
        let path = "sobjects/Shop__c/\(id("lost"))"
        #expect(try await client.send(.patch, path, body: ["Place__Latitude__s": 1.00005]).status == 204)
        #expect(try await client.json(.get, path).Place__c == ["latitude": 1.0001, "longitude": nil])
        let whole: JSONValue = ["Place__c": ["latitude": 1, "longitude": 2]]
        #expect(client.code(try await client.json(.patch, path, body: whole)) == "INVALID_FIELD_FOR_INSERT_UPDATE")
        for (field, value) in [("Place__Latitude__s", 90.1), ("Place__Longitude__s", -180.1)] as [(String, Double)] {
            let answer = try await client.json(.patch, path, body: .object([field: .double(value)]))
            #expect(client.code(answer) == "NUMBER_OUTSIDE_VALID_RANGE")
        }
        #expect(try await client.json(.get, path).Place__c == ["latitude": 1.0001, "longitude": nil])
    }

    @Test func `Queries measure distances`() async throws {
        let near = "DISTANCE(Place__c, GEOLOCATION(59.9, 10.8), 'km')"
        #expect(
            try await client.values("SELECT Name FROM Shop__c WHERE \(near) < 10 ORDER BY \(near)") == ["Oslo"])
        #expect(try await client.values("SELECT Name FROM Shop__c WHERE \(near) < 1") == [])
        #expect(try await client.values("SELECT Name FROM Shop__c WHERE Place__Latitude__s > 50") == ["Oslo"])
        #expect(
            client.code(try await client.query("SELECT Id FROM Shop__c WHERE Place__c = null")) == "INVALID_FIELD")
    }

    @Test func `Describes contain the location`() async throws {
        let fields = try await client.json(.get, "sobjects/Shop__c/describe").fields?.arrayValue ?? []
        func field(_ name: String) -> JSONValue? { fields.first { $0["name"] == .string(name) } }
        #expect(field("Place__c")?.type == "location" && field("Place__c")?.soapType == "urn:location")
        #expect(field("Place__c")?.createable == false && field("Place__c")?.queryByDistance == true)
        #expect(field("Place__Latitude__s")?.compoundFieldName == "Place__c")
        #expect(field("Place__Latitude__s")?.custom == true && field("Place__Latitude__s")?.scale == 4)
        #expect(field("Place__Latitude__s")?.label == "Place (Latitude)")
    }

    @Test func `Activities belong to objects that allow them`() async throws {
        let task: JSONValue = ["Subject": "Call", "WhatId": .string(id("oslo"))]
        #expect(try await client.send(.post, "sobjects/Task", body: task).status == 201)
        #expect(try await client.values("SELECT What.Type FROM Task WHERE What.Name = 'Oslo'").count == 1)
        let children = try await client.query(
            "SELECT Name, (SELECT Subject FROM Tasks) FROM Shop__c WHERE Name = 'Oslo'")
        #expect(children.records?[0]?.Tasks?.totalSize == 1)
        let refused = try await client.json(.post, "sobjects/Event", body: ["WhatId": .string(id("quiet"))])
        #expect(client.code(refused) == "FIELD_INTEGRITY_EXCEPTION")
        for object in ["Task", "Event"] {
            let fields = try await client.json(.get, "sobjects/\(object)/describe").fields?.arrayValue ?? []
            let parents = fields.first { $0["name"] == "WhatId" }?.referenceTo?.arrayValue ?? []
            #expect(parents.contains("Shop__c") && !parents.contains("Quiet__c"))
        }
        let shop = try await client.json(.get, "sobjects/Shop__c/describe").childRelationships?.arrayValue ?? []
        #expect(shop.contains { $0.childSObject == "Task" && $0.field == "WhatId" && $0.relationshipName == "Tasks" })
        try client.org.delete("Shop__c", id: id("oslo"))
        #expect(try await client.values("SELECT Id FROM Task") == [])
    }
}
