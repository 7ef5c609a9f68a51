// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupCore
import Testing

/// Changes of lookups to master-details: no record may be without its master.
@Suite struct SchemaChangeMastersTests {
    private let client: OrgClient
    private let visits = [("Visit__c", ["External_Id__c", "Account__c"])]

    init() throws { client = try OrgClient() }

    private func change(_ field: JSONValue) -> [String] {
        do {
            try client.org.changeSchema(["Visit__c": ["fields": ["Account__c": field]]])
            return []
        } catch {
            return (error as? ConfigurationError)?.problems.map { "\($0.place.path ?? ""): \($0.message)" } ?? [
                "\(error)"
            ]
        }
    }

    @Test func `A record without a master prevents the change`() throws {
        let orphan = try client.org.insert("Visit__c", ["External_Id__c": "V/2"])
        let before = try client.state(visits)
        let problem = [
            "objects.Visit__c.fields.Account__c: Visit__c has records that would be without a master"
        ]
        #expect(change(["type": "masterdetail"]) == problem)
        // Records in the recycle bin can be restored.
        try client.org.delete("Visit__c", id: orphan)
        #expect(change(["type": "masterdetail"]) == problem)
        try client.org.undelete(id: orphan)
        #expect(try client.state(visits) == before)
        try client.org.purge(id: orphan)
        #expect(change(["type": "masterdetail"]) == [])
        try client.org.delete("Account", id: client.org.id(of: "acc1") ?? "")
        #expect(try client.state([("Visit__c", ["External_Id__c"])]) == "[Visit__c V/1]")
    }

    @Test func `A master of another object prevents it too`() throws {
        let problem = [
            "objects.Visit__c.fields.Account__c: Visit__c has records that would be without a master"
        ]
        #expect(change(["type": "masterdetail", "referenceTo": ["Contact"]]) == problem)
        #expect(change(["type": "masterdetail"]) == [])
        #expect(change(["referenceTo": ["Contact"]]) == problem)
    }
}
