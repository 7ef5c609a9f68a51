// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// An org with boxes and items, and an app that has synced them.
struct LostParentWorld {
    let records: SharedRecords
    let clock = ManualClock.advancing()
    let org: LocalOrg
    let client: Client

    /// Syncs down three boxes with two items each, and deletes the first box on the server after `change` was applied
    /// locally.
    init(
        _ relationship: RecordLayout.Relationship = .masterDetail, cascades: Bool? = nil, isDeleted: Bool = true,
        _ change: (LostParentWorld) async throws -> Void
    ) async throws {
        records = try SharedRecords.boxes(relationship: relationship, cascades: cascades)
        org = try LocalOrg(seed: records.seed, clock: clock)
        client = try await Client("A", records: records, org: org, clock: clock)
        try await sync("down MERGE")
        try await change(self)
        clock.advance(by: .seconds(10))
        if isDeleted { try org.delete("Box__c", id: org.id(of: "b1") ?? "") }
    }

    @discardableResult
    func sync(_ name: String) async throws -> Client.Report {
        clock.advance(by: .seconds(10))
        return try await client.sync(name)
    }

    func entry(_ title: String, _ soup: SoupName) async throws -> SoupEntry {
        let kind = try #require(records.kinds.first { $0.soup == soup })
        return try #require(try await client.entries(kind).first { records.title($0.stored.value) == title })
    }

    func titles() async throws -> [String] {
        var titles: [String] = []
        for kind in records.kinds {
            titles += try await client.entries(kind).map { records.title($0.stored.value) }
        }
        return titles.sorted()
    }

    func orgTitles() throws -> [String] {
        try records.kinds.flatMap { try org.state(of: $0.object) }.filter { $0["IsDeleted"] != true }
            .map(records.title).sorted()
    }

    /// Resolves all conflicts, in the order of the list.
    func resolveAll(as resolution: ConflictResolution, count: Int) async throws {
        let conflicts = try await client.kit.syncs.conflicts()
        #expect(conflicts.count == count)
        for conflict in conflicts { try await client.kit.syncs.resolveConflict(conflict, as: resolution) }
    }

    /// Syncs until no change remains, and checks that the store and the org are equal.
    func syncUntilEqual(_ mode: MergeMode = .merge) async throws {
        for _ in 1...2 {
            #expect(try await sync("up \(mode.rawValue)").unsynced == [:])
            try await sync("down MERGE")
            _ = try await client.kit.syncs.cleanResyncGhostsBySoup(named: "down MERGE")
        }
        #expect(try await client.kit.syncs.conflicts() == [])
        #expect(try await titles() == orgTitles())
        for kind in records.kinds {
            #expect(try await client.entries(kind).allSatisfy { $0["__local__"] == false })
        }
    }
}

// MARK: - Changes

extension LostParentWorld {
    /// The titles of the org's records except the first box and its items.
    static let otherTitles = ["box 2", "box 3", "item 21", "item 22", "item 31", "item 32"]

    /// Creates an item in the first box.
    static func createChild(_ world: LostParentWorld) async throws {
        let box = try await world.entry("box 1", "boxes")
        try await world.client.kit.store.create(
            ["Title__c": "new", "Box__c": box["Id"] ?? .null], type: "Item__c", in: "items")
    }

    static func editChild(_ world: LostParentWorld) async throws { try await world.edit("item 11", "items") }

    func edit(_ title: String, _ soup: SoupName, note: JSONValue = "mine") async throws {
        try await client.kit.store.edit(entry(title, soup).id, setting: ["Note__c": note], in: soup)
    }

    func delete(_ title: String, _ soup: SoupName) async throws {
        _ = try await client.kit.store.delete(entry(title, soup).id, in: soup)
    }

    /// Edits a record as another user, after the last sync.
    func editInOrg(_ key: String, _ object: String, fields: JSONObject = ["Note__c": "theirs"]) throws {
        clock.advance(by: .seconds(10))
        try org.edit(object, id: id(key), fields)
    }

    func id(_ key: String) -> String { org.id(of: key) ?? "no \(key)" }

    func orgRecord(_ title: String) throws -> JSONValue? {
        try records.kinds.flatMap { try org.state(of: $0.object) }
            .first { $0["IsDeleted"] != true && records.title($0) == title }
    }
}
