// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Changes in trees in which another record was changed or deleted on the server, and the user's decisions about them.
@Suite struct TreeDecisionTests {
    private typealias World = LostParentWorld
    private static let leave = "up LEAVE_IF_CHANGED"

    @Test func `A decision applies although a sibling is deleted`() async throws {
        let world = try await World(isDeleted: false) { world in
            try await World.editChild(world)
            try world.org.delete("Item__c", id: world.id("i12"))
        }
        #expect(try await world.sync(Self.leave).unsynced.values.map { $0 } == ["skipped NEWER_ON_SERVER"])
        try await world.resolveAll(as: .local, count: 1)
        #expect(try await world.sync(Self.leave).unsynced == [:])
        #expect(try world.orgRecord("item 11")?["Note__c"] == "mine")
        try await world.syncUntilEqual(.leaveIfChanged)
        #expect(try world.orgTitles() == (["box 1", "item 11"] + World.otherTitles).sorted())
    }

    @Test func `A decision is kept while another decision is missing`() async throws {
        let world = try await World(isDeleted: false) { world in
            try await World.editChild(world)
            try await world.edit("item 12", "items")
            try world.editInOrg("b1", "Box__c")
        }
        let newer = "skipped NEWER_ON_SERVER"
        #expect(try await world.sync(Self.leave).unsynced.values.map { $0 } == [newer, newer])
        let syncs = world.client.kit.syncs
        let conflicts = try await syncs.conflicts()
        try #require(conflicts.count == 2)
        try await syncs.resolveConflict(conflicts[0], as: .local)
        for _ in 1...2 {
            #expect(try await world.sync(Self.leave).unsynced.values.sorted() == [newer, "skipped WAITS_FOR_TREE"])
            #expect(try await syncs.conflicts() == [conflicts[1]])
        }
        try await syncs.resolveConflict(conflicts[1], as: .local)
        #expect(try await world.sync(Self.leave).unsynced == [:])
        for title in ["item 11", "item 12"] { #expect(try world.orgRecord(title)?["Note__c"] == "mine") }
        try await world.syncUntilEqual(.leaveIfChanged)
        #expect(try world.orgRecord("box 1")?["Note__c"] == "theirs")
    }

    /// No pushed record needs the parent.
    @Test(arguments: MergeMode.thatDetectConflicts)
    func `A deletion below a deleted parent recreates nothing`(mode: MergeMode) async throws {
        let world = try await World(.lookup) { try await $0.delete("item 12", "items") }
        #expect(try await world.sync("up \(mode.rawValue)").unsynced == [:])
        #expect(try await world.client.kit.syncs.conflicts() == [])
        #expect(try world.orgTitles() == (["item 11"] + World.otherTitles).sorted())
    }

    @Test(arguments: MergeMode.thatDetectConflicts)
    func `A deletion waits for its sibling without a conflict`(mode: MergeMode) async throws {
        let world = try await World(.lookup) { world in
            try await World.editChild(world)
            try await world.delete("item 12", "items")
        }
        #expect(try await world.sync("up \(mode.rawValue)").unsynced.values.contains("skipped WAITS_FOR_TREE"))
        try await world.resolveAll(as: .remote, count: 1)
        #expect(try await world.sync("up \(mode.rawValue)").unsynced == [:])
        #expect(try world.orgTitles() == (["item 11"] + World.otherTitles).sorted())
    }

    /// Another user has moved it to another parent; it is deleted there.
    @Test(arguments: MergeMode.thatIgnoreUnchangedRecords)
    func `A moved detail that is deleted locally is deleted`(mode: MergeMode) async throws {
        let world = try await World { world in
            try await world.edit("box 1", "boxes")
            try await world.delete("item 12", "items")
            try world.editInOrg("i12", "Item__c", fields: ["Box__c": .string(world.id("b2"))])
        }
        if mode.detectsConflicts {
            try await world.sync("up \(mode.rawValue)")
            // The decision about the box recreates its details, before there is a decision about the moved one.
            try await world.resolveAll(as: .local, count: 2)
        }
        #expect(try await world.sync("up \(mode.rawValue)").unsynced == [:])
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == (["box 1", "item 11"] + World.otherTitles).sorted())
    }

    /// The parent is already marked as created, as after another sync up.
    @Test(arguments: MergeMode.allCases)
    func `A child that another user edited is not relinked`(mode: MergeMode) async throws {
        let world = try await World(.lookup) { try $0.editInOrg("i11", "Item__c") }
        var box = try #require(try await world.entry("box 1", "boxes").json.value.objectValue)
        for flag in ["__local__", "__locally_created__"] { box[flag] = true }
        _ = try await world.client.kit.store.upsert([try JSONValue.object(box).jsonText()], into: "boxes")
        #expect(try await world.sync("up \(mode.rawValue)").unsynced == [:])
        #expect(try world.orgRecord("item 11")?["Note__c"] == "theirs")
        #expect(try world.orgRecord("item 11")?["Box__c"]?.isNull == true)
        #expect(try world.orgRecord("item 12")?["Box__c"] == world.orgRecord("box 1")?["Id"])
    }

    @Test func `One decision resolves a newer child and its deleted parent`() async throws {
        let world = try await World(.lookup) { world in
            try await World.editChild(world)
            try world.editInOrg("i11", "Item__c")
        }
        #expect(try await world.sync(Self.leave).unsynced.count == 1)
        try await world.resolveAll(as: .local, count: 1)
        let unsynced = try await world.sync(Self.leave).unsynced
        #expect(unsynced == [:])
        #expect(try world.orgRecord("item 11")?["Note__c"] == "mine")
        #expect(try world.orgRecord("item 11")?["Box__c"] == world.orgRecord("box 1")?["Id"])
    }

    @Test(arguments: [ConflictResolution.local, .remote])
    func `An edit of a deleted record below a deletion is a conflict`(resolution: ConflictResolution) async throws {
        let world = try await World(.lookup) { world in
            try await World.editChild(world)
            try await world.delete("box 1", "boxes")
            try world.org.delete("Item__c", id: world.id("i11"))
        }
        #expect(try await world.sync(Self.leave).unsynced.values.contains("skipped DELETED_ON_SERVER"))
        #expect(try await world.client.kit.syncs.conflicts().map(\.code) == ["DELETED_ON_SERVER"])
        try await world.resolveAll(as: resolution, count: 1)
        guard resolution == .remote else { return }
        #expect(try await world.sync(Self.leave).unsynced == [:])
        #expect(try await world.client.kit.syncs.conflicts() == [])
        #expect(try world.orgTitles() == (["item 12"] + World.otherTitles).sorted())
    }
}
