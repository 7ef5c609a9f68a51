// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// What was changed here below a parent that is gone on the server and was not changed here.
@Suite struct LostParentTests {
    private typealias World = LostParentWorld

    @Test(arguments: [MergeMode.merge, .leaveIfChanged])
    func `A child that is gone on both sides is nobodys conflict`(mode: MergeMode) async throws {
        let world = try await World { world in
            try await world.client.kit.store.deleteLocally(world.entry("item 11", "items").id, in: "items")
        }
        let report = try await world.sync("up \(mode.rawValue)")
        #expect(report.left == [:])
        #expect(report.changes == 1)
        try await world.settle()
        #expect(try world.orgTitles() == World.others)
    }

    @Test(arguments: [MergeMode.merge, .leaveIfChanged])
    func `A new child stays and takes the whole tree along when it wins`(mode: MergeMode) async throws {
        let world = try await World(.masterDetail, World.makeChild)
        let (left, code) =
            mode == .merge
            ? ("conflicted CONFLICT", "CONFLICT")
            : ("skipped PARENT_DELETED_ON_SERVER", "PARENT_DELETED_ON_SERVER")
        #expect(try await world.sync("up \(mode.rawValue)").left.values.map { $0 } == [left])
        let conflicts = try await world.client.kit.syncs.conflicts()
        #expect(conflicts.map(\.code) == [code])
        let conflict = try #require(conflicts.first)
        #expect(conflict.remote == nil && conflict.local != nil)

        try await world.client.kit.syncs.resolveConflict(conflict, as: .local)
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12", "new"] + World.others).sorted())
    }

    @Test func `A new child goes with its parent when it loses`() async throws {
        let world = try await World(.masterDetail, World.makeChild)
        try await world.sync("up MERGE")
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try await world.client.kit.syncs.resolveConflict(conflict, as: .remote)
        try await world.settle()
        #expect(try world.orgTitles() == World.others)
    }

