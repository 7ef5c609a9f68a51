// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import LocalOrg
import MobileSync
import SmartStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// What was changed here below a parent that is gone on the server and was not changed here.
@Suite struct LostParentTests {
    /// An org with boxes, and an app that has them.
    private struct World {
        let records: SharedRecords
        let clock = ManualClock.advancing()
        let org: LocalOrg
        let client: Client

        /// Brings three boxes with two items each, and deletes the first box on the server once `change` was made here.
        init(
            _ relationship: RecordLayout.Relationship = .masterDetail, cascades: Bool? = nil, isDeleted: Bool = true,
            _ change: (World) async throws -> Void
        ) async throws {
            records = try SharedRecords.boxes(relationship: relationship, cascades: cascades)
            org = try LocalOrg(seed: records.seed, clock: clock)
            client = try await Client("A", records, org, clock)
            try await sync("down MERGE")
            try await change(self)
            clock.advance(by: 10_000)
            if isDeleted { try org.delete("Box__c", id: org.id(of: "b1") ?? "") }
        }

        @discardableResult
        func sync(_ name: String) async throws -> Client.Report {
            clock.advance(by: 10_000)
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

        /// Settles one conflict after the other, as they were listed.
        func resolveAll(as resolution: ConflictResolution, count: Int) async throws {
            let conflicts = try await client.kit.syncs.conflicts()
            #expect(conflicts.count == count)
            for conflict in conflicts { try await client.kit.syncs.resolveConflict(conflict, as: resolution) }
        }

        /// Syncs until nothing is left to do, with MERGE; then the store and the org are the same.
        func settle() async throws {
            for _ in 1...2 {
                #expect(try await sync("up MERGE").left == [:])
                try await sync("down MERGE")
                try await client.kit.syncs.cleanResyncGhostsBySoup(named: "down MERGE")
            }
            #expect(try await client.kit.syncs.conflicts() == [])
            #expect(try await titles() == orgTitles())
            for kind in records.kinds {
                #expect(try await client.entries(kind).allSatisfy { $0["__local__"] == false })
            }
        }
    }

    private static let others = ["box 2", "box 3", "item 21", "item 22", "item 31", "item 32"]

    @Test(arguments: [MergeMode.merge, .leaveIfChanged])
    func aChildThatIsGoneOnBothSidesIsNobodysConflict(mode: MergeMode) async throws {
        let world = try await World { world in
            try await world.client.kit.store.deleteLocally(world.entry("item 11", "items").id, in: "items")
        }
        let report = try await world.sync("up \(mode.rawValue)")
        #expect(report.left == [:])
        #expect(report.changes == 1)
        try await world.settle()
        #expect(try world.orgTitles() == Self.others)
    }

    private static func makeChild(_ world: World) async throws {
        let box = try await world.entry("box 1", "boxes")
        try await world.client.kit.store.create(
            ["Title__c": "new", "Box__c": box["Id"] ?? .null], type: "Item__c", in: "items")
    }

    @Test(arguments: [MergeMode.merge, .leaveIfChanged])
    func aNewChildStaysAndTakesTheWholeTreeAlongWhenItWins(mode: MergeMode) async throws {
        let world = try await World(.masterDetail, Self.makeChild)
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
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12", "new"] + Self.others).sorted())
    }

    @Test func aNewChildGoesWithItsParentWhenItLoses() async throws {
        let world = try await World(.masterDetail, Self.makeChild)
        try await world.sync("up MERGE")
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try await world.client.kit.syncs.resolveConflict(conflict, as: .remote)
        try await world.settle()
        #expect(try world.orgTitles() == Self.others)
    }

    private static func editChild(_ world: World) async throws { try await editChild(world, "mine") }

    private static func editChild(_ world: World, _ note: JSONValue) async throws {
        let item = try await world.entry("item 11", "items")
        try await world.client.kit.store.edit(item.id, setting: ["Note__c": note], in: "items")
    }

