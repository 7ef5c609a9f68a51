// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Found creations whose records cannot be fetched, or that the app changes during the look-up.
@Suite struct UpRunFoundCreationFailuresTests {
    /// An app that has created Ann, whose push was lost, and a record of another client on the server.
    private func world(_ mode: MergeMode, isIdempotent: Bool = true) async throws -> World {
        let world = try await World()
        _ = try await world.store.create(["Name": "Ann", "Note": "new"], in: "contacts")
        world.server.loseResponse(isApplied: false)
        let target: JSONObject = ["isIdempotent": .bool(isIdempotent), "canFind": true]
        _ = try await world.manager.create(world.up("up", .object(target), from: "contacts", mode: mode))
        #expect(try await world.manager.reSync(named: "up").result.unknown == 1)
        world.clock.advance(by: .seconds(10))
        world.server.put("s1", ["Name": "Ann", "Note": "theirs"])
        world.clock.advance(by: .seconds(10))
        return world
    }

    private func up(_ world: World) async throws -> SyncResult {
        world.clock.advance(by: .seconds(10))
        return try await world.manager.reSync(named: "up").result
    }

    private static let theirs = #"s1 {"Name":"Ann","Note":"theirs"} +10s"#

    enum Edit: CaseIterable { case none, edit, deletion }

    /// A failed fetch changes nothing.
    @Test(arguments: MergeMode.allCases, Edit.allCases)
    func `A found record that cannot be fetched waits`(mode: MergeMode, edit: Edit) async throws {
        for kind in [RecordChange.Kind.create, .update] {
            let world = try await world(mode)
            switch edit {
            case .none: break
            case .edit: try await world.store.edit(1, setting: ["City": "Rome"], in: "contacts")
            case .deletion: try await world.store.delete(1, in: "contacts")
            }
            for _ in 1...2 {
                world.server.failFetch(of: kind)
                #expect(try await up(world).unknown == 1)
                expect(world.server.dump, [Self.theirs])
            }
            let error = try await world.store.retrieve([1], from: "contacts").first?["__last_error__"]?.stringValue
            #expect(error?.contains("it cannot be looked up: out of order") == true, "\(error ?? "")")
            world.server.with { $0.onFetch = nil }
            let result = try await up(world)
            guard !mode.detectsConflicts else {
                expect(world.server.dump, [Self.theirs])
                #expect(try await world.manager.conflicts().count == 1)
                continue
            }
            guard edit != .deletion else {
                expect(world.server.dump, [Self.theirs])
                #expect(result.unknown == 1)
                continue
            }
            #expect(world.server.dump.first?.contains(#""Note":"new""#) == true)
        }
    }

    /// The result of the look-up applies to the entry before the deletion.
    @Test func `A deletion during the look-up keeps the server's record`() async throws {
        let world = try await world(.overwrite)
        let store = world.store
        world.server.with { $0.onFetch = { _ in _ = try await store.delete(1, in: "contacts") } }
        #expect(try await up(world).unknown == 1)
        expect(world.server.dump, [Self.theirs])
    }

    @Test func `A resolution during the look-up is kept`() async throws {
        let world = try await world(.leaveIfChanged, isIdempotent: false)
        let manager = world.manager
        world.server.with {
            $0.onFetch = { _ in
                try await manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s7"))
            }
        }
        _ = try await up(world)
        expect(try await world.entries(), [#"1 s7 {"Name":"Ann","Note":"new"} +-1705320000s clean"#])
        expect(world.server.dump, [Self.theirs])
        expect(try await world.store.count(.all("syncs_in_flight", pageSize: 1)), 0)
    }

    /// The target cannot fetch the record, so that the engine cannot compare it with the creation.
    @Test(arguments: MergeMode.thatDetectConflicts) func `An edit of a record that cannot be fetched waits`(
        mode: MergeMode
    )
        async throws
    {
        let world = try await World()
        _ = try await world.store.create(["Name": "Ann", "Note": "new"], in: "contacts")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["canFind": true, "fetches": false], mode: mode))
        #expect(try await world.manager.reSync(named: "up").result.unknown == 1)
        world.clock.advance(by: .seconds(10))
        world.server.put("s1", ["Name": "Ann", "Note": "theirs"])
        try await world.store.edit(1, setting: ["City": "Rome"], in: "contacts")
        _ = try await up(world)
        expect(world.server.dump, [Self.theirs])
        #expect(try await world.manager.conflicts().count == 1)
    }

    /// Each run reports it, and only the first one writes it into the entry.
    @Test func `Two edited copies are recorded once`() async throws {
        let world = try await world(.merge)
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        try await world.store.edit(2, setting: ["Note": "mine"], in: "contacts")
        world.server.with {
            $0.onPush = { _, changes in changes.map { _ in .failed(PushFailure(code: "RULE", message: "no")) } }
        }
        var versions: [Int64?] = []
        for _ in 1...2 {
            #expect(try await up(world).unknown == 1)
            let entry = try await world.store.retrieve([1], from: "contacts").first
            #expect(entry?["__last_error__"]?.stringValue?.contains("TWO_COPIES") == true)
            versions.append(entry?.version)
        }
        #expect(versions[0] == versions[1])
        try await world.store.remove([2], from: "contacts")
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
    }

    /// Although the response is not lost, sending the creation again would create a third copy.
    @Test func `Two copies of a created record are resolved at once`() async throws {
        let world = try await World()
        try await world.create("Ann")
        let (store, server) = (world.store, world.server)
        server.with {
            $0.onPush = { _, changes in
                let outcomes = server.apply(changes)
                _ = try await store.upsert(["Id": "s1", "Name": "Ann"], into: "contacts", externalIdPath: "Id")
                try await store.edit(2, setting: ["Note": "copy"], in: "contacts")
                try await store.edit(1, setting: ["Note": "entry"], in: "contacts")
                return outcomes
            }
        }
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true, "canFind": true]))
        #expect(try await world.manager.reSync(named: "up").result.unknown == 1)
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        try await store.remove([2], from: "contacts")
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        server.with { $0.onPush = nil }
        try await world.run("up")
        expect(world.server.dump, [#"s1 {"Name":"Ann","Note":"entry"} +0s"#])
    }

    /// Servers trim texts and store empty ones as null.
    @Test(arguments: MergeMode.allCases) func `Values that the server normalizes are equal`(mode: MergeMode)
        async throws
    {
        let world = try await World()
        _ = try await world.store.create(["Name": "Ann", "Note": " new\n", "City": ""], in: "contacts")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true, "canFind": true], mode: mode))
        #expect(try await world.manager.reSync(named: "up").result.unknown == 1)
        world.server.put("s1", ["Name": "Ann", "Note": "new", "City": nil])
        let result = try await up(world)
        #expect([result.created, result.updated, result.unknown] == [1, 0, 0])
        #expect(try await world.manager.conflicts().isEmpty)
        #expect(world.server.log.count { $0.hasPrefix("push") } == 1)
    }
}
