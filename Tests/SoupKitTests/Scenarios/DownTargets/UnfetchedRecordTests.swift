// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Complete cleanings of records that a sync up created and that no sync down has fetched yet.
@Suite struct UnfetchedRecordTests {
    static let scenarios: [DownScenario] = [.soql, .mru, .tree, .sosl, .refresh, .briefcase]

    @Test(arguments: scenarios) func `A record that others deleted is removed`(scenario: DownScenario) async throws {
        let world = try await DownWorld(scenario)
        _ = try await world.run()
        let deleted = try await world.create("Acme 11")
        _ = try await world.create("Acme 12")
        try world.org.delete(world.lastLevel.object, id: deleted)
        #expect(try await world.storeLines() != world.orgLines())
        #expect(try await world.kit.syncs.cleanResyncGhostsBySoup(named: "down") == [world.lastLevel.soup: 1])
        #expect(try await world.storeLines() == world.orgLines())
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 0)
    }

    /// The sync down does not fetch it, but the device has created it.
    @Test func `A record that the conditions exclude stays`() async throws {
        let world = try await DownWorld(
            DownScenario(
                testDescription: "soql",
                target: #"{"type": "soql", "query": "SELECT Name, Description FROM Account WHERE Name != 'Acme 11'"}"#,
                levels: [DownScenario.accounts]))
        _ = try await world.run()
        _ = try await world.create("Acme 11")
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 0)
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// Records of another object in the same soup are unknown to a query for this one.
    @Test(arguments: scenarios) func `Records of other objects stay`(scenario: DownScenario) async throws {
        let world = try await DownWorld(scenario)
        _ = try await world.run()
        let id = try await world.create("Acme 11", type: "Task")
        try world.org.delete(world.lastLevel.object, id: id)
        let before = try await world.storeLines()
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 0)
        #expect(try await world.storeLines() == before)
    }

    @Test func `An unfetched record with local changes stays`() async throws {
        let world = try await DownWorld(.soql)
        _ = try await world.run()
        let id = try await world.create("Acme 11")
        try world.org.delete("Account", id: id)
        let entry = try #require(try await world.entries(with: id).first)
        try await world.kit.store.edit(entry.id, setting: ["Name": "mine"], in: "accounts")
        let before = try await world.storeLines()
        world.transport.hold(nil)
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 0)
        #expect(world.transport.requests == ["GET query"])
        #expect(try await world.storeLines() == before)
    }

    @Test func `An entry with a null for its sync is unfetched`() async throws {
        let world = try await DownWorld(.soql)
        _ = try await world.run()
        try world.org.delete("Account", id: try await world.create("Acme 11", more: ["__sync_id__": .null]))
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// The server reports a deletion once, and the comparison of the first run is the time from which it does.
    @Test func `A deletion is kept in mind while the entry is edited`() async throws {
        let world = try await DownWorld(.soql("soql", #", "deletes": "incremental""#))
        let id = try await world.create("Acme 11")
        let entry = try #require(try await world.entries(with: id).first)
        try await world.kit.store.edit(entry.id, setting: ["Name": "mine"], in: "accounts")
        try world.org.delete("Account", id: id)
        _ = try await world.run()
        #expect(try await world.entries(with: id).count == 1)
        world.clock.advance(by: .seconds(3600))
        _ = try await world.run()
        _ = try await world.kit.syncs.discardChanges(of: [entry.id], in: "accounts")
        world.clock.advance(by: .seconds(3600))
        #expect(try await world.run().ghosts == 1)
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// They are compared with those that are left, and with the ten entries of the sync.
    @Test(arguments: [(20, 20, true), (21, 31, false), (21, 32, true)])
    func `Most of the unfetched records need a confirmation`(deleted: Int, all: Int, isAllowed: Bool) async throws {
        let world = try await DownWorld(.soql)
        _ = try await world.run()
        var ids: [String] = []
        for number in 1...all { ids.append(try await world.create("New \(number)")) }
        for id in ids.prefix(deleted) { try world.org.delete("Account", id: id) }
        let before = try await world.storeLines()
        if !isAllowed {
            await #expect { _ = try await world.kit.syncs.cleanResyncGhosts(named: "down") } throws: {
                ($0 as? SoupError)?.code == .tooManyGhosts
            }
            #expect(try await world.storeLines() == before)
        }
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down", all: !isAllowed) == deleted)
        #expect(try await world.storeLines() == world.orgLines())
    }
}

extension DownWorld {
    fileprivate var lastLevel: DownScenario.Level { scenario.levels[scenario.levels.count - 1] }

    fileprivate func entries(with id: String) async throws -> [SoupEntry] {
        try await kit.store.query(.exact(lastLevel.soup, "Id", equals: .string(id), pageSize: 2)).entries
    }

    /// Creates a record of the last level in the org and the entry that a sync up leaves for it, and returns its ID.
    ///
    /// - Parameters:
    ///   - name: the value of the first field.
    ///   - type: the object that the entry names, if it is another one.
    ///   - more: other members of the entry.
    fileprivate func create(
        _ name: String, type: String? = nil, more: JSONObject = [:]
    ) async throws -> String {
        let level = lastLevel
        var values: JSONObject = [level.fields[0]: .string(name)]
        if scenario.isTree { values["AccountId"] = .string(self.id("a1")) }
        try org.insert(level.object, values)
        let id = try #require(try org.state(of: level.object).last?["Id"]?.stringValue)
        var entry = JSONObject(values.members + more.members)
        entry["Id"] = .string(id)
        entry["attributes"] = ["type": .string(type ?? level.object)]
        for flag in EntryField.localFlags { entry[flag] = false }
        try await kit.store.upsert(.object(entry), into: level.soup)
        return id
    }
}
