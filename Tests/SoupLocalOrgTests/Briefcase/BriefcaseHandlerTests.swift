// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct BriefcaseHandlerTests {
    private let path = "connect/briefcase/priming-records"

    private func client(_ rules: String, _ options: OrgOptions = OrgOptions()) throws -> OrgClient {
        let text = """
            {"objects": {"Visit__c": {"fields": {"Account__c": {"type": "reference", "referenceTo": ["Account"],
               "childRelationshipName": "Visits__r"}, "RecordTypeId": {"type": "reference", "referenceTo": ["RecordType"]}},
               "recordTypes": [{"developerName": "R", "name": "R"}]}},
             "users": [{"key": "me", "username": "a@b.c"}, {"key": "other", "username": "b@b.c"}],
             "freeze": "2024-01-15T12:05:00Z", "stamp": "2024-01-15T12:00:00Z", "briefcase": \(rules),
             "seed": [{"object": "Account", "key": "a", "values": {"Name": "A"}, "modified": "2024-01-02T00:00:00Z"},
               {"object": "Account", "key": "b", "values": {"Name": "B", "OwnerId": "@other"}},
               {"object": "Account", "key": "c", "values": {"Name": "C"}},
               {"object": "Contact", "key": "ca", "values": {"LastName": "x", "AccountId": "@a"}},
               {"object": "Contact", "key": "cb", "values": {"LastName": "x", "AccountId": "@b"}},
               {"object": "Visit__c", "key": "v", "values": {"Account__c": "@a"}},
               {"object": "Contact", "values": {"LastName": "gone", "AccountId": "@c"}, "deleted": true}]}
            """
        return try OrgClient(try OrgSeed(json: Array(text.utf8)), options: options)
    }

    /// Returns the keys of the records of a response by object.
    private func keys(_ answer: JSONValue, _ client: OrgClient) -> [String: [String]] {
        let names = ["a", "b", "c", "ca", "cb", "v"]
        var found: [String: [String]] = [:]
        for (object, types) in answer.primingRecords?.objectValue?.members ?? [] {
            let ids =
                types.objectValue?.members.flatMap { $0.value.arrayValue ?? [] }.compactMap { $0.id?.stringValue } ?? []
            found[object] = ids.map { id in names.first { client.org.id(of: $0) == id } ?? "?" }
        }
        return found
    }

    @Test func `Rules select records and related records`() async throws {
        let client = try client(
            """
            [{"id": "r1", "object": "Account", "where": "OwnerId = :me AND Name != ':me'", "orderBy": "Name DESC",
              "related": ["Contacts", "Visits__r"]},
             {"id": "r2", "object": "Account", "orderBy": "Name", "limit": 2}, {"id": "bad", "object": "Nope"},
             {"id": "worse", "object": "Account", "where": "Nope = 1"}, {"object": "Account", "related": ["Nopes"]}]
            """)
        let answer = try await client.json(.get, path)
        #expect(keys(answer, client) == ["Account": ["c", "a", "b"], "Contact": ["ca"], "Visit__c": ["v"]])
        #expect(answer.ruleErrors == [["ruleId": "bad"], ["ruleId": "worse"], ["ruleId": "r5"]])
        #expect(answer.relayToken == .null)
        #expect(
            answer.stats == [
                "ruleCountTotal": 5, "recordCountTotal": 5, "ruleCountServed": 2, "recordCountServed": 5,
            ])
        #expect(
            answer.primingRecords?.Account?["012000000000000AAA"]?[1] == [
                "id": .string(client.org.id(of: "a") ?? ""), "systemModstamp": "2024-01-02T00:00:00.000Z",
            ])
    }

    @Test func `Records are grouped by record type`() async throws {
        let client = try client(#"[{"object": "Visit__c"}]"#)
        let types = try await client.values("SELECT Id FROM RecordType WHERE SobjectType = 'Visit__c'")
        try client.org.edit("Visit__c", id: client.org.id(of: "v") ?? "", ["RecordTypeId": types[0]])
        let answer = try await client.json(.get, path)
        #expect(answer.primingRecords?.Visit__c?.objectValue?.keys == [types[0].stringValue ?? "?"])
    }

    @Test func `Later pages continue the first list`() async throws {
        var options = OrgOptions()
        options.briefcasePageSize = 2
        let client = try client(
            #"[{"object": "Account", "orderBy": "Name"}, {"object": "Contact", "orderBy": "Id"}, {"object": "Lead"}]"#,
            options)
        var answer = try await client.json(.get, path)
        var pages = [keys(answer, client)]
        try client.org.insert("Account", ["Name": "0"])
        while let token = answer.relayToken?.stringValue {
            answer = try await client.json(.get, "\(path)?relayToken=\(token)")
            pages.append(keys(answer, client))
            #expect(answer.stats?.recordCountTotal == 5)
        }
        #expect(pages == [["Account": ["a", "b"]], ["Account": ["c"], "Contact": ["ca"]], ["Contact": ["cb"]]])
    }

    @Test func `Only records changed since a time are listed`() async throws {
        let client = try client(#"[{"object": "Account"}]"#)
        let since = try await client.json(.get, "\(path)?changedAfterTimestamp=2024-01-02T00:00:00.000Z")
        #expect(keys(since, client) == ["Account": ["b", "c"]])
        let none = try await client.json(.get, "\(path)?changedAfterTimestamp=2024-01-15T12:00:00.000Z")
        #expect(none.primingRecords == [:] && none.stats?.recordCountTotal == 0)
    }

    @Test(arguments: [
        "relayToken=x", "relayToken=9-1", "relayToken=1-0&changedAfterTimestamp=2024-01-02T00:00:00Z",
        "changedAfterTimestamp=soon",
    ])
    func `Unsupported requests are rejected`(_ query: String) async throws {
        let client = try client(#"[{"object": "Account"}]"#)
        #expect(try await client.send(.get, "\(path)?\(query)").status == 400)
        #expect(try await client.send(.post, path, body: [:]).status == 405)
    }

    @Test func `A briefcase without rules is empty`() async throws {
        let client = try client("[]")
        #expect(
            try await client.json(.get, path) == [
                "primingRecords": [:], "relayToken": nil, "ruleErrors": [],
                "stats": ["ruleCountTotal": 0, "recordCountTotal": 0, "ruleCountServed": 0, "recordCountServed": 0],
            ])
    }
}
