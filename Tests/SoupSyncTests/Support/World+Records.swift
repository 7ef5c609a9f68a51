// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Logging
import SoupSync
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting

/// Worlds with records, and changes of apps.
extension World {
    /// A world with the synced contacts Ann and Bob, and a sync up.
    static func withSyncUp() async throws -> World {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        _ = try await world.manager.create(world.up())
        return world
    }

    /// A world in which a run has created Ann on the server, but the response was lost.
    static func withLostResponse(canFind: Bool = false) async throws -> (World, entry: Int64) {
        let world = try await World()
        let entry = try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(canFind ? world.up("up", ["canFind": true]) : world.up())
        try await world.run("up")
        return (world, entry)
    }

    /// A world with a sync down that has not run yet, and records `r10`, `r11` and so on that are ten seconds old.
    static func withRecords(_ count: Int, _ target: JSONObject = [:]) async throws -> World {
        let world = try await World()
        for number in 0..<count { world.server.put("r\(number + 10)", ["Name": .string("n\(number)")]) }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.down("down", .object(target)))
        return world
    }

    /// A world in which a sync down has fetched the parent `p1` and its child `c1`.
    static func withTree() async throws -> World {
        let world = try await World()
        world.server.put("p1", ["Name": "p1"])
        world.server.put("c1", ["Name": "c1"], parent: "p1")
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.treeDown())
        try await world.run("treeDown")
        return world
    }

    /// A world with a sync up, in which a sync down has fetched the trees `p1` and `p2` of two children each.
    static func withTwoTrees(
        mode: MergeMode = .overwrite, relationship: RecordLayout.Relationship = .masterDetail
    ) async throws -> World {
        let world = try await World()
        for parent in ["p1", "p2"] {
            world.server.put(parent, ["Name": .string(parent)])
            for child in 1...2 {
                world.server.put("\(parent)c\(child)", ["Name": .string("\(parent)c\(child)")], parent: parent)
            }
        }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.treeDown())
        try await world.run("treeDown")
        _ = try await world.manager.create(world.treeUp(["relationship": .string(relationship.rawValue)], mode: mode))
        world.server.clearLog()
        world.clock.advance(by: .seconds(10))
        return world
    }

    /// Puts records `r1` to `rN` on the server, one second apart, and advances the clock by ten more seconds.
    func fill(_ count: Int) {
        for number in 1...count {
            clock.advance(by: .seconds(1))
            server.put("r\(number)", ["Name": .string("N\(number)")])
        }
        clock.advance(by: .seconds(10))
    }

    private func entryId(of serverId: String, in soup: SoupName) async throws -> Int64 {
        guard let id = try await store.lookup(.string(serverId), at: "Id", in: soup) else {
            throw SoupError("noEntry", serverId)
        }
        return id
    }

    /// Edits the entry with a server ID as an app does.
    func edit(_ serverId: String, _ name: String, in soup: SoupName = "contacts") async throws {
        try await store.edit(entryId(of: serverId, in: soup), setting: ["Name": .string(name)], in: soup)
    }

    /// Moves the contact with a server ID to another account as an app does.
    func move(_ serverId: String, under parent: String) async throws {
        try await store.edit(
            entryId(of: serverId, in: "contacts"), setting: ["AccountId": .string(parent)], in: "contacts")
    }

    /// Deletes the entry with a server ID as an app does.
    func delete(_ serverId: String, in soup: SoupName = "contacts") async throws {
        try await store.delete(entryId(of: serverId, in: soup), in: soup)
    }

    /// Creates an entry as an app does.
    @discardableResult
    func create(_ name: String, in soup: SoupName = "contacts", under parent: String? = nil) async throws -> Int64 {
        var record: JSONObject = ["Name": .string(name)]
        record["AccountId"] = parent.map { .string($0) }
        return try await store.create(record, in: soup).id
    }

    /// Puts records on the server and fetches them with a sync named `down`.
    func seed(_ names: String...) async throws {
        for name in names { server.put(name.lowercased(), ["Name": JSONValue.string(name)]) }
        clock.advance(by: .seconds(10))
        _ = try await manager.create(down())
        try await run("down")
        server.clearLog()
        clock.advance(by: .seconds(10))
    }

    /// Adds a soup of deals under the accounts.
    ///
    /// Creates two sync ups: `treeUp` of accounts with contacts and `dealsUp` of accounts with deals.
    func addSecondTree() async throws {
        try await store.setUp(soups: [("deals", Self.soups[0].1)])
        _ = try await manager.create(treeUp())
        var deals = treeUp(["childSoup": "deals"])
        deals.name = "dealsUp"
        _ = try await manager.create(deals)
    }
}
