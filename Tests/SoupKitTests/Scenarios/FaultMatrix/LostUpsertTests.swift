// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// Creations with an external ID whose response was lost: the server may have the record, and another user may have
/// changed it since.
@Suite struct LostUpsertTests {
    /// Returns the world of an app that created the account L1, before its push, which a fault interrupts.
    ///
    /// - Parameters:
    ///   - cut: the fault.
    ///   - updates: the fields that updates send.
    private func world(
        _ mode: MergeMode, _ cut: OrgFault.Effect, updates: String = "Name, Description"
    ) async throws -> MatrixWorld {
        let world = try await MatrixWorld(.rows("rest", mode, byCode: true, updates: updates))
        #expect(try await world.kit.syncs.reSync(named: "down").result.saved > 0)
        _ = try await world.kit.store.create(
            ["Name": "Lost", "Description": "mine", "Code__c": "L1"], type: "Account", in: "accounts")
        world.org.add(OrgFault(cut, id: "cut", path: "/composite", count: 1))
        return world
    }

    private func up(_ world: MatrixWorld) async throws -> SyncResult {
        world.clock.advance(by: .seconds(10))
        return try await world.kit.syncs.reSync(named: "up").result
    }

    /// Returns the account in the org, which must exist once.
    private func account(_ world: MatrixWorld) throws -> JSONValue {
        let found = try world.org.state(of: "Account").filter { $0["Code__c"] == "L1" }
        #expect(found.count == 1)
        return try #require(found.first)
    }

    /// Returns the number of upserts that the org received.
    private func upserts(_ world: MatrixWorld) -> Int { world.org.journal.count { $0.method == "PATCH" } }

    @Test(arguments: MergeMode.allCases) func `A record that arrived is found and not sent again`(mode: MergeMode)
        async throws
    {
        let world = try await world(mode, .drop(.afterCommit))
        #expect(try await up(world).unknown == 1)
        let before = upserts(world)
        let result = try await up(world)
        #expect([result.created, result.updated, result.unknown] == [1, 0, 0])
        #expect(before > 0 && upserts(world) == before)
        #expect(try account(world)["Description"] == "mine")
        #expect(try await world.kit.store.read { try $0.dirtyIds(in: "accounts") } == [])
    }

