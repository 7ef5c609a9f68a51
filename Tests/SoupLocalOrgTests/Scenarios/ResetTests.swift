// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// The parts of an org that a reset restores, and those that it keeps.
@Suite struct ResetTests {
    private static let seed = #"""
        {"freeze": "2030-01-02T00:00:00Z", "objects": {"Crate__c": {"fields": {"Code__c": {"type": "string"}}}},
         "seed": [{"object": "Crate__c", "key": "one", "values": {"Code__c": "C-1"}}]}
        """#

    private func client(_ seed: OrgSeed? = nil) throws -> OrgClient {
        var options = OrgOptions()
        options.admin = true
        return try OrgClient(seed ?? OrgSeed(json: Array(Self.seed.utf8)), options: options)
    }

    @Test(arguments: ["", "{}", #"{"seed": null}"#])
    func `A reset without a seed uses that of the start`(_ body: String) async throws {
        let client = try client()
        let crates = [("Crate__c", ["Code__c"]), ("Account", ["Name"])]
        try client.org.insert("Crate__c", ["Code__c": "C-2"])
        try client.org.changeSchema(["Crate__c": ["fields": ["Code__c": nil, "Size__c": ["type": "int"]]]])
        client.org.advanceClock(by: .milliseconds(5000))
        let json = body.isEmpty ? JSONValue?.none : try JSONValue(parsing: Array(body.utf8))
        let answer = try await client.json(.post, "/_emu/reset", body: json)
        #expect(answer.ok == true && answer["keys"]?.one?.stringValue == client.org.id(of: "one"), "\(answer)")
        #expect(try client.state(crates) == "Crate__c C-1")
        #expect(client.org.now.millisecondsSince1970 == 1_893_542_400_000)
        #expect(try await client.json(.post, "/_emu/reset", body: ["seed": "tiny"]).ok == true)
        #expect(try client.state([("Account", ["Name"])]).hasPrefix("Account Acme\n"))
        // The seed of the start, not the last one.
        #expect(try await client.json(.post, "/_emu/reset", body: json).ok == true)
        #expect(try client.state(crates) == "Crate__c C-1")
        try client.org.insert("Crate__c", ["Code__c": "C-3"])
        try client.org.reset()
        #expect(try client.state(crates) == "Crate__c C-1")
    }

    @Test func `A sized seed is loaded too`() async throws {
        let client = try client(.large(3))
        try client.org.insert("Account", ["Name": "More"])
        #expect(try await client.json(.post, "/_emu/reset").ok == true)
        #expect(try await client.values("SELECT COUNT(Id) FROM Account") == [3])
    }

    @Test func `A reset keeps options, faults, journal and ended tokens`() async throws {
        let client = try client()
        client.org.setOptions { $0.dailyLimit = 77 }
        client.org.add(OrgFault(.limit, id: "mine", path: "/recent$"))
        #expect(try await client.send(.get, "limits").status == 200)
        #expect(try await client.json(.post, "/_emu/reset").ok == true)
        #expect(try await client.json(.get, "/_emu/options").dailyLimit == 77)
        #expect(client.org.faults.map(\.fault.id) == ["mine"])
        #expect(client.org.journal.count == 1)
        #expect(try await client.send(.get, "limits").status == 200)
        client.org.expireTokens()
        #expect(try await client.json(.post, "/_emu/reset").ok == true)
        #expect(try await client.send(.get, "limits").status == 401)
    }
}
