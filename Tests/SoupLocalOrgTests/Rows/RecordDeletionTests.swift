// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct RecordDeletionTests {
    private let objects = [
        ("Account", ["Name", "ParentId"]), ("Contact", ["LastName"]), ("Opportunity", ["Name"]),
        ("Case", ["Subject"]), ("Visit__c", ["External_Id__c", "Account__c"]), ("Visit_Item__c", ["External_Id__c"]),
    ]

    @Test func `A delete cascades, clears references and is undone`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        let acme = client.org.id(of: "acc1") ?? ""
        #expect(try await client.send(.delete, "sobjects/Account/\(acme)").status == 204)
        #expect(
            try client.state(objects) == """
                [Account Acme null]
                Account Globex null
                Account O'Neil 100%_x null
                [Account Deleted null]
                [Contact Ng]
                [Contact Smith]
                Contact Orphan
                [Opportunity First]
                [Opportunity Second]
                Case Broken
                Visit__c V/1 null
                Visit_Item__c I-1
                Visit_Item__c I-2
                """)
        #expect(try await client.values("select LastName from Contact") == ["Orphan"])
        #expect(try await client.values("select LastName from Contact", all: true).count == 3)
        try client.org.undelete(id: acme)
        #expect(try client.state(objects) == before)
    }

    @Test func `A reference set meanwhile is not restored`() async throws {
        let client = try OrgClient()
        let acme = client.org.id(of: "acc1") ?? ""
        let visit = client.org.id(of: "vis1") ?? ""
        let third = client.org.id(of: "acc3") ?? ""
        try client.org.delete("Account", id: acme)
        try client.org.edit("Visit__c", id: visit, ["Account__c": .string(third)])
        try client.org.undelete(id: acme)
        #expect(try await client.values("select Account__c from Visit__c") == [.string(third)])
    }

    @Test func `Details are deleted with their master`() async throws {
        let client = try OrgClient()
        let visit = client.org.id(of: "vis1") ?? ""
        _ = try await client.send(.delete, "sobjects/Visit__c/\(visit)")
        #expect(try client.state([objects[5]]) == "[Visit_Item__c I-1]\n[Visit_Item__c I-2]")
    }

    @Test func `A restricted reference prevents the delete`() async throws {
        let client = try OrgClient()
        let contact = client.org.id(of: "con1") ?? ""
        try client.org.insert("Case", ["Subject": "Mine", "ContactId": .string(contact), "AccountId": .null])
        let before = try client.state(objects)
        let answer = try await client.json(.delete, "sobjects/Account/\(client.org.id(of: "acc1") ?? "")")
        #expect(client.code(answer) == "DELETE_FAILED")
        #expect(answer[0]?.message?.stringValue?.contains("Ana Ng") == true)
        #expect(try client.state(objects) == before)
    }

    @Test func `A delete changes only the system timestamp`() async throws {
        let client = try OrgClient()
        let acme = client.org.id(of: "acc1") ?? ""
        client.org.advanceClock(by: .milliseconds(60_000))
        _ = try await client.send(.delete, "sobjects/Account/\(acme)")
        let row = try client.org.state(of: "Account")[0]
        #expect(row.SystemModstamp == "2024-01-15T12:06:00.000+0000")
        #expect(row.LastModifiedDate == "2024-01-15T12:00:00.000+0000")
        let cleared = try client.org.state(of: "Visit__c")[0]
        #expect(cleared.SystemModstamp == "2024-01-15T12:06:00.000+0000")
    }
}
