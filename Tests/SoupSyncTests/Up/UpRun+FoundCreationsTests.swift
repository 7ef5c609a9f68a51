// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Creations with a lost response that a look-up finds on the server.
///
/// The look-up uses the name. For an idempotent creation, the name stands for an external ID, so that the found record
/// may be an earlier record of another client.
@Suite struct UpRunFoundCreationsTests {
    /// An app that has created Ann and got no response to the push.
    ///
    /// - Parameters:
    ///   - arrived: whether the server has applied the creation.
    ///   - more: further settings of the target.
    private func world(
        _ mode: MergeMode, isIdempotent: Bool = true, arrived: Bool = true, more: JSONObject = [:]
    ) async throws -> World {
        let world = try await World()
        _ = try await world.store.create(["Name": "Ann", "Note": "new", "City": "Oslo"], in: "contacts")
        world.server.loseResponse(isApplied: arrived)
        var target: JSONObject = ["isIdempotent": .bool(isIdempotent), "canFind": true]
        for (name, value) in more.members { target[name] = value }
        _ = try await world.manager.create(world.up("up", .object(target), from: "contacts", mode: mode))
        #expect(try await world.manager.reSync(named: "up").result.unknown == 1)
        world.clock.advance(by: .seconds(10))
        return world
    }

    private func up(_ world: World) async throws -> SyncResult {
        world.clock.advance(by: .seconds(10))
        return try await world.manager.reSync(named: "up").result
    }

    /// The app and the server edit different fields after a creation that the server has applied.
    @Test(arguments: MergeMode.allCases, [true, false])
    func `Edits on both sides follow the merge mode`(mode: MergeMode, isIdempotent: Bool) async throws {
        let world = try await world(mode, isIdempotent: isIdempotent)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo"])
        try await world.store.edit(1, setting: ["City": "Rome"], in: "contacts")
        let result = try await up(world)
        let record = try #require(world.server.dump.first)
        switch (mode, isIdempotent) {
        case (.overwrite, _):
            #expect(record == #"s1 {"Name":"Ann","Note":"new","City":"Rome"} +20s"#)
        case (.merge, false):
            // The found record is certainly the created one, so both edits are merged.
            #expect(record == #"s1 {"Name":"Ann","Note":"theirs","City":"Rome"} +20s"#)
        case (.merge, true), (.leaveIfChanged, _):
            #expect(record == #"s1 {"Name":"Ann","Note":"theirs","City":"Oslo"} +10s"#)
            #expect(result.conflicted + result.skipped == 1)
            #expect(try await world.manager.conflicts().count == 1)
        }
    }

    /// The version that was found is the base of a later edit.
    @Test(arguments: MergeMode.allCases, [true, false])
    func `Edits after the look-up are a conflict`(mode: MergeMode, isIdempotent: Bool) async throws {
        let world = try await world(mode, isIdempotent: isIdempotent)
        #expect(try await up(world).created == 1)
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann","Note":"new","City":"Oslo"} +0s clean"#])
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo"])
        try await world.store.edit(1, setting: ["Note": "mine"], in: "contacts")
        _ = try await up(world)
        #expect(try await world.manager.conflicts().count == (mode.detectsConflicts ? 1 : 0))
        let note = mode.detectsConflicts ? "theirs" : "mine"
        #expect(world.server.dump.first?.contains(#""Note":"\#(note)""#) == true)
    }

    /// The server has not applied the creation; another client's record has the same external ID.
    @Test(arguments: MergeMode.allCases) func `A record of another client follows the merge mode`(
        mode: MergeMode
    )
        async throws
    {
        let world = try await world(mode, arrived: false)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Bern"])
        try await world.store.edit(1, setting: ["City": "Rome"], in: "contacts")
        _ = try await up(world)
        let expected =
            mode.detectsConflicts
            ? #"{"Name":"Ann","Note":"theirs","City":"Bern"}"# : #"{"Name":"Ann","Note":"new","City":"Rome"}"#
        #expect(world.server.dump.count == 1)
        #expect(world.server.dump.first?.contains(expected) == true, "\(world.server.dump)")
        #expect(try await world.manager.conflicts().map(\.fields) == (mode.detectsConflicts ? [["Note", "City"]] : []))
    }

    /// A deletion deletes the created record, but not a record that may belong to another client.
    @Test(arguments: MergeMode.allCases, [true, false])
    func `A deletion keeps a record of another client`(mode: MergeMode, arrived: Bool) async throws {
        let world = try await world(mode, arrived: arrived)
        if !arrived { world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Bern"]) }
        try await world.store.delete(1, in: "contacts")
        let result = try await up(world)
        guard !arrived else {
            expect(world.server.dump, [])
            return expect(try await world.entries(), [])
        }
        #expect(world.server.dump.count == 1)
        guard !mode.detectsConflicts else {
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

    /// The target either cannot fetch the found record or does not fetch the fields to compare.
    @Test(arguments: [["fetches": false], ["fetchesOnly": ["Other"]]] as [JSONObject])
    func `A found record is deleted even if it cannot be compared`(target: JSONObject) async throws {
        let world = try await world(.overwrite, more: target)
        try await world.store.delete(1, in: "contacts")
        _ = try await up(world)
        expect(world.server.dump, [])
        expect(try await world.entries(), [])
    }

    /// Without the fields to compare, the found record is no proof of the creation.
    @Test func `A creation that cannot be compared is sent again`() async throws {
        let world = try await world(.overwrite, more: ["fetchesOnly": ["Other"]])
        _ = try await up(world)
        #expect(world.server.log == ["push create Ann", "find Ann", "fetch s1", "push create Ann"])
    }

    /// The rest of the soup is pushed, and the app can resolve the creation.
    @Test(arguments: [true, false]) func `A creation that cannot be looked up fails alone`(isDeleted: Bool) async throws
    {
        let world = try await world(.overwrite, more: ["refusesToFind": true])
        if isDeleted {
            try await world.store.delete(1, in: "contacts")
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

    /// The server rejects the update of the found record, so that discarding restores the server's version.
    @Test func `The server's version is the base of the update`() async throws {
        let world = try await world(.overwrite, arrived: false)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo"])
        world.server.with {
            $0.onPush = { _, changes in changes.map { _ in .failed(PushFailure(code: "RULE", message: "no")) } }
        }
        #expect(try await up(world).failed == 1)
        _ = try await world.manager.discardChanges(of: [1], in: "contacts")
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann","Note":"theirs","City":"Oslo"} +10s clean"#])
    }

    /// The server may not have applied the creation, and the edit of the copy is based on another version.
    @Test func `An edited copy of an uncertain record is kept`() async throws {
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

    /// The fetched copy and the created entry become one entry.
    @Test func `The entry keeps the fields of the fetched copy`() async throws {
        let world = try await world(.leaveIfChanged, isIdempotent: false)
        world.server.put("s1", ["Name": "Ann", "Note": "theirs", "City": "Oslo", "Number": "A-1"])
        _ = try await world.manager.create(world.down())
        world.clock.advance(by: .seconds(10))
        try await world.run("down")
        _ = try await up(world)
        expect(
            try await world.entries(),
            [#"1 s1 {"Number":"A-1","Name":"Ann","Note":"theirs","City":"Oslo"} +10s clean"#])
    }
}
