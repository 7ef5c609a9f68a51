// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import Testing

/// What becomes of changes in trees of which the server has changed or lost another record, and of what somebody
/// decides about them.
@Suite struct TreeDecisionTests {
    private typealias World = LostParentWorld
    private static let leave = "up LEAVE_IF_CHANGED"

    @Test func `A decision holds when a sibling is gone`() async throws {
        let world = try await World(isDeleted: false) { world in
            try await World.editChild(world)
            try world.org.delete("Item__c", id: world.id("i12"))
        }
        #expect(try await world.sync(Self.leave).left.values.map { $0 } == ["skipped NEWER_ON_SERVER"])
        try await world.resolveAll(as: .local, count: 1)
        #expect(try await world.sync(Self.leave).left == [:])
        #expect(try world.inOrg("item 11")?["Note__c"] == "mine")
        try await world.settle(.leaveIfChanged)
        #expect(try world.orgTitles() == (["box 1", "item 11"] + World.others).sorted())
    }

    @Test func `A decision outlives runs in which another one is missing`() async throws {
        let world = try await World(isDeleted: false) { world in
            try await World.editChild(world)
            try await world.edit("item 12", "items")
            try world.editInOrg("b1", "Box__c")
        }
        let newer = "skipped NEWER_ON_SERVER"
        #expect(try await world.sync(Self.leave).left.values.map { $0 } == [newer, newer])
        let syncs = world.client.kit.syncs
        let conflicts = try await syncs.conflicts()
        try #require(conflicts.count == 2)
        try await syncs.resolveConflict(conflicts[0], as: .local)
        for _ in 1...2 {
            #expect(try await world.sync(Self.leave).left.values.sorted() == [newer, "skipped WAITS_FOR_TREE"])
            #expect(try await syncs.conflicts() == [conflicts[1]])
        }
        try await syncs.resolveConflict(conflicts[1], as: .local)
        #expect(try await world.sync(Self.leave).left == [:])
        for title in ["item 11", "item 12"] { #expect(try world.inOrg(title)?["Note__c"] == "mine") }
        try await world.settle(.leaveIfChanged)
        #expect(try world.inOrg("box 1")?["Note__c"] == "theirs")
    }

    /// There is nothing that would need the parent.
    @Test(arguments: [MergeMode.merge, .leaveIfChanged])
    func `A deletion below a lost parent makes nothing again`(mode: MergeMode) async throws {
        let world = try await World(.lookup) { try await $0.delete("item 12", "items") }
        #expect(try await world.sync("up \(mode.rawValue)").left == [:])
        #expect(try await world.client.kit.syncs.conflicts() == [])
        #expect(try world.orgTitles() == (["item 11"] + World.others).sorted())
    }

    @Test(arguments: [MergeMode.merge, .leaveIfChanged])
    func `A deletion waits for its sibling and for no decision`(mode: MergeMode) async throws {
        let world = try await World(.lookup) { world in
            try await World.editChild(world)
            try await world.delete("item 12", "items")
        }
        #expect(try await world.sync("up \(mode.rawValue)").left.values.contains("skipped WAITS_FOR_TREE"))
        try await world.resolveAll(as: .remote, count: 1)
        #expect(try await world.sync("up \(mode.rawValue)").left == [:])
        #expect(try world.orgTitles() == (["item 11"] + World.others).sorted())
    }

    /// It is where somebody had put it, and is to be deleted there.
    @Test(arguments: [MergeMode.overwrite, .merge])
    func `A detail that was moved and is deleted here is deleted there`(mode: MergeMode) async throws {
        let world = try await World { world in
            try await world.edit("box 1", "boxes")
            try await world.delete("item 12", "items")
            try world.editInOrg("i12", "Item__c", ["Box__c": .string(world.id("b2"))])
        }
        if mode == .merge {
            try await world.sync("up MERGE")
            // That of the box brings its details along, before anybody has decided about this one.
            try await world.resolveAll(as: .local, count: 2)
        }
        #expect(try await world.sync("up \(mode.rawValue)").left == [:])
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11"] + World.others).sorted())
    }

    /// A parent that is a creation already, as another sync up left it.
    @Test(arguments: [MergeMode.overwrite, .merge, .leaveIfChanged])
    func `A child that somebody else edited does not follow`(mode: MergeMode) async throws {
        let world = try await World(.lookup) { try $0.editInOrg("i11", "Item__c") }
        var box = try #require(try await world.entry("box 1", "boxes").json.value.objectValue)
        for flag in ["__local__", "__locally_created__"] { box[flag] = true }
        _ = try await world.client.kit.store.upsert([try JSONValue.object(box).jsonText()], into: "boxes")
        #expect(try await world.sync("up \(mode.rawValue)").left == [:])
        #expect(try world.inOrg("item 11")?["Note__c"] == "theirs")
        #expect(try world.inOrg("item 11")?["Box__c"]?.isNull == true)
        #expect(try world.inOrg("item 12")?["Box__c"] == world.inOrg("box 1")?["Id"])
    }

    @Test func `One answer settles a child that is newer and its lost parent`() async throws {
        let world = try await World(.lookup) { world in
            try await World.editChild(world)
            try world.editInOrg("i11", "Item__c")
        }
        #expect(try await world.sync(Self.leave).left.count == 1)
        try await world.resolveAll(as: .local, count: 1)
        let left = try await world.sync(Self.leave).left
        #expect(left == [:])
        #expect(try world.inOrg("item 11")?["Note__c"] == "mine")
        #expect(try world.inOrg("item 11")?["Box__c"] == world.inOrg("box 1")?["Id"])
    }

    @Test(arguments: [ConflictResolution.local, .remote])
    func `An edit of what is gone is a conflict also below a deletion`(resolution: ConflictResolution) async throws {
        let world = try await World(.lookup) { world in
            try await World.editChild(world)
            try await world.delete("box 1", "boxes")
            try world.org.delete("Item__c", id: world.id("i11"))
        }
        #expect(try await world.sync(Self.leave).left.values.contains("skipped DELETED_ON_SERVER"))
        #expect(try await world.client.kit.syncs.conflicts().map(\.code) == ["DELETED_ON_SERVER"])
        try await world.resolveAll(as: resolution, count: 1)
        guard resolution == .remote else { return }
        #expect(try await world.sync(Self.leave).left == [:])
        #expect(try await world.client.kit.syncs.conflicts() == [])
        #expect(try world.orgTitles() == (["item 12"] + World.others).sorted())
    }
}
