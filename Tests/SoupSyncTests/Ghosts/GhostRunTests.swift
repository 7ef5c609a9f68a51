// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The entries that cleaning ghosts deletes or keeps.
@Suite struct GhostRunTests {
    @Test func `Cleaning deletes entries that the server has deleted`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob", "Cid")
        world.server.remove("ann")
        world.server.remove("cid")
        let before = try await world.syncs()
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 2)
        expect(try await world.entries(), [#"2 bob {"Name":"Bob"} +0s clean sync 1"#])
        expect(try await world.syncs(), before)
        #expect(world.server.log == ["which of ann bob cid"])
    }

    @Test func `Cleaning an empty soup sends no request`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.down())
        expect(try await world.manager.cleanResyncGhosts(id: 1), 0)
        #expect(world.server.log.isEmpty)
    }

    @Test func `Cleaning keeps entries with local changes`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        world.server.remove("ann")
        world.server.remove("bob")
        try await world.edit("ann", "mine")
        expect(try await world.manager.cleanResyncGhosts(id: 1), 1)
        expect(try await world.entries(), [#"1 ann {"Name":"mine"} +0s local+updated sync 1"#])
        #expect(world.server.log == ["which of bob"])
    }

    @Test func `Cleaning keeps an entry edited during the request`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        world.server.remove("ann")
        world.server.remove("bob")
        world.server.with { $0.onLookUp = { try await world.edit("ann", "mine") } }
        expect(try await world.manager.cleanResyncGhosts(id: 1), 1)
        world.server.with { $0.onLookUp = nil }
        expect(try await world.entries(), [#"1 ann {"Name":"mine"} +0s local+updated sync 1"#])
    }

    /// Two syncs fill one soup, and `sync 2` is the last writer of the record that both fetch.
    @Test func `Cleaning keeps the entries of another sync`() async throws {
        let world = try await World()
        for id in ["a0", "ab1", "b2"] { world.server.put(id, ["Name": .string(id)]) }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.setUp([world.down("a", ["prefix": "a"]), world.down("all", ["prefix": "ab"])])
        try await world.run("a")
        try await world.run("all")
        try await world.create("local")
        world.server.remove("a0")
        world.server.remove("ab1")
        world.server.clearLog()
        expect(try await world.manager.cleanResyncGhosts(named: "a"), 1)
        #expect(world.server.log == ["which of a0 ab1"])
        expect(try await world.entries().map { $0.prefix(6) }, ["2 ab1 ", "3 loca"])
        expect(try await world.manager.cleanResyncGhosts(named: "all"), 1)
        expect(try await world.entries().map { $0.prefix(6) }, ["3 loca"])
    }

    /// The sync up of the tree could not send the child without it.
    @Test func `The parent of another sync's new child stays`() async throws {
        let world = try await World()
        world.server.put("acme", ["Name": "Acme"])
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.setUp([world.down("down", into: "accounts"), world.treeUp()])
        try await world.run("down")
        let child = try await world.create("Ann", under: "acme")
        world.server.remove("acme")
        world.server.clearLog()
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 0)
        #expect(world.server.log == [])
        expect(try await world.entries(of: "accounts").count, 1)
        _ = try await world.manager.discardChanges(of: [child], in: "contacts")
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 1)
        expect(try await world.entries(of: "accounts"), [])
    }

    @Test func `Cleaning a sync up fails`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.up())
        await #expect { _ = try await world.manager.cleanResyncGhosts(named: "up") } throws: {
            ($0 as? SoupError)?.code == .notASyncDown
        }
    }

    @Test func `Cleaning without reported survivors fails with a hint`() async throws {
        let world = try await World()
        world.server.put("ann", ["Name": "Ann"])
        _ = try await world.manager.create(world.down("down", ["reportsSurvivors": false]))
        try await world.run("down")
        let error = await #expect(throws: SoupError.self) {
            _ = try await world.manager.cleanResyncGhosts(named: "down")
        }
        #expect(error?.code == .notSupported)
        #expect(
            error?.hint
                == "If the target has an option for it, as \"survivors\" of \"http\", add it. Otherwise choose another target, or do "
                + "not clean the ghosts of the sync.")
        expect(try await world.entries().count, 1)
    }

    @Test func `A failed cleaning deletes nothing and ends`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        world.server.remove("ann")
        world.server.with { $0.onLookUp = { throw SoupError(.server, "HTTP 500") } }
        await #expect { _ = try await world.manager.cleanResyncGhosts(id: 1) } throws: {
            ($0 as? SoupError)?.code == .server
        }
        expect(try await world.entries().count, 1)
        expect(try await world.run("down").last, "DONE 100/0")
    }

    @Test func `Stopping the manager ends cleaning`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        let gate = Gate()
        world.server.with { $0.onLookUp = { try await gate.pass() } }
        let manager = world.manager
        let cleaning = Task { try await manager.cleanResyncGhosts(id: 1) }
        await gate.arrived()
        await manager.stop()
        await #expect { _ = try await cleaning.value } throws: { ($0 as? SoupError)?.code == .managerStopped }
        #expect(await manager.isStopped)
    }

    @Test func `Cancelling the caller ends cleaning`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        let gate = Gate()
        world.server.with { $0.onLookUp = { try await gate.pass() } }
        let manager = world.manager
        let cleaning = Task { try await manager.cleanResyncGhosts(id: 1) }
        await gate.arrived()
        cleaning.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cleaning.value }
        world.server.with { $0.onLookUp = nil }
        expect(try await manager.cleanResyncGhosts(id: 1), 0)
    }
}