    @Test func anEditedChildThatWinsTakesTheWholeTreeAlong() async throws {
        let world = try await World(.masterDetail, Self.editChild)
        #expect(try await world.sync("up MERGE").left.values.map { $0 } == ["conflicted CONFLICT"])
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try await world.client.kit.syncs.resolveConflict(conflict, as: .local)
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + Self.others).sorted())
        #expect(try await world.entry("item 11", "items")["Note__c"] == "mine")
    }

    @Test func anEditedParentThatWinsTakesItsDetailsAlong() async throws {
        let world = try await World { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(box.id, setting: ["Note__c": "mine"], in: "boxes")
            try await Self.editChild(world)
            try await world.client.kit.store.deleteLocally(world.entry("item 12", "items").id, in: "items")
        }
        try await world.sync("up MERGE")
        try await world.resolveAll(as: .local, count: 2)
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11"] + Self.others).sorted())
        #expect(try await world.entry("item 11", "items")["Note__c"] == "mine")
    }

    @Test(arguments: [MergeMode.merge, .leaveIfChanged])
    func siblingsAreSettledEachByItsOwnAnswer(mode: MergeMode) async throws {
        let world = try await World { world in
            try await Self.makeChild(world)
            try await Self.makeChild(world)
            try await Self.editChild(world)
        }
        try await world.sync("up \(mode.rawValue)")
        let conflicts = try await world.client.kit.syncs.conflicts()
        try #require(conflicts.count == 3)
        try await world.client.kit.syncs.resolveConflict(conflicts[0], as: .local)
        for conflict in conflicts[1...] { try await world.client.kit.syncs.resolveConflict(conflict, as: .remote) }
        try await world.settle()
        #expect(try world.orgTitles().contains("box 1"))
        #expect(try world.orgTitles().filter { $0 == "new" }.count <= 1)
    }

    /// It is there, without a parent, and no newer than it was.
    @Test(arguments: [MergeMode.merge, .leaveIfChanged], [ConflictResolution.local, .remote])
    func anEditedChildThatStandsByItself(mode: MergeMode, resolution: ConflictResolution) async throws {
        let world = try await World(.lookup, Self.editChild)
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
    func siblingsThatNobodyTouchedAreMadeAgainWithTheirParent(mode: MergeMode) async throws {
        let world = try await World(.lookup, cascades: true, Self.editChild)
        try await world.sync("up \(mode.rawValue)")
        try await world.resolveAll(as: .local, count: 1)
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + Self.others).sorted())
    }

    /// The other way round: one that was moved and changed there is no business of its old parent's.
    @Test func aSiblingThatSomebodyElseMovedIsLeftAlone() async throws {
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
    @Test func aChangeGoesUpWhenSomebodySaysSoThoughItsTreeIsNewer() async throws {
        let world = try await World(isDeleted: false) { world in
            try await Self.editChild(world)
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
        try await Self.editChild(world, "again")
        world.clock.advance(by: 10_000)
        try world.org.edit("Box__c", id: world.org.id(of: "b1") ?? "", ["Note__c": "theirs again"])
        #expect(try await world.sync("up LEAVE_IF_CHANGED").left.values.map { $0 } == ["skipped NEWER_ON_SERVER"])
    }

    /// What waits for another one of its tree is no conflict of its own.
    @Test func whatWaitsForItsTreeSaysSo() async throws {
        let world = try await World(isDeleted: false) { world in
            try await Self.editChild(world)
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

    @Test func aChildThatSomebodyElseEditedIsNotReplacedWithItsParent() async throws {
        let world = try await World(.lookup) { world in
            try await world.client.kit.store.deleteLocally(world.entry("box 1", "boxes").id, in: "boxes")
            try await Self.editChild(world)
            world.clock.advance(by: 10_000)
            try world.org.edit("Item__c", id: world.org.id(of: "i11") ?? "", ["Note__c": "theirs"])
        }
        #expect(try await world.sync("up LEAVE_IF_CHANGED").left.values.contains("skipped NEWER_ON_SERVER"))
        let item = try #require(try world.org.state(of: "Item__c").first { world.records.title($0) == "item 11" })
        #expect(item["Note__c"] == "theirs")
    }

    /// Whoever brought the parent back in between has made it already.
    @Test func aParentThatIsThereAgainIsNotMadeTwice() async throws {
        let world = try await World(.masterDetail, Self.makeChild)
        try await world.sync("up MERGE")
        let conflict = try #require(try await world.client.kit.syncs.conflicts().first)
        try world.org.undelete(id: world.org.id(of: "b1") ?? "")
        try await world.client.kit.syncs.resolveConflict(conflict, as: .local)
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12", "new"] + Self.others).sorted())
    }

    /// A detail that somebody had put under another parent did not go with its old one.
    @Test(arguments: [MergeMode.overwrite, .merge])
    func aDetailThatWasMovedBeforeIsNotMadeAgain(mode: MergeMode) async throws {
        let world = try await World { world in
            let box = try await world.entry("box 1", "boxes")
            try await world.client.kit.store.edit(box.id, setting: ["Note__c": "mine"], in: "boxes")
            let other = JSONValue.string(world.org.id(of: "b2") ?? "")
            try world.org.edit("Item__c", id: world.org.id(of: "i11") ?? "", ["Box__c": other])
        }
        try await world.sync("up \(mode.rawValue)")
        if mode == .merge { try await world.resolveAll(as: .local, count: 1) }
        try await world.settle()
        #expect(try world.orgTitles() == (["box 1", "item 11", "item 12"] + Self.others).sorted())
    }

    /// A change of a parent that nobody changed here keeps nothing back.
    @Test func aNewerParentIsMergedWithNothing() async throws {
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
        #expect(try world.orgTitles() == (["new"] + Self.others).sorted())
    }
}
