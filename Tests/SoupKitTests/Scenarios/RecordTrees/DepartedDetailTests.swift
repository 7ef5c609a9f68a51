// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Details that an app moves away from records that it then deletes: the org still has them below these records.
@Suite struct DepartedDetailTests {
    /// A move of a detail, and the deletion of a record above its former place.
    struct Move: Sendable, CustomTestStringConvertible {
        var detail: (name: String, kind: TreeWorld.Kind)
        var target: String
        var deleted: (name: String, kind: TreeWorld.Kind)
        /// The deleted record and the records below it, without the detail.
        var rest: [String]

        var testDescription: String { "\(detail.name) to \(target), \(deleted.name) deleted" }
    }

    static let moves = [
        Move(
            detail: ("s1h1", SiteTree.halls), target: "s2", deleted: ("s1", SiteTree.sites),
            rest: ["s1", "s1h2", "s1h2x1", "s1h2x2"]),
        Move(
            detail: ("s1h1x1", SiteTree.shelves), target: "s2h1", deleted: ("s1", SiteTree.sites),
            rest: ["s1", "s1h1", "s1h1x2", "s1h2", "s1h2x1", "s1h2x2"]),
        // In one tree.
        Move(
            detail: ("s1h1x1", SiteTree.shelves), target: "s1h2", deleted: ("s1h1", SiteTree.halls),
            rest: ["s1h1", "s1h1x2"]),
        // In two trees of one batch, the deletion first.
        Move(
            detail: ("s1h1x1", SiteTree.shelves), target: "s2h1", deleted: ("s1h1", SiteTree.halls),
            rest: ["s1h1", "s1h1x2"]),
    ]

    /// Returns a world after a sync down and the move.
    private func world(after move: Move, allOrNone: Bool) async throws -> TreeWorld {
        var world = try await SiteTree.world(allOrNone: allOrNone, movableShelves: true, clock: .advancing())
        try SiteTree.fill(&world, guards: false)
        try await world.run("down")
        var fields: JSONObject = ["Title__c": "moved"]
        fields[move.detail.kind.parent ?? ""] = .string(world.id(move.target))
        let entry = try await world.entry(move.detail.name, move.detail.kind)
        try await world.kit.store.edit(entry, setting: fields, in: move.detail.kind.soup)
        try await world.delete(move.deleted.name, move.deleted.kind)
        return world
    }

    /// Returns the lines after the move and the deletion.
    private func expected(_ lines: [String], after move: Move) -> [String] {
        let left = lines.filter { line in !move.rest.contains { line.contains(" \($0) ") } }
        return left.map { line in
            guard line.contains(" \(move.detail.name) \(move.detail.name)") else { return line }
            return "\(move.detail.kind.object) \(move.detail.name) moved under \(move.target)"
        }.sorted()
    }

    @Test(arguments: moves, ["up", "upLeave", "upMerge"])
    func `A moved detail outlives its former master`(move: Move, sync: String) async throws {
        let world = try await world(after: move, allOrNone: sync == "upMerge")
        let before = try world.orgLines()
        let result = try await world.run(sync)
        #expect([result.updated, result.deleted, result.failed, result.skipped] == [1, 1, 0, 0])
        #expect(try world.orgLines().sorted() == expected(before, after: move))
        #expect(try await world.dirtyLines() == [])
        try await world.run("down")
        try await world.expectEqualSides()
    }

    /// The server refuses the move, or the record is locked during the whole run.
    @Test(
        arguments: moves,
        [
            ("up", false, "FIELD_CUSTOM_VALIDATION_EXCEPTION"), ("upMerge", true, "FIELD_CUSTOM_VALIDATION_EXCEPTION"),
            ("upLeave", false, "UNABLE_TO_LOCK_ROW"),
        ])
    func `A refused move holds the deletion`(move: Move, run: (sync: String, allOrNone: Bool, code: String))
        async throws
    {
        let world = try await world(after: move, allOrNone: run.allOrNone)
        let before = try world.orgLines()
        world.org.add(OrgFault(.itemError(.init(field: "Title__c", value: "moved", code: run.code))))
        for _ in 1...2 {
            let result = try await world.run(run.sync)
            #expect([result.updated, result.deleted, result.failed, result.skipped] == [0, 0, 2, 0])
            #expect(try world.orgLines() == before)
            let dirty = try await world.dirtyLines()
            #expect(dirty.count == 2)
            #expect(dirty.count { $0.contains(run.code) } == 1)
            #expect(dirty.count { $0.contains("MOVED_CHILDREN") } == 1)
        }
        world.org.removeFault()
        let result = try await world.run(run.sync)
        #expect([result.updated, result.deleted, result.failed] == [1, 1, 0])
        #expect(try world.orgLines().sorted() == expected(before, after: move))
        try await world.run("down")
        try await world.expectEqualSides()
    }

    /// Another user has edited the moved detail, or a record of the tree to which it was moved.
    @Test(arguments: moves, [false, true])
    func `A move in conflict holds the deletion`(move: Move, isDetail: Bool) async throws {
        let world = try await world(after: move, allOrNone: false)
        world.clock.advance(by: .seconds(10))
        let edited = isDetail ? move.detail : ("s2h1", SiteTree.halls)
        try world.org.edit(edited.1.object, id: world.id(edited.0), ["Note__c": "theirs"])
        let isInTree = isDetail || move.target.hasPrefix("s2")
        let before = try world.orgLines()
        let result = try await world.run("upLeave")
        #expect([result.updated, result.deleted] == (isInTree ? [0, 0] : [1, 1]))
        if isInTree {
            #expect(try world.orgLines() == before)
            #expect(try await world.dirtyLines().count == 2)
        }
        let merged = try await world.run("upMerge")
        #expect([merged.updated, merged.deleted, merged.failed] == (isInTree ? [1, 1, 0] : [0, 0, 0]))
        #expect(try world.orgLines().sorted() == expected(before, after: move))
        try await world.run("down")
        try await world.expectEqualSides()
    }

    /// Another user deletes the new master, or deletes the detail and restores it after the user's decision.
    ///
    /// The detail is to be created again, but the server has it at its former place.
    @Test(arguments: ["upLeave", "upMerge"], [false, true])
    func `A recreated detail outlives its former master`(sync: String, isRestored: Bool) async throws {
        let move = Self.moves[3]
        let world = try await world(after: move, allOrNone: false)
        func titles(_ lines: [String]) -> [Substring] { lines.map { $0.split(separator: " ")[2] }.sorted() }
        let after = titles(expected(try world.orgLines(), after: move))
        world.clock.advance(by: .seconds(10))
        let (name, kind) = isRestored ? move.detail : ("s2h1", SiteTree.halls)
        try world.org.delete(kind.object, id: world.id(name))
        #expect(try await world.run(sync).deleted == 0)
        for conflict in try await world.kit.syncs.conflicts() {
            try await world.kit.syncs.resolveConflict(conflict, as: .local)
        }
        if isRestored { try world.org.undelete(id: world.id(name)) }
        for _ in 1...2 { try await world.run(sync) }
        #expect(try titles(world.orgLines()) == after)
        #expect(try await world.dirtyLines() == [])
        try await world.run("down")
        try await world.expectEqualSides()
    }
}
