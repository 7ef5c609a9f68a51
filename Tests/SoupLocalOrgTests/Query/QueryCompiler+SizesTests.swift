// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

/// Queries that are deep, long or wide: they return the right records, or fail with an error of the query language.
@Suite struct QueryCompilerSizesTests {
    /// `Name = 'Acme' AND (NOT (Name = 'Acme' AND (NOT (...))))`: true for every other depth.
    private static func negations(_ depth: Int) -> String {
        String(repeating: "Name = 'Acme' and (not (", count: depth) + "Name = 'Acme'"
            + String(repeating: "))", count: depth)
    }

    /// `Name = 'x' OR (Name != 'x' AND (Name = 'x' OR (...)))`.
    private static func alternations(_ depth: Int) -> String {
        (0..<depth).map { $0 % 2 == 0 ? "Name = 'x' or (" : "Name != 'x' and (" }.joined() + "Name = 'Acme'"
            + String(repeating: ")", count: depth)
    }

    @Test(arguments: [1, 2, 12, 13, 14, 24]) func `Deep conditions find rows`(_ depth: Int) async throws {
        let client = try OrgClient()
        let all = try await client.values("select Name from Account")
        #expect(
            try await client.values("select Name from Account where \(Self.negations(depth))")
                == (depth % 2 == 0 ? ["Acme"] : []))
        #expect(
            try await client.values("select Name from Account where \(Self.alternations(depth * 2 - 1))") == ["Acme"])
        #expect(
            try await client.values("select Name from Account where not (\(Self.negations(depth)))")
                == all.filter { depth % 2 == 1 || $0 != "Acme" })
    }

    @Test func `A query too complex for SQLite harms no others`() async throws {
        let client = try OrgClient()
        let soql = "select Name from Account where \(Self.alternations(98))"
        for path in ["query?q=", "queryAll?q=", "query?explain="] {
            let answer = try await client.json(.get, path + URLText.query(soql))
            #expect(client.code(answer) == "QUERY_TOO_COMPLICATED", "\(path)")
        }
        let job: JSONValue = ["operation": "query", "query": .string(soql)]
        let made = try await client.send(.post, "jobs/query", body: job)
        #expect(made.status == 400)
        #expect(client.code(try JSONValue(parsing: made.body)) == "QUERY_TOO_COMPLICATED")
        #expect(try await client.json(.get, "jobs/query").records == [])
        let url = "v60.0/query?q=\(URLText.query(soql))"
        let batch = try await client.json(
            .post, "composite/batch",
            body: [
                "batchRequests": [
                    ["method": "POST", "url": "v60.0/sobjects/Account", "richInput": ["Name": "Kept"]],
                    ["method": "GET", "url": .string(url)],
                ]
            ])
        #expect(batch.results?.arrayValue?.map { $0.statusCode } == [201, 400])
        #expect(try await client.values("select Name from Account where Name = 'Kept'") == ["Kept"])
    }

    @Test(arguments: [1, 2, 999, 1500]) func `A choice among many finds its rows`(_ count: Int) async throws {
        let document: JSONValue = [
            "objects": ["Deal__c": ["fields": ["Many__c": ["type": "multipicklist", "picklist": ["a", "b", "c"]]]]],
            "seed": [
                ["object": "Deal__c", "values": ["Name": "1", "Many__c": "a;b"]],
                ["object": "Deal__c", "values": ["Name": "2", "Many__c": "c"]],
                ["object": "Deal__c", "values": ["Name": "3"]],
            ],
        ]
        let client = try OrgClient(try OrgSeed(json: Array(try JSONText(document).bytes)))
        let list = ((1..<count).map { "'x\($0)'" } + ["'b;a'"]).joined(separator: ",")
        #expect(try await client.values("select Name from Deal__c where Many__c includes (\(list))") == ["1"])
        #expect(try await client.values("select Name from Deal__c where Many__c excludes (\(list))") == ["2", "3"])
    }

    @Test(arguments: [5, 60, 70, 140]) func `A polymorphic parent is found`(_ count: Int) async throws {
        var objects: JSONObject = [:]
        for index in 0..<count { objects["Kind\(index)__c"] = ["activities": true, "fields": [:]] }
        let last = "Kind\(count - 1)__c"
        let document: JSONValue = [
            "objects": .object(objects),
            "seed": [
                ["object": .string(last), "key": "k", "values": ["Name": "Last"]],
                ["object": "Account", "key": "a", "values": ["Name": "Firm"]],
                ["object": "Task", "values": ["Subject": "1", "WhatId": "@k"]],
                ["object": "Task", "values": ["Subject": "2", "WhatId": "@a"]],
                ["object": "Task", "values": ["Subject": "3"]],
            ],
        ]
        let client = try OrgClient(try OrgSeed(json: Array(try JSONText(document).bytes)))
        let found = try await client.query(
            "select Subject, What.Name, What.Type, What.Id from Task order by Subject")
        let rows = found.records?.arrayValue ?? []
        #expect(rows.map { $0.What?.Name } == ["Last", "Firm", nil])
        #expect(rows.map { $0.What?.Type } == [.string(last), "Account", nil])
        #expect(
            try await client.values("select Subject from Task where What.Name = 'LAST' order by What.Name") == ["1"])
        #expect(try await client.values("select Subject from Task where What.Type = '\(last)'") == ["1"])
        #expect(
            try await client.values("select Subject from Task order by What.Name desc nulls last") == ["1", "2", "3"])
        let typeOf = try await client.query(
            "select TYPEOF What WHEN Account THEN Name, Owner.Name ELSE Id END from Task order by Subject")
        #expect(
            typeOf.records?.arrayValue?.map { $0.What?.Owner?.Name ?? $0.What?.Id?.stringValue.map { _ in "id" } } == [
                "id", "Demo User", nil,
            ])
        #expect(
            try await client.query("select What.Name, COUNT(Id) n from Task group by What.Name").records?.arrayValue?
                .map { $0.Name } == [.null, "Firm", "Last"])
    }
}
