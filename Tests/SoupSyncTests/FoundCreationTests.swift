// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Creations whose answer was lost and that the server turns out to have, or to have another record in the place of.
///
/// Found by their names; those that are idempotent as by an external id, which a record that was there before may have.
@Suite struct FoundCreationTests {
    /// An app that has made Ann, and whose push of it brought no answer.
    ///
    /// - Parameter arrived: whether the server has it.
    private func world(
        _ mode: MergeMode, isIdempotent: Bool = true, arrived: Bool = true, _ more: JSONObject = [:]
    ) async throws -> World {
        let world = try await World()
        _ = try await world.store.create(["Name": "Ann", "Note": "new", "City": "Oslo"], in: "contacts")
        world.server.loseResponse(isApplied: arrived)
        var target: JSONObject = ["isIdempotent": .bool(isIdempotent), "canFind": true]
        for (name, value) in more.members { target[name] = value }
        _ = try await world.manager.create(world.up("up", .object(target), from: "contacts", mode: mode))
        #expect(try await world.manager.reSync(named: "up").result().unknown == 1)
        world.clock.advance(by: 10_000)
        return world
    }

    private func up(_ world: World) async throws -> SyncResult {
        world.clock.advance(by: 10_000)
        return try await world.manager.reSync(named: "up").result()
    }

    /// Edits of both sides, of other fields, behind a creation that arrived.
    @Test(arguments: MergeMode.allCases, [true, false])
    func `What both sides edited is not replaced unasked`(mode: MergeMode, isIdempotent: Bool) async throws {
        let world = try await world(mode, isIdempotent: isIdempotent)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo"])
        try await world.store.edit(1, setting: ["City": "Rome"], in: "contacts")
        let result = try await up(world)
        let there = try #require(world.server.dump.first)
        switch (mode, isIdempotent) {
        case (.overwrite, _):
            #expect(there == #"s1 {"Name":"Ann","Note":"new","City":"Rome"} +20s"#)
        case (.merge, false):
            // It can only be the one that was sent: both changes go together.
            #expect(there == #"s1 {"Name":"Ann","Note":"theirs","City":"Rome"} +20s"#)
        case (.merge, true), (.leaveIfChanged, _):
            #expect(there == #"s1 {"Name":"Ann","Note":"theirs","City":"Oslo"} +10s"#)
            #expect(result.conflicted + result.skipped == 1)
            #expect(try await world.manager.conflicts().count == 1)
        }
    }

    /// The edit of one that was found as it was sent starts from that version.
    @Test(arguments: MergeMode.allCases, [true, false])
    func `Later edits of both sides are a conflict`(mode: MergeMode, isIdempotent: Bool) async throws {
        let world = try await world(mode, isIdempotent: isIdempotent)
        #expect(try await up(world).created == 1)
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann","Note":"new","City":"Oslo"} +0s clean"#])
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo"])
        try await world.store.edit(1, setting: ["Note": "mine"], in: "contacts")
        _ = try await up(world)
        #expect(try await world.manager.conflicts().count == (mode == .overwrite ? 0 : 1))
        let note = mode == .overwrite ? "mine" : "theirs"
        #expect(world.server.dump.first?.contains(#""Note":"\#(note)""#) == true)
    }

    /// Somebody else's record with the same external id, and a creation that never arrived.
    @Test(arguments: MergeMode.allCases) func `A record that was there before is not taken for ones own`(
        mode: MergeMode
    )
        async throws
    {
        let world = try await world(mode, arrived: false)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Bern"])
        try await world.store.edit(1, setting: ["City": "Rome"], in: "contacts")
        _ = try await up(world)
        let there =
            mode == .overwrite
            ? #"{"Name":"Ann","Note":"new","City":"Rome"}"# : #"{"Name":"Ann","Note":"theirs","City":"Bern"}"#
        #expect(world.server.dump.count == 1)
        #expect(world.server.dump.first?.contains(there) == true, "\(world.server.dump)")
        #expect(try await world.manager.conflicts().map(\.fields) == (mode == .overwrite ? [] : [["Note", "City"]]))
    }

