// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct SessionAccountTests {
    private static let accounts: [(SessionAccount, String)] = [
        (
            .user(organization: "00D000000000001EAA", user: "005000000000001AAA"),
            "user.00D000000000001EAA.005000000000001AAA"
        ),
        (
            .user(organization: "00D000000000001EAA", user: "005000000000001AAA", community: "0DB000000000001AAA"),
            "user.00D000000000001EAA.005000000000001AAA.0DB000000000001AAA"
        ),
        (.connection("crm-1_a"), "connection.crm-1_a"), (.connection("CRM"), "connection.%43%52%4d"),
        (.connection("../x y"), "connection.%2e%2e%2fx%20y"), (.connection(""), "connection."),
        (.connection("\u{E9}\0"), "connection.%c3%a9%00"), (.configuredToken(digest: "0a"), "token.0a"),
        (
            .connection("crm", owner: "00D000000000001EAA.005000000000001AAA"),
            "connection.crm.00D000000000001EAA.005000000000001AAA"
        ),
        (.connection("crm", owner: "acme.bob%40example.shop"), "connection.crm.acme.bob%2540example.shop"),
        (.connection("crm", owner: ""), "connection.crm."), (.connection("crm", owner: "."), "connection.crm.."),
        (.connection("crm of acme.bob"), "connection.crm%20of%20acme%2ebob"),
        (.connection("crm.acme", owner: "bob"), "connection.crm%2eacme.bob"),
    ]

    @Test func `A key is read as its account`() {
        for (account, key) in Self.accounts {
            #expect(account.key == key)
            #expect(SessionAccount(key: key) == account)
        }
    }

    @Test func `Keys differ where case is ignored`() {
        let ids = ["00D000000000001EAA", "00d000000000001eaa", "00D000000000001", "00d000000000001"]
        let keys = ids.map { SessionAccount.user(organization: $0, user: "u").key }
        // A long ID in small letters has other check characters, so that the server never reports it.
        #expect(Set(keys.dropFirst(1).map { $0.lowercased() }).count == 3)
        #expect(SessionAccount.connection("A").key.lowercased() != SessionAccount.connection("a").key.lowercased())
    }

    @Test(arguments: [
        "", "user", "user.a", "user.a.b.c.d", "connection", "token", "token.a.b", "other.a", "connection.A",
        "connection.%4", "connection.%61", "connection.%4D", "connection.%ff", "connection.+a", "connection.%+1",
        "connection.a.B", "connection.a.b%2ec",
    ])
    func `Other texts are no keys`(text: String) { #expect(SessionAccount(key: text) == nil) }

    @Test func `Accounts are sorted by their keys`() {
        let sorted = Self.accounts.map(\.0).sorted()
        #expect(sorted.map(\.key) == Self.accounts.map(\.1).sorted())
    }
}
