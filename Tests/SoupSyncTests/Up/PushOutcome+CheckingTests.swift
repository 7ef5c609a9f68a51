// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// IDs that no server can have assigned, in outcomes of targets and in entries.
@Suite struct PushOutcomeCheckingTests {
    @Test(arguments: [nil, "", " ", "local_1", "a\u{1}"] as [String?])
    func `The outcome of a creation without an ID is unknown`(id: String?) async throws {
        let world = try await World()
        try await world.create("Ann")
        _ = try await world.manager.create(world.up("up", ["canFind": true]))
        let server = world.server
        server.with {
            $0.onPush = { _, changes in
                _ = server.apply(changes)
                return changes.map { _ in .ok(serverId: id) }
            }
        }
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.created, result.unknown] == [0, 1])
        #expect(try await world.manager.unknownCreations() == ["contacts": [1]])
        // The next run looks the creation up and does not send it again.
        server.with { $0.onPush = nil }
        try await world.run("up")
        expect(server.log, ["push create Ann", "find Ann", "fetch s1"])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
    }

    /// Later edits and deletions of the entry would change another record.
    @Test(arguments: [false, true])
    func `A creation cannot get the ID of another entry`(isDirty: Bool) async throws {
        let world = try await World()
        try await world.seed("Ann")
        if isDirty { try await world.edit("ann", "Anna") }
        try await world.create("Bob")
        world.clock.advance(by: .seconds(1))
        _ = try await world.manager.create(world.up())
        let server = world.server
        server.with {
            $0.onPush = { _, changes in
                server.apply(changes).enumerated().map { changes[$0].kind == .create ? .ok(serverId: "ann") : $1 }
            }
        }
        let before = try await world.entries().filter { $0.hasPrefix("1 ") }
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.created, result.unknown] == [0, 1])
        #expect(try await world.manager.unknownCreations() == ["contacts": [2]])
        let entries = try await world.entries()
        #expect(entries.count == 2 && entries[1].hasPrefix("2 local_"), "\(entries)")
        if !isDirty { #expect(entries.filter { $0.hasPrefix("1 ") } == before) }
    }

    /// At most one of them can have the ID.
    @Test func `The outcomes of two creations with one ID are unknown`() async throws {
        let world = try await World()
        for name in ["Ann", "Bob", "Cid"] { try await world.create(name) }
        _ = try await world.manager.create(world.up())
        let server = world.server
        server.with {
            $0.onPush = { _, changes in
                server.apply(changes).enumerated().map { $0 < 2 ? .ok(serverId: "s1") : $1 }
            }
        }
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.created, result.unknown] == [1, 2])
        #expect(try await world.manager.unknownCreations() == ["contacts": [1, 2]])
        #expect(try await world.entries().map { $0.split(separator: " ")[0] } == ["1", "2", "3"])
    }

    @Test func `An update keeps the ID of its entry`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "Anna")
        _ = try await world.manager.create(world.up())
        let server = world.server
        server.with {
            $0.onPush = { _, changes in
                _ = server.apply(changes)
                return changes.map { _ in .ok(serverId: "") }
            }
        }
        try await world.run("up")
        expect(try await world.entries(), [#"1 ann {"Name":"Anna"} +0s clean sync 1"#])
    }

    @Test func `A found creation needs a valid ID`() async throws {
        let world = try await World()
        try await world.create("Ann")
        _ = try await world.manager.create(world.up("up", ["canFind": true]))
        world.server.loseResponse()
        try await world.run("up")
        world.server.with { state in
            state.onPush = nil
            state.records["s1"]?.id = "local_1"
        }
        let result = try await world.manager.reSync(named: "up").result
        #expect(result.unknown == 1)
        expect(world.server.log, ["push create Ann", "find Ann"])
    }

    /// A run checks for new impossible IDs after each page, and looks up the entries of the new ones only.
    @Test func `An impossible ID is reported once`() async throws {
        let world = try await World()
        let entries = [try JSONText(#"{"Id":"x1"}"#), try JSONText(#"{"Id":"x2"}"#), try JSONText(#"{"Id":"x2"}"#)]
        try await world.store.upsert(entries, into: "contacts")
        let target = try FakeDownTarget(configuration: .init(impossibleIdPrefix: "x"))
        let impossible = ImpossibleIds(target, target.recordLayout(for: "contacts"))
        var found: [[Int64]] = []
        for ids in [["x1"], ["x2", "x1"], ["x2", "r1"]] {
            var context = SyncContext(transport: world.server, soup: "contacts")
            context.localValues = { _, _ in ids }
            impossible.filter(&context)
            #expect(try await context.localValues("Id", "contacts") == ids.filter { $0 == "r1" })
            #expect(impossible.hasUnreported == (found.count < 2))
            found.append(try await world.store.read { try impossible.outcomes(in: $0).map(\.entryId) })
            #expect(!impossible.hasUnreported)
        }
        #expect(found == [[1], [2, 3], []])
    }

    /// The other changes of the batch are sent.
    @Test func `An entry with an impossible ID fails alone`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        try await world.edit("ann", "Anna")
        try await world.edit("bob", "Bobby")
        try await world.store.edit(1, setting: ["Id": "a\u{1}"], in: "contacts")
        _ = try await world.manager.create(world.up())
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.failed] == [1, 1])
        expect(world.server.log, ["push update bob Bobby"])
        let failures = try await world.manager.failures()
        #expect(failures.map(\.failure.code) == ["NO_SERVER_ID"])
        #expect(failures.first?.failure.message.contains("which the server cannot have issued") == true)
    }
}