    /// The record was edited since, or existed before.
    @Test(arguments: MergeMode.allCases, [true, false])
    func `A record with other values is a conflict`(mode: MergeMode, arrived: Bool) async throws {
        let world = try await world(mode, .drop(arrived ? .afterCommit : .beforeHeaders))
        if !arrived {
            _ = try world.org.insert("Account", ["Name": "Lost", "Description": "theirs", "Code__c": "L1"])
        }
        #expect(try await up(world).unknown == 1)
        if arrived {
            let id = try #require(try account(world)["Id"]?.stringValue)
            world.clock.advance(by: .seconds(10))
            try world.org.edit("Account", id: id, ["Description": "theirs"])
        }
        let result = try await up(world)
        switch mode {
        case .overwrite:
            #expect([result.updated, result.conflicted, result.skipped] == [1, 0, 0])
        case .merge, .leaveIfChanged:
            #expect([result.conflicted, result.skipped] == (mode.mergesChanges ? [1, 0] : [0, 1]))
            #expect(try account(world)["Description"] == "theirs")
            let conflicts = try await world.kit.syncs.conflicts()
            #expect(conflicts.map(\.fields) == [["Description"]])
            try await world.kit.syncs.resolveConflict(try #require(conflicts.first), as: .local)
            #expect(try await up(world).isComplete)
        }
        #expect(try account(world)["Description"] == "mine")
        #expect(try await world.kit.syncs.conflicts() == [])
        #expect(try await world.kit.store.read { try $0.dirtyIds(in: "accounts") } == [])
    }

    /// Returns a world in which a creation that never arrived has the code of a server record, and differs from it in a
    /// field that updates do not send.
    ///
    /// - Returns: the world, the ID of the server's record, and the ID of the entry.
    private func worldWithUnsentDifference(
        _ mode: MergeMode, isEdited: Bool
    ) async throws -> (world: MatrixWorld, id: String, entryId: Int64) {
        let world = try await world(mode, .drop(.beforeHeaders), updates: "Name")
        let id = try world.org.insert("Account", ["Name": "Lost", "Description": "theirs", "Code__c": "L1"])
        #expect(try await up(world).unknown == 1)
        let entryId = try #require(try await world.kit.store.read { try $0.dirtyIds(in: "accounts") }.first)
        if isEdited { try await world.kit.store.edit(entryId, setting: ["Name": "Found"], in: "accounts") }
        return (world, id, entryId)
    }

    /// If the creation became an update, the difference would never be sent.
    @Test(arguments: MergeMode.allCases, [true, false])
    func `A field that updates do not send keeps the outcome unknown`(mode: MergeMode, isEdited: Bool) async throws {
        let (world, id, entryId) = try await worldWithUnsentDifference(mode, isEdited: isEdited)
        for _ in 1...2 { #expect(try await up(world).unknown == 1) }
        let note = try await world.kit.store.retrieve([entryId], from: "accounts").first?["__last_error__"]?.stringValue
        #expect(note?.contains("Description, which updates do not send") == true, "\(note ?? "")")
        #expect(note?.contains(id) == true)
        #expect(try account(world)["Description"] == "theirs")
        #expect(try await world.kit.syncs.unknownCreations() == ["accounts": [entryId]])
        try await world.kit.syncs.resolveUnknown(entryId: entryId, soup: "accounts", as: .resend)
        #expect(try await up(world).isComplete)
        #expect(try account(world)["Description"] == "mine")
        #expect(try account(world)["Name"] == (isEdited ? "Found" : "Lost"))
        #expect(try await world.kit.store.read { try $0.dirtyIds(in: "accounts") } == [])
    }

    /// A deletion affects all fields, not only those that updates send.
    @Test(arguments: MergeMode.thatDetectConflicts, [true, false])
    func `A deletion compares fields that updates do not send`(mode: MergeMode, isLost: Bool) async throws {
        let world: MatrixWorld
        let entryId: Int64
        if isLost {
            let lost = try await worldWithUnsentDifference(mode, isEdited: false)
            (world, entryId) = (lost.world, lost.entryId)
            #expect(try await up(world).unknown == 1)
        } else {
            world = try await MatrixWorld(.rows("rest", mode, byCode: true, updates: "Name"))
            let id = try world.org.insert("Account", ["Name": "Lost", "Description": "mine", "Code__c": "L1"])
            #expect(try await world.kit.syncs.reSync(named: "down").result.saved > 0)
            let entries = try await world.kit.store.query(.exact("accounts", "Id", equals: .string(id))).entries
            entryId = try #require(entries.first?.id)
            world.clock.advance(by: .seconds(10))
            try world.org.edit("Account", id: id, ["Description": "theirs"])
        }
        try await world.kit.store.delete(entryId, in: "accounts")
        let result = try await up(world)
        #expect(result.conflicted + result.skipped == 1)
        #expect(try account(world)["Description"] == "theirs")
        let conflict = try #require(try await world.kit.syncs.conflicts().first)
        try await world.kit.syncs.resolveConflict(conflict, as: .remote)
        _ = try await world.kit.syncs.reSync(named: "down").result
        #expect(try await up(world).isComplete)
        let entry = try await world.kit.store.retrieve([entryId], from: "accounts").first
        #expect(entry?["Description"]?.stringValue == "theirs")
        #expect(try await world.kit.store.read { try $0.dirtyIds(in: "accounts") } == [])
    }

    @Test(arguments: MergeMode.allCases, [true, false])
    func `Resolving as created takes the server's unsent fields`(mode: MergeMode, isEdited: Bool) async throws {
        let (world, id, entryId) = try await worldWithUnsentDifference(mode, isEdited: isEdited)
        #expect(try await up(world).unknown == 1)
        #expect(try await world.kit.syncs.reSync(named: "down").result.saved == 1)
        try await world.kit.syncs.resolveUnknown(entryId: entryId, soup: "accounts", as: .created(id))
        if isEdited, mode == .leaveIfChanged {
            // Another user has changed the record since it was sent.
            let result = try await up(world)
            #expect(result.conflicted + result.skipped == 1)
            let conflict = try #require(try await world.kit.syncs.conflicts().first)
            try await world.kit.syncs.resolveConflict(conflict, as: .local)
        }
        #expect(try await up(world).isComplete)
        #expect(try await world.kit.syncs.reSync(named: "down").result.isComplete)
        let entries = try await world.kit.store.query(.exact("accounts", "Id", equals: .string(id))).entries
        #expect(entries.count == 1)
        let entry = try #require(entries.first)
        for (field, value) in ["Description": "theirs", "Name": isEdited ? "Found" : "Lost"] {
            #expect(try account(world)[field]?.stringValue == value)
            #expect(entry[JSONPath(field)]?.stringValue == value)
        }
        #expect(try await world.kit.store.read { try $0.dirtyIds(in: "accounts") } == [])
    }
}