    /// A deletion is not for a record that may be another one; of one's own it is.
    @Test(arguments: MergeMode.allCases, [true, false])
    func `A deletion takes nothing that may be anothers`(mode: MergeMode, arrived: Bool) async throws {
        let world = try await world(mode, arrived: arrived)
        if !arrived { world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Bern"]) }
        try await world.store.deleteLocally(1, in: "contacts")
        let result = try await up(world)
        guard !arrived else {
            expect(world.server.dump, [])
            return expect(try await world.entries(), [])
        }
        #expect(world.server.dump.count == 1)
        guard mode == .overwrite else {
            return #expect(try await world.manager.conflicts().count == 1)
        }
        #expect(result.unknown == 1)
        for _ in 1...2 { #expect(try await up(world).unknown == 1) }
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        _ = try await up(world)
        expect(world.server.dump, [])
        expect(try await world.entries(), [])
    }

    /// What was found is deleted, also when nobody can look at it, or compare it.
    @Test(arguments: [["fetches": false], ["fetchesOnly": ["Other"]]] as [JSONObject])
    func `A deletion of what cannot be looked at`(target: JSONObject) async throws {
        let world = try await world(.overwrite, target)
        try await world.store.deleteLocally(1, in: "contacts")
        _ = try await up(world)
        expect(world.server.dump, [])
        expect(try await world.entries(), [])
    }

    /// What nobody told is no proof that it is there.
    @Test func `What is not told is sent again`() async throws {
        let world = try await world(.overwrite, ["fetchesOnly": ["Other"]])
        _ = try await up(world)
        #expect(world.server.log == ["push create Ann", "find Ann", "fetch s1", "push create Ann"])
    }

    /// The rest of the soup goes up, and somebody can settle it.
    @Test(arguments: [true, false]) func `One that cannot be looked up holds up no other`(isDeleted: Bool) async throws
    {
        let world = try await world(.overwrite, ["refusesToFind": true])
        if isDeleted {
            try await world.store.deleteLocally(1, in: "contacts")
        } else {
            try await world.store.edit(1, setting: ["City": "Rome"], in: "contacts")
        }
        try await world.create("Bob")
        let result = try await up(world)
        #expect([result.created, result.unknown, result.failed] == [1, 1, 0])
        #expect(result.state.status == .done)
        let error = try #require(
            try await world.store.retrieve([1], from: "contacts").first?["__last_error__"]?.stringValue)
        #expect(error.contains("it cannot be looked up: no query of this field"), "\(error)")
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        _ = try await up(world)
        #expect(world.server.dump.count == (isDeleted ? 1 : 2))
        #expect(try await world.entries().allSatisfy { $0.hasSuffix("clean") })
    }

    /// The update that makes a record one's own starts from what was there, so nothing else counts as synced.
    @Test func `What an update starts from is what the server has`() async throws {
        let world = try await world(.overwrite, arrived: false)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo"])
        world.server.with {
            $0.onPush = { _, changes in changes.map { _ in .failed(PushFailure(code: "RULE", message: "no")) } }
        }
        #expect(try await up(world).failed == 1)
        _ = try await world.manager.discardChanges(of: [1], in: "contacts")
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann","Note":"theirs","City":"Oslo"} +10s clean"#])
    }

    /// Its creation may not have arrived, and the copy's edit is on top of another version.
    @Test func `A copy that was edited stays beside what may be anothers`() async throws {
        let world = try await world(.merge)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo"])
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        try await world.store.edit(2, setting: ["Note": "mine"], in: "contacts")
        #expect(try await up(world).unknown == 1)
        #expect(try await world.entries().count == 2)
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        expect(
            try await world.entries(),
            [#"1 s1 {"Name":"Ann","City":"Oslo","Note":"mine"} +20s clean"#])
        #expect(world.server.dump == [#"s1 {"Name":"Ann","Note":"mine","City":"Oslo"} +20s"#])
    }

    /// The copy is what the server has; the entry is what the app knows.
    @Test func `What a copy brought stays in the entry`() async throws {
        let world = try await world(.leaveIfChanged, isIdempotent: false)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo", "Number": "A-1"])
        _ = try await world.manager.create(world.down())
        world.clock.advance(by: 10_000)
        try await world.run("down")
        _ = try await up(world)
        expect(
            try await world.entries(),
            [#"1 s1 {"Name":"Ann","Note":"theirs","City":"Oslo","Number":"A-1"} +10s clean"#])
    }
}
