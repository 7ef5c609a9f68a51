// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupSync
import SoupTesting
import Testing

/// Deletions, and records that left the filter of a sync, with `"deletes": "incremental"`.
///
/// The store is compared with the records of the org that match.
@Suite struct DepartureTests {
    private static let contacts = DownScenario.contacts
    static let soql = DownScenario(
        testDescription: "soql",
        target: #"""
            {"type": "soql", "query": "SELECT Name, Description FROM Account WHERE Name LIKE 'Acme%'",
             "deletes": "incremental"}
            """#, levels: [DownScenario.accounts])
    static let tree = DownScenario(
        testDescription: "parent_children",
        target: #"""
            {"type": "parent_children", "parentFieldlist": ["Name", "Description"], "deletes": "incremental",
             "childrenFieldlist": ["LastName", "Title", "AccountId"], "parentSoqlFilter": "Name LIKE 'Acme%'",
             "parent": {"sobjectType": "Account", "soupName": "accounts"},
             "children": {"sobjectType": "Contact", "soupName": "contacts", "sobjectTypePlural": "Contacts",
               "parentIdFieldName": "AccountId"}, "relationshipType": "LOOKUP"}
            """#,
        levels: [DownScenario.accounts, contacts], isTree: true)
    static let refresh = with(.refresh(500))
    static let briefcase = with(.briefcase(2000))

    private static func with(_ scenario: DownScenario) -> DownScenario {
        var scenario = scenario
        scenario.target = #"{"deletes": "incremental", \#(scenario.target.dropFirst())"#
        return scenario
    }

    private func world(_ scenario: DownScenario, accounts: Int = 10) async throws -> DownWorld {
        let world = try await DownWorld(scenario, accounts: accounts)
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.matching())
        world.clock.advance(by: .seconds(3600))
        _ = try await world.run()
        return world
    }

    @Test(arguments: [soql, tree, refresh, briefcase])
    func `Deletions of every level are found`(scenario: DownScenario) async throws {
        let world = try await world(scenario)
        let hasContacts = scenario.levels.count > 1
        try world.delete("a1", "a2")
        if hasContacts { try world.delete("c5") }
        // This deletion is dated before the last run.
        try world.org.delete("Account", id: world.id("a3"), taking: .seconds(500))
        let before = try await world.storeLines().count
        let first = try await world.run()
        #expect(first.state.status == .done)
        #expect(try await world.storeLines() == world.matching())
        #expect(first.ghosts == (try await before - world.storeLines().count))
        let again = try await world.run()
        #expect([again.ghosts, again.saved] == [0, 0])
        #expect(try await world.storeLines() == world.matching())
    }

    @Test(arguments: [soql, tree])
    func `Records that left the filter are removed`(scenario: DownScenario) async throws {
        let world = try await world(scenario)
        for key in ["a1", "a7"] { try world.org.edit("Account", id: world.id(key), ["Name": "Other"]) }
        try world.org.edit("Account", id: world.id("a8"), ["Name": "Late"], taking: .seconds(300))
        try world.edit("a2", to: "still there")
        if scenario.isTree {
            // Children move into and out of the tree.
            try world.org.edit("Contact", id: world.id("c2"), ["AccountId": .string(world.id("a1"))])
            try world.org.edit("Contact", id: world.id("c3"), ["AccountId": .null])
            try world.org.edit("Contact", id: world.id("c7"), ["AccountId": .string(world.id("a4"))])
        }
        let result = try await world.run()
        #expect(result.state.status == .done)
        #expect(try await world.storeLines() == world.matching())
        // A record that returns is fetched again.
        try world.org.edit("Account", id: world.id("a1"), ["Name": "Acme again"])
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.matching())
    }

    @Test func `Local changes of records that left stay`() async throws {
        let world = try await world(Self.soql)
        let entry = try #require(try await world.entry("a1"))
        try await world.kit.store.edit(entry.id, setting: ["Description": "mine"], in: "accounts")
        try world.org.edit("Account", id: world.id("a1"), ["Name": "Other"])
        _ = try await world.run()
        #expect(try await world.entry("a1") != nil)
        // When the local changes are gone, the entry is removed.
        _ = try await world.kit.syncs.discardChanges(of: [entry.id], in: "accounts")
        #expect(try await world.run().ghosts == 1)
        #expect(try await world.storeLines() == world.matching())
    }

    @Test(arguments: [20, 9000]) func `The requests depend on the changes only`(accounts: Int) async throws {
        let world = try await world(Self.soql, accounts: accounts)
        try world.org.edit("Account", id: world.id("a1"), ["Name": "Other"])
        try world.edit("a2", to: "changed")
        world.transport.hold(nil)
        #expect(try await world.run().ghosts == 1)
        #expect(
            world.transport.requests == ["GET query", "GET sobjects/Account/deleted", "GET query", "GET query"])
        #expect(try await world.storeLines() == world.matching())
        // Without changes, no records are looked up.
        world.clock.advance(by: .seconds(1200))
        _ = try await world.run()
        world.clock.advance(by: .seconds(1200))
        world.transport.hold(nil)
        _ = try await world.run()
        #expect(world.transport.requests == ["GET query", "GET sobjects/Account/deleted", "GET query"])
    }

    /// The org has many more records that change than the sync fetches.
    @Test(arguments: [soql, tree]) func `The changes of other records have a bounded cost`(
        scenario: DownScenario
    ) async throws {
        let world = try await world(scenario)
        for number in 1...4100 { try world.org.insert("Account", ["Name": .string("Other \(number)")]) }
        try world.org.edit("Account", id: world.id("a1"), ["Name": "Other"])
        if scenario.isTree { try world.org.edit("Contact", id: world.id("c2"), ["AccountId": .null]) }
        world.transport.hold(nil)
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.matching())
        let queries = world.transport.requests.filter { $0 == "GET query" }.count
        // For each level one for the changes and one to look up the entries; the others fetch records.
        #expect(queries == (scenario.isTree ? 7 : 3))
    }

    /// No sync down has fetched the entry of a record that a sync up created.
    @Test func `The deletion of a record that was never fetched is found`() async throws {
        let world = try await world(Self.soql)
        try world.org.insert("Account", ["Name": "Acme 11"])
        let id = try #require(try world.org.state(of: "Account").last?["Id"])
        try await world.kit.store.upsert(
            [
                "Id": id, "Name": "Acme 11", "__local__": false, "__locally_created__": false,
                "__locally_updated__": false, "__locally_deleted__": false,
            ], into: "accounts")
        try world.org.delete("Account", id: id.stringValue ?? "")
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.matching())
    }

    @Test func `Without the key, the setting of the folder applies`() async throws {
        let folder = try TemporaryFolder([
            "userstore.json": #"""
            {"soups": [{"soupName": "accounts", "indexes": [{"path": "Id", "type": "string"},
              {"path": "__local__", "type": "string"}]}]}
            """#,
            "usersyncs.json": #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "accounts",
              "target": {"type": "soql", "query": "SELECT Name FROM Account"}, "options": {}}]}
            """#,
        ])
        let plain = ConfigurationFolder(reading: folder.url, environment: [:])
        #expect(plain.deletes == nil)
        #expect(await plain.recommendations().count == 1)
        try folder.write(#"{"deletes": "incremental"}"#, to: "org.json")
        let chosen = ConfigurationFolder(reading: folder.url, environment: [:])
        #expect(chosen.problems.filter { $0.severity == .error } == [])
        #expect(chosen.deletes == .incremental)
        #expect(await chosen.recommendations() == [])
        let (org, clock) = (try LocalOrg(), ManualClock.advancing())
        let kit = try await SoupClient.open(
            at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
        _ = try await kit.syncs.reSync(named: "down").result
        let row = try org.state(of: "Account").last { $0["IsDeleted"] != true }
        try org.delete("Account", id: try #require(row?["Id"]?.stringValue))
        #expect(try await kit.syncs.reSync(named: "down").result.ghosts == 1)
        #expect(org.journal.contains { $0.path.contains("/deleted?") })
        try folder.write(#"{"deletes": "sometimes"}"#, to: "org.json")
        #expect(
            ConfigurationFolder(reading: folder.url, environment: [:]).orgProblems.map { "\($0.place)" }
                == ["org.json:1:13: deletes"])
    }
}

extension DownWorld {
    /// Returns the records of the org that the sync fetches.
    func matching() throws -> [String] {
        let isFiltered = ["soql", "parent_children"].contains(scenario.testDescription)
        let accounts = try org.state(of: "Account").filter { row in
            row["IsDeleted"] != true && (!isFiltered || row["Name"]?.stringValue?.hasPrefix("Acme") == true)
        }
        let ids = Set(accounts.compactMap { $0["Id"]?.stringValue })
        let contacts = try org.state(of: "Contact").filter { row in
            row["IsDeleted"] != true && (!scenario.isTree || ids.contains(row["AccountId"]?.stringValue ?? ""))
        }
        return scenario.levels.flatMap { level in
            (level.object == "Account" ? accounts : contacts).map { row in
                "\(level.soup) \(row["Id"]?.stringValue ?? "?") "
                    + "\(JSONValue.array(level.fields.prefix(2).map { row[$0] ?? .null }))"
            }
        }.sorted()
    }
}
