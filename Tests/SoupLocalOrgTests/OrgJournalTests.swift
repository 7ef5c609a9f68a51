// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// The number of written rows in the journal.
@Suite struct OrgJournalTests {
    private let client: OrgClient

    init() throws {
        var options = OrgOptions()
        options.admin = true
        client = try OrgClient(options: options)
    }

    @Test func `Lookups cleared by a delete count as changed rows`() async throws {
        let org = client.org
        try org.changeSchema([
            "Account": [
                "fields": [
                    "Guide__c": ["type": "reference", "referenceTo": ["Contact"]],
                    "Deputy__c": ["type": "reference", "referenceTo": ["Contact"]],
                ]
            ]
        ])
        let guide = try org.insert("Contact", ["LastName": "Guide"])
        let accounts = [("Account", ["Name", "Guide__c", "Deputy__c"])]
        for key in ["acc1", "acc2"] {
            try org.edit(
                "Account", id: org.id(of: key) ?? "",
                ["Guide__c": .string(guide), "Deputy__c": key == "acc1" ? .string(guide) : nil])
        }
        let before = try client.state(accounts)
        #expect(try await client.send(.delete, "sobjects/Contact/\(guide)").status == 204)
        #expect(try !client.state(accounts).contains(guide))
        // The contact and two accounts; one of the accounts lost it twice.
        #expect(org.journal.last?.rowsWritten == 3)
        try org.undelete(id: guide)
        #expect(try client.state(accounts) == before)
        // One of the two accounts has no reference to it any more.
        try org.edit("Account", id: org.id(of: "acc2") ?? "", ["Guide__c": nil])
        #expect(try await client.send(.delete, "sobjects/Contact/\(guide)").status == 204)
        #expect(org.journal.last?.rowsWritten == 2)
    }
}