    @Test func `An edited child that wins takes the whole tree along`() async throws {
        let world = try await World(.masterDetail, World.editChild)
        #expect(try await world.sync("up MERGE").left.values.map { $0 } == ["conflicted CONFLICT"])
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try await world.client.kit.syncs.resolveConflict(conflict, as: .local)
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + World.others).sorted())
        #expect(try await world.entry("item 11", "items")["Note__c"] == "mine")
    }

    @Test func `An edited parent that wins takes its details along`() async throws {
        let world = try await World { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(box.id, setting: ["Note__c": "mine"], in: "boxes")
            try await World.editChild(world)
            try await world.client.kit.store.deleteLocally(world.entry("item 12", "items").id, in: "items")
        }
        try await world.sync("up MERGE")
        try await world.resolveAll(as: .local, count: 2)
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11"] + World.others).sorted())
        #expect(try await world.entry("item 11", "items")["Note__c"] == "mine")
    }

    @Test(arguments: [MergeMode.merge, .leaveIfChanged], [RecordLayout.Relationship.masterDetail, .lookup])
    func `Siblings are settled each by its own answer`(mode: MergeMode, relationship: RecordLayout.Relationship)
        async throws
    {
        let world = try await World(relationship) { world in
            try await World.makeChild(world)
            try await World.makeChild(world)
            try await World.editChild(world)
        }
        try await world.sync("up \(mode.rawValue)")
        let conflicts = try await world.client.kit.syncs.conflicts()
        // Under MERGE an edit of what is there waits for what must be decided first.
        try #require(conflicts.count == (mode == .merge && relationship == .lookup ? 2 : 3))
        func title(_ conflict: RecordConflict) -> String { conflict.local.map { world.records.title($0.value) } ?? "" }
        let winner = conflicts.firstIndex { title($0) == "item 11" } ?? 0
        // First the one that takes the parent along; the answers to the others hold all the same.
        try await world.client.kit.syncs.resolveConflict(conflicts[winner], as: .local)
        for position in conflicts.indices where position != winner {
            try await world.client.kit.syncs.resolveConflict(conflicts[position], as: .remote)
        }
        try await world.settle(mode)
        let new = title(conflicts[winner]) == "new" ? ["new"] : []
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + new + World.others).sorted())
        #expect(try world.inOrg("item 11")?["Note__c"] == "mine")
        #expect(try world.inOrg("item 11")?["Box__c"] == world.inOrg("box 1")?["Id"])
    }

    /// It is there, without a parent, and no newer than it was.
    @Test(arguments: [MergeMode.merge, .leaveIfChanged], [ConflictResolution.local, .remote])
    func `An edited child that stands by itself`(mode: MergeMode, resolution: ConflictResolution) async throws {
        let world = try await World(.lookup, World.editChild)
        let left = mode == .merge ? "conflicted" : "skipped"
        #expect(
            try await world.sync("up \(mode.rawValue)").left.values.map { $0 } == ["\(left) PARENT_DELETED_ON_SERVER"])
        try await world.resolveAll(as: resolution, count: 1)
        #expect(try await world.sync("up MERGE").left == [:])
        let rows = try world.org.state(of: "Item__c")
        let item = try #require(rows.first { world.records.title($0) == "item 11" })
        #expect(item["Note__c"] == (resolution == .local ? "mine" : .null))
        #expect(item["Box__c"]?.isNull == (resolution == .remote))
        #expect(try world.orgTitles().filter { $0 == "box 1" }.count == (resolution == .local ? 1 : 0))
        #expect(rows.count == 6)
        #expect(try await world.client.kit.syncs.conflicts() == [])
    }

    /// As contacts go with their account, though they only look it up.
    @Test(arguments: [MergeMode.merge, .leaveIfChanged])
    func `Siblings that nobody touched are made again with their parent`(mode: MergeMode) async throws {
        let world = try await World(.lookup, cascades: true, World.editChild)
        try await world.sync("up \(mode.rawValue)")
        try await world.resolveAll(as: .local, count: 1)
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + World.others).sorted())
    }

    /// The other way round: one that was moved and changed there is no business of its old parent's.
    @Test func `A sibling that somebody else moved is left alone`() async throws {
        let world = try await World(.lookup) { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(box.id, setting: ["Note__c": "mine"], in: "boxes")
            world.clock.advance(by: 10_000)
            try world.org.edit(
                "Item__c", id: world.org.id(of: "i11") ?? "",
                ["Box__c": .string(world.org.id(of: "b2") ?? ""), "Note__c": "theirs"])
        }
        #expect(try await world.sync("up OVERWRITE").left == [:])
        let item = try #require(try world.org.state(of: "Item__c").first { world.records.title($0) == "item 11" })
        #expect(item["Note__c"] == "theirs" && item["Box__c"]?.stringValue == world.org.id(of: "b2"))
        try await world.settle()
    }

    /// LEAVE_IF_CHANGED leaves a tree alone as a whole; whoever looks at it can let it go.
    @Test func `A change goes up when somebody says so though its tree is newer`() async throws {
        let world = try await World(isDeleted: false) { world in
            try await World.editChild(world)
            world.clock.advance(by: 10_000)
            try world.org.edit("Box__c", id: world.org.id(of: "b1") ?? "", ["Note__c": "theirs"])
        }
        for _ in 1...2 {
            #expect(try await world.sync("up LEAVE_IF_CHANGED").left.values.map { $0 } == ["skipped NEWER_ON_SERVER"])
        }
        try await world.resolveAll(as: .local, count: 1)
        #expect(try await world.client.kit.syncs.conflicts() == [])
        #expect(try await world.sync("up LEAVE_IF_CHANGED").left == [:])
        try await world.settle()
        #expect(try await world.entry("item 11", "items")["Note__c"] == "mine")
        #expect(try await world.entry("box 1", "boxes")["Note__c"] == "theirs")
        let rows = try world.org.state(of: "Item__c")
        #expect(rows.first { world.records.title($0) == "item 11" }?["Note__c"] == "mine")
        // The next edit is another decision.
        try await world.edit("item 11", "items", "again")
        world.clock.advance(by: 10_000)
        try world.org.edit("Box__c", id: world.org.id(of: "b1") ?? "", ["Note__c": "theirs again"])
        #expect(try await world.sync("up LEAVE_IF_CHANGED").left.values.map { $0 } == ["skipped NEWER_ON_SERVER"])
    }

    /// What waits for another one of its tree is no conflict of its own.
    @Test func `What waits for its tree says so`() async throws {
        let world = try await World(isDeleted: false) { world in
            try await World.editChild(world)
            let item = try await world.entry("item 12", "items")
            try await world.client.kit.store.edit(item.id, setting: ["Note__c": "mine, too"], in: "items")
            world.clock.advance(by: 10_000)
            try world.org.edit("Item__c", id: world.org.id(of: "i11") ?? "", ["Note__c": "theirs"])
        }
        let left = try await world.sync("up MERGE").left.sorted { $0.key < $1.key }.map(\.value)
        #expect(left == ["conflicted CONFLICT", "skipped WAITS_FOR_TREE"])
        try await world.resolveAll(as: .remote, count: 1)
        try await world.settle()
    }

    @Test func `A child that somebody else edited is not replaced with its parent`() async throws {
        let world = try await World(.lookup) { world in
            try await world.client.kit.store.deleteLocally(world.entry("box 1", "boxes").id, in: "boxes")
            try await World.editChild(world)
            world.clock.advance(by: 10_000)
            try world.org.edit("Item__c", id: world.org.id(of: "i11") ?? "", ["Note__c": "theirs"])
        }
        #expect(try await world.sync("up LEAVE_IF_CHANGED").left.values.contains("skipped NEWER_ON_SERVER"))
        let item = try #require(try world.org.state(of: "Item__c").first { world.records.title($0) == "item 11" })
        #expect(item["Note__c"] == "theirs")
    }

    /// Whoever brought the parent back in between has made it already.
    @Test func `A parent that is there again is not made twice`() async throws {
        let world = try await World(.masterDetail, World.makeChild)
        try await world.sync("up MERGE")
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try world.org.undelete(id: world.org.id(of: "b1") ?? "")
        try await world.client.kit.syncs.resolveConflict(conflict, as: .local)
        // What is below it goes up in the same run.
        #expect(try await world.sync("up MERGE").left == [:])
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12", "new"] + World.others).sorted())
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12", "new"] + World.others).sorted())
    }

    /// A detail that somebody had put under another parent did not go with its old one.
    @Test(arguments: [MergeMode.overwrite, .merge])
    func `A detail that was moved before is not made again`(mode: MergeMode) async throws {
        let world = try await World { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(box.id, setting: ["Note__c": "mine"], in: "boxes")
            let other = JSONValue.string(world.org.id(of: "b2") ?? "")
            try world.org.edit("Item__c", id: world.org.id(of: "i11") ?? "", ["Box__c": other])
        }
        try await world.sync("up \(mode.rawValue)")
        if mode == .merge { try await world.resolveAll(as: .local, count: 1) }
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + World.others).sorted())
    }

    /// A change of a parent that nobody changed here keeps nothing back.
    @Test func `A newer parent is merged with nothing`() async throws {
        let world = try await World { world in
            let box = try await world.entry("box 2", "boxes")
            try await world.client.kit.store.create(
                ["Title__c": "new", "Box__c": box["Id"] ?? .null], type: "Item__c", in: "items")
            world.clock.advance(by: 10_000)
            try world.org.edit("Box__c", id: world.org.id(of: "b2") ?? "", ["Note__c": "theirs"])
        }
        #expect(try await world.sync("up MERGE").left == [:])
        try await world.settle()
        #expect(try await world.entry("box 2", "boxes")["Note__c"] == "theirs")
        #expect(try world.orgTitles() == (["new"] + World.others).sorted())
    }
}
