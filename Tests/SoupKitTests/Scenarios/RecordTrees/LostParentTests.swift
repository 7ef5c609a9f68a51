// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Local changes below a parent that was deleted on the server and not changed locally.
@Suite struct LostParentTests {
    private typealias World = LostParentWorld

    @Test(arguments: MergeMode.thatDetectConflicts)
    func `A child deleted on both sides is not a conflict`(mode: MergeMode) async throws {
        let world = try await World { world in
            try await world.client.kit.store.delete(world.entry("item 11", "items").id, in: "items")
        }
        let report = try await world.sync("up \(mode.rawValue)")
        #expect(report.unsynced == [:])
        #expect(report.changes == 1)
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == World.otherTitles)
    }

    @Test(arguments: MergeMode.thatDetectConflicts)
    func `A created child that wins recreates the whole tree`(mode: MergeMode) async throws {
        let world = try await World(.masterDetail, World.createChild)
        let (unsynced, code) =
            mode.mergesChanges
            ? ("conflicted CONFLICT", "CONFLICT")
            : ("skipped PARENT_DELETED_ON_SERVER", "PARENT_DELETED_ON_SERVER")
        #expect(try await world.sync("up \(mode.rawValue)").unsynced.values.map { $0 } == [unsynced])
        let conflicts = try await world.client.kit.syncs.conflicts()
        #expect(conflicts.map(\.code) == [code])
        let conflict = try #require(conflicts.first)
        #expect(conflict.remote == nil && conflict.local != nil)

        try await world.client.kit.syncs.resolveConflict(conflict, as: .local)
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12", "new"] + World.otherTitles).sorted())
    }

    /// The app moves an item into the box that another user deletes, and the deletion of the box wins.
    @Test func `A moved child that wins against its parent is listed`() async throws {
        let world = try await World(.lookup) { world in
            let (box, item) = (try await world.entry("box 1", "boxes"), try await world.entry("item 31", "items"))
            try await world.edit("box 1", "boxes")
            try await world.client.kit.store.edit(item.id, setting: ["Box__c": box["Id"] ?? .null], in: "items")
        }
        try await world.sync("up LEAVE_IF_CHANGED")
        try await world.sync("up MERGE")
        let conflicts = try await world.client.kit.syncs.conflicts()
        #expect(conflicts.map(\.soup) == ["boxes", "items"])
        for conflict in conflicts {
            try await world.client.kit.syncs.resolveConflict(conflict, as: conflict.soup == "boxes" ? .remote : .local)
        }
        #expect(try await world.sync("up MERGE").unsynced.values.map { $0 } == ["failed NO_PARENT"])
        #expect(try await world.client.kit.syncs.conflicts() == [])
        let failures = try await world.client.kit.syncs.failures()
        #expect(failures.map(\.failure.code) == ["NO_PARENT"])
        // The failure can be resolved like any other.
        _ = try await world.client.kit.syncs.discardChanges(of: failures.map(\.entryId), in: "items")
        #expect(try await world.sync("up MERGE").unsynced == [:])
        #expect(try await world.entry("item 31", "items")["Box__c"]?.stringValue == world.id("b3"))
        _ = try await world.client.kit.syncs.cleanResyncGhosts(named: "down MERGE")
        #expect(try await world.titles() == World.otherTitles)
    }

    @Test func `A created child that loses is removed with its parent`() async throws {
        let world = try await World(.masterDetail, World.createChild)
        try await world.sync("up MERGE")
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try await world.client.kit.syncs.resolveConflict(conflict, as: .remote)
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == World.otherTitles)
    }

    @Test func `An edited child that wins recreates the whole tree`() async throws {
        let world = try await World(.masterDetail, World.editChild)
        #expect(try await world.sync("up MERGE").unsynced.values.map { $0 } == ["conflicted CONFLICT"])
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try await world.client.kit.syncs.resolveConflict(conflict, as: .local)
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + World.otherTitles).sorted())
        #expect(try await world.entry("item 11", "items")["Note__c"] == "mine")
    }

    @Test func `An edited parent that wins is recreated with its details`() async throws {
        let world = try await World { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(box.id, setting: ["Note__c": "mine"], in: "boxes")
            try await World.editChild(world)
            try await world.client.kit.store.delete(world.entry("item 12", "items").id, in: "items")
        }
        try await world.sync("up MERGE")
        try await world.resolveAll(as: .local, count: 2)
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == (["box 1", "item 11"] + World.otherTitles).sorted())
        #expect(try await world.entry("item 11", "items")["Note__c"] == "mine")
    }

    @Test(arguments: MergeMode.thatDetectConflicts, [RecordLayout.Relationship.masterDetail, .lookup])
    func `Each sibling is resolved by its own decision`(mode: MergeMode, relationship: RecordLayout.Relationship)
        async throws
    {
        let world = try await World(relationship) { world in
            try await World.createChild(world)
            try await World.createChild(world)
            try await World.editChild(world)
        }
        try await world.sync("up \(mode.rawValue)")
        let conflicts = try await world.client.kit.syncs.conflicts()
        // With MERGE, an edit of an existing record waits for the decisions about the others.
        try #require(conflicts.count == (mode.mergesChanges && relationship == .lookup ? 2 : 3))
        func title(_ conflict: RecordConflict) -> String { conflict.local.map { world.records.title($0.value) } ?? "" }
        let winner = conflicts.firstIndex { title($0) == "item 11" } ?? 0
        // First the decision that recreates the parent; the later decisions about the others still apply.
        try await world.client.kit.syncs.resolveConflict(conflicts[winner], as: .local)
        for position in conflicts.indices where position != winner {
            try await world.client.kit.syncs.resolveConflict(conflicts[position], as: .remote)
        }
        try await world.syncUntilEqual(mode)
        let new = title(conflicts[winner]) == "new" ? ["new"] : []
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + new + World.otherTitles).sorted())
        #expect(try world.orgRecord("item 11")?["Note__c"] == "mine")
        #expect(try world.orgRecord("item 11")?["Box__c"] == world.orgRecord("box 1")?["Id"])
    }

    /// The child still exists on the server, without a parent and unchanged.
    @Test(arguments: MergeMode.thatDetectConflicts, [ConflictResolution.local, .remote])
    func `An edited child that lost its parent needs a decision`(mode: MergeMode, resolution: ConflictResolution)
        async throws
    {
        let world = try await World(.lookup, World.editChild)
        let result = mode.mergesChanges ? "conflicted" : "skipped"
        #expect(
            try await world.sync("up \(mode.rawValue)").unsynced.values.map { $0 } == [
                "\(result) PARENT_DELETED_ON_SERVER"
            ])
        try await world.resolveAll(as: resolution, count: 1)
        #expect(try await world.sync("up MERGE").unsynced == [:])
        let rows = try world.org.state(of: "Item__c")
        let item = try #require(rows.first { world.records.title($0) == "item 11" })
        #expect(item["Note__c"] == (resolution == .local ? "mine" : .null))
        #expect(item["Box__c"]?.isNull == (resolution == .remote))
        #expect(try world.orgTitles().filter { $0 == "box 1" }.count == (resolution == .local ? 1 : 0))
        #expect(rows.count == 6)
        #expect(try await world.client.kit.syncs.conflicts() == [])
    }

    /// Contacts, for example, are deleted with their account, although the relationship is a lookup.
    @Test(arguments: MergeMode.thatDetectConflicts)
    func `Unchanged siblings are recreated with their parent`(mode: MergeMode) async throws {
        let world = try await World(.lookup, cascades: true, World.editChild)
        try await world.sync("up \(mode.rawValue)")
        try await world.resolveAll(as: .local, count: 1)
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + World.otherTitles).sorted())
    }

    /// A sibling that another user moved and changed no longer belongs to its old parent.
    @Test func `A sibling that another user moved is not changed`() async throws {
        let world = try await World(.lookup) { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(box.id, setting: ["Note__c": "mine"], in: "boxes")
            world.clock.advance(by: .seconds(10))
            try world.org.edit(
                "Item__c", id: world.org.id(of: "i11") ?? "",
                ["Box__c": .string(world.org.id(of: "b2") ?? ""), "Note__c": "theirs"])
        }
        #expect(try await world.sync("up OVERWRITE").unsynced == [:])
        let item = try #require(try world.org.state(of: "Item__c").first { world.records.title($0) == "item 11" })
        #expect(item["Note__c"] == "theirs" && item["Box__c"]?.stringValue == world.org.id(of: "b2"))
        try await world.syncUntilEqual()
    }

    /// LEAVE_IF_CHANGED skips a tree as a whole; the user can decide to push it.
    @Test func `A decision pushes a change although its tree is newer`() async throws {
        let world = try await World(isDeleted: false) { world in
            try await World.editChild(world)
            world.clock.advance(by: .seconds(10))
            try world.org.edit("Box__c", id: world.org.id(of: "b1") ?? "", ["Note__c": "theirs"])
        }
        for _ in 1...2 {
            #expect(
                try await world.sync("up LEAVE_IF_CHANGED").unsynced.values.map { $0 } == ["skipped NEWER_ON_SERVER"])
        }
        try await world.resolveAll(as: .local, count: 1)
        #expect(try await world.client.kit.syncs.conflicts() == [])
        #expect(try await world.sync("up LEAVE_IF_CHANGED").unsynced == [:])
        try await world.syncUntilEqual()
        #expect(try await world.entry("item 11", "items")["Note__c"] == "mine")
        #expect(try await world.entry("box 1", "boxes")["Note__c"] == "theirs")
        let rows = try world.org.state(of: "Item__c")
        #expect(rows.first { world.records.title($0) == "item 11" }?["Note__c"] == "mine")
        // The next edit is another decision.
        try await world.edit("item 11", "items", note: "again")
        world.clock.advance(by: .seconds(10))
        try world.org.edit("Box__c", id: world.org.id(of: "b1") ?? "", ["Note__c": "theirs again"])
        #expect(try await world.sync("up LEAVE_IF_CHANGED").unsynced.values.map { $0 } == ["skipped NEWER_ON_SERVER"])
    }

    /// A change that waits for another record of its tree is not a conflict itself.
    @Test func `A change that waits for its tree is reported as waiting`() async throws {
        let world = try await World(isDeleted: false) { world in
            try await World.editChild(world)
            let item = try await world.entry("item 12", "items")
            try await world.client.kit.store.edit(item.id, setting: ["Note__c": "mine, too"], in: "items")
            world.clock.advance(by: .seconds(10))
            try world.org.edit("Item__c", id: world.org.id(of: "i11") ?? "", ["Note__c": "theirs"])
        }
        let unsynced = try await world.sync("up MERGE").unsynced.sorted { $0.key < $1.key }.map(\.value)
        #expect(unsynced == ["conflicted CONFLICT", "skipped WAITS_FOR_TREE"])
        try await world.resolveAll(as: .remote, count: 1)
        try await world.syncUntilEqual()
    }

    @Test func `A child that another user edited is not overwritten`() async throws {
        let world = try await World(.lookup) { world in
            try await world.client.kit.store.delete(world.entry("box 1", "boxes").id, in: "boxes")
            try await World.editChild(world)
            world.clock.advance(by: .seconds(10))
            try world.org.edit("Item__c", id: world.org.id(of: "i11") ?? "", ["Note__c": "theirs"])
        }
        #expect(try await world.sync("up LEAVE_IF_CHANGED").unsynced.values.contains("skipped NEWER_ON_SERVER"))
        let item = try #require(try world.org.state(of: "Item__c").first { world.records.title($0) == "item 11" })
        #expect(item["Note__c"] == "theirs")
    }

    /// Another user has undeleted the parent in between.
    @Test func `An undeleted parent is not recreated`() async throws {
        let world = try await World(.masterDetail, World.createChild)
        try await world.sync("up MERGE")
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try world.org.undelete(id: world.org.id(of: "b1") ?? "")
        try await world.client.kit.syncs.resolveConflict(conflict, as: .local)
        // Its children are pushed in the same run.
        #expect(try await world.sync("up MERGE").unsynced == [:])
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12", "new"] + World.otherTitles).sorted())
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12", "new"] + World.otherTitles).sorted())
    }

    /// A detail that another user moved to another parent was not deleted with its old parent.
    @Test(arguments: MergeMode.thatIgnoreUnchangedRecords)
    func `A detail that was moved before is not recreated`(mode: MergeMode) async throws {
        let world = try await World { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(box.id, setting: ["Note__c": "mine"], in: "boxes")
            let other = JSONValue.string(world.org.id(of: "b2") ?? "")
            try world.org.edit("Item__c", id: world.org.id(of: "i11") ?? "", ["Box__c": other])
        }
        try await world.sync("up \(mode.rawValue)")
        if mode.detectsConflicts { try await world.resolveAll(as: .local, count: 1) }
        try await world.syncUntilEqual()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + World.otherTitles).sorted())
    }

    /// A change of a parent that has no local change does not hold its children back.
    @Test func `A newer parent without local changes is not merged`() async throws {
        let world = try await World { world in
            let box = try await world.entry("box 2", "boxes")
            try await world.client.kit.store.create(
                ["Title__c": "new", "Box__c": box["Id"] ?? .null], type: "Item__c", in: "items")
            world.clock.advance(by: .seconds(10))
            try world.org.edit("Box__c", id: world.org.id(of: "b2") ?? "", ["Note__c": "theirs"])
        }
        #expect(try await world.sync("up MERGE").unsynced == [:])
        try await world.syncUntilEqual()
        #expect(try await world.entry("box 2", "boxes")["Note__c"] == "theirs")
        #expect(try world.orgTitles() == (["new"] + World.otherTitles).sorted())
    }
}
