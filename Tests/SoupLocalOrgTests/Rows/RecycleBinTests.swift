// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Restoring records from the recycle bin, and removing them permanently.
@Suite struct RecycleBinTests {
    private let client: OrgClient

    init() throws {
        var options = OrgOptions()
        options.admin = true
        client = try OrgClient(options: options)
    }

    private func id(_ key: String) -> String { client.org.id(of: key) ?? "" }

    private func refusal(_ body: () throws -> Void) -> String {
        do { try body() } catch { return (error as? SoupError)?.message ?? "\(error)" }
        return "nothing was refused"
    }

    @Test func `Undeleting restores a cleared reference`() async throws {
        // The contact is deleted with its account; the contact that reports to it remains.
        let boss = id("con1")
        let report = try client.org.insert("Contact", ["LastName": "Report", "ReportsToId": .string(boss)])
        let question = "select ReportsToId from Contact where Id = '\(report)'"
        try client.org.delete("Account", id: id("acc1"))
        #expect(try await client.values(question) == [nil])
        try client.org.undelete(id: id("acc1"))
        #expect(try await client.values(question) == [.string(boss)])
    }

    @Test func `A seed's deleted row is undeleted`() async throws {
        try client.org.undelete(id: id("delAcc"))
        #expect(try await client.values("select IsDeleted from Account where Name = 'Deleted'") == [false])
    }

    @Test func `A dependent record is undeleted alone`() async throws {
        try client.org.delete("Account", id: id("acc1"))
        try client.org.undelete(id: id("con1"))
        #expect(
            try client.state([("Contact", ["LastName", "AccountId"])]).hasPrefix("Contact Ng null\n[Contact Smith"))
        try client.org.delete("Visit__c", id: id("vis1"))
        #expect(refusal { try client.org.undelete(id: id("vit1")) }.contains("UNDELETE_FAILED"))
        #expect(try client.state([("Visit_Item__c", ["Name"])]) == "[Visit_Item__c VI-00001]\n[Visit_Item__c VI-00002]")
    }

    @Test func `A reused unique value prevents undeleting`() async throws {
        try client.org.delete("Visit__c", id: id("vis1"))
        let other = try client.org.insert("Visit__c", ["External_Id__c": "v/1"])
        let objects = [("Visit__c", ["External_Id__c"]), ("Visit_Item__c", ["External_Id__c"])]
        let before = try client.state(objects)
        #expect(refusal { try client.org.undelete(id: id("vis1")) }.contains("DUPLICATE_VALUE"))
        #expect(try client.state(objects) == before)
        try client.org.delete("Visit__c", id: other)
        try client.org.undelete(id: id("vis1"))
        #expect(
            try client.state(objects)
                == "Visit__c V/1\n[Visit__c v/1]\nVisit_Item__c I-1\nVisit_Item__c I-2")
    }

    @Test(arguments: ["", "nonsense", "001000000000999AAA"]) func `A record outside the bin cannot be undeleted`(
        _ text: String
    ) {
        #expect(refusal { try client.org.undelete(id: text) }.contains("UNDELETE_FAILED"))
        #expect(refusal { try client.org.undelete(id: id("acc1")) }.contains("UNDELETE_FAILED"))
    }

    @Test func `A purge removes dependent records`() async throws {
        try client.org.delete("Account", id: id("acc1"))
        let purge: (String) async throws -> Int = { id in
            try await client.send(.post, "/_emu/purge", body: ["ids": [.string(id)]]).status
        }
        #expect(try await purge(id("acc1")) == 200)
        #expect(
            try client.state([("Account", ["Name"]), ("Contact", ["LastName"]), ("Visit__c", ["Account__c"])]) == """
                Account Globex
                Account O'Neil 100%_x
                [Account Deleted]
                Contact Orphan
                Visit__c null
                """)
        // A record that is not deleted is deleted first, so that its items are deleted too.
        #expect(try await purge(id("vis1")) == 200)
        #expect(try client.state([("Visit__c", ["Name"]), ("Visit_Item__c", ["Name"])]) == "")
        #expect(try await purge(id("vis1")) == 404)
        #expect(refusal { try client.org.undelete(id: id("acc1")) }.contains("UNDELETE_FAILED"))
    }

    @Test func `A dependent record that is deleted does not prevent it`() throws {
        let seed = try OrgSeed(
            json: Array(
                #"""
                {"objects": {
                  "Top__c": {"fields": {"Code__c": {"type": "string"}}},
                  "Mid__c": {"fields": {"Top__c": {"type": "masterdetail", "referenceTo": ["Top__c"]}}},
                  "Low__c": {"fields": {
                    "Keep__c": {"type": "lookup", "referenceTo": ["Top__c"], "required": true},
                    "Mid__c": {"type": "masterdetail", "referenceTo": ["mid__C"]}}}},
                 "seed": [{"object": "Top__c", "key": "t"}, {"object": "Top__c", "key": "u"},
                   {"object": "Mid__c", "key": "m", "values": {"Top__c": "@t"}},
                   {"object": "Low__c", "key": "l", "values": {"Keep__c": "@t", "Mid__c": "@m"}}]}
                """#.utf8))
        let own = try OrgClient(seed)
        try own.org.delete("Top__c", id: own.org.id(of: "t") ?? "")
        let deleted = try ["Top__c", "Mid__c", "Low__c"].flatMap { try own.org.state(of: $0).map { $0.IsDeleted } }
        #expect(deleted == [true, false, true, true])
        try own.org.undelete(id: own.org.id(of: "t") ?? "")
        try own.org.edit("Low__c", id: own.org.id(of: "l") ?? "", ["Keep__c": .string(own.org.id(of: "u") ?? "")])
        #expect(refusal { try own.org.delete("Top__c", id: own.org.id(of: "u") ?? "") }.contains("DELETE_FAILED"))
    }

    @Test func `A long chain of cascades needs no stack`() throws {
        var rows: [JSONValue] = [["object": "Link__c", "key": "k0"]]
        for index in 1..<20_000 {
            rows.append([
                "object": "Link__c", "key": .string("k\(index)"),
                "values": ["Next__c": .string("@k\(index - 1)")],
            ])
        }
        let document: JSONValue = [
            "objects": [
                "Link__c": [
                    "fields": ["Next__c": ["type": "lookup", "referenceTo": ["Link__c"], "onDelete": "cascade"]]
                ]
            ], "seed": .array(rows),
        ]
        let own = try OrgClient(try OrgSeed(json: Array(try JSONText(document).bytes)))
        try own.org.delete("Link__c", id: own.org.id(of: "k0") ?? "")
        #expect(try own.org.state(of: "Link__c").allSatisfy { $0.IsDeleted == true })
    }
}
