// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The lease for syncing a store, which a manager holds only during runs.
@Suite(.timeLimit(.minutes(2))) struct SyncManagerLeaseTests {
    /// Returns whether another process can sync the store now.
    private func isFree(_ world: World) async throws -> Bool {
        let lease = try await world.backend.base.claimSyncs()
        defer { lease?.release() }
        return lease != nil
    }

    @Test func `An idle manager holds no lease`() async throws {
        let world = try await World()
        #expect(try await isFree(world))
        world.fill(2)
        _ = try await world.manager.setUp([world.up(), world.down()])
        #expect(try await isFree(world))
        for name in ["down", "up"] {
            _ = try await world.manager.reSync(named: name).result
            #expect(try await isFree(world), "\(name)")
        }
        try await world.manager.cleanResyncGhosts(named: "down")
        try await world.manager.redefine(world.down())
        _ = try await world.manager.unknownCreations()
        _ = try await world.manager.resumeAfterLogin()
        #expect(try await isFree(world))
        await #expect(throws: SoupError.self) { _ = try await world.manager.reSync(named: "other") }
        await #expect(throws: SoupError.self) { _ = try await world.manager.reSync(id: 77) }
        await #expect(throws: SoupError.self) { try await world.manager.cleanResyncGhosts(named: "up") }
        #expect(try await isFree(world))
        #expect(await world.manager.holds == 0)
    }

    @Test func `A run holds the lease until its end`() async throws {
        let world = try await World()
        world.fill(1)
        _ = try await world.manager.setUp([world.down("a"), world.down("b")])
        let gate = Gate()
        world.server.with { state in state.onPage = { if $0 == 1 { try await gate.pass() } } }
        let first = try await world.manager.reSync(named: "a")
        await gate.arrived()
        #expect(try await !isFree(world))
        // The end of another run does not release it.
        _ = try await world.manager.reSync(named: "b").result
        #expect(try await !isFree(world))
        gate.open()
        _ = await first.result
        #expect(try await isFree(world))
    }

    @Test(arguments: ["stop", "close", "cancel", "delete"]) func `A run that is stopped releases the lease`(
        _ way: String
    )
        async throws
    {
        let world = try await World()
        world.fill(3)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        let gate = Gate()
        world.server.with { $0.onPage = { if $0 == 2 { try await gate.pass() } } }
        let run = try await world.manager.reSync(named: "down")
        await gate.arrived()
        #expect(try await !isFree(world))
        switch way {
        case "stop": await world.manager.stop()
        case "close":
            gate.open()
            await world.manager.close()
        case "cancel": run.cancel()
        default: try await world.manager.deleteSync(named: "down")
        }
        gate.open()
        _ = await run.result
        #expect(try await isFree(world))
        #expect(await world.manager.holds == 0)
    }

    /// Each manager uses the states, definitions, cursors and marks that the other one has stored.
    @Test func `Alternating managers continue each other's work`() async throws {
        let world = try await World()
        world.fill(4)
        let first = world.manager
        _ = try await first.setUp([world.up(), world.down("down", ["pageSize": 1])])
        let second = try await world.another()
        // A run of the first manager fails after two pages; the second manager continues at the cursor.
        world.server.with { $0.onPage = { if $0 == 3 { throw SoupError(.network, "connection lost") } } }
        expect(try await first.reSync(named: "down").result.state.status, .failed)
        world.server.with { $0.onPage = nil }
        world.server.clearLog()
        let resumed = try await second.reSync(named: "down").result
        expect(resumed.saved, 2)
        // The first manager uses the high-water mark of the second.
        world.clock.advance(by: .seconds(10))
        let known = try await first.reSync(named: "down").result
        #expect(known.saved == 0)
        // The first manager runs the definition that the second has changed.
        try await second.redefine(world.down("down", [:], into: "accounts"))
        expect(try await first.reSync(named: "down").result.savedBySoup, ["accounts": 4])
        // The first manager that runs the sync up pushes the creation, and no other.
        try await world.create("Ann")
        world.server.clearLog()
        for manager in [second, first, second] { _ = try await manager.reSync(named: "up").result }
        expect(world.server.log, ["push create Ann"])
    }

    /// A manager that stays open finds the creation that a process had in flight when it ended.
    @Test func `A new claim finds creations that were left in flight`() async throws {
        let world = try await World()
        _ = try await world.manager.setUp([world.up(), world.down()])
        _ = try await world.manager.reSync(named: "down").result
        try await world.create("Ann")
        // The other process ends between its request and the response: a mark, and a row that is RUNNING.
        try await world.store.write { writer in
            let key = EntryKey(soup: "contacts", id: 1)
            let version = try writer.retrieve([1], from: "contacts").first?.version ?? 0
            try InFlightCreates.set([InFlightCreates.Mark(key: key, version: version)], in: writer)
            guard var row = try SyncsSoup.row(1, in: writer) else { return }
            row.begin(at: 0)
            try SyncsSoup.save(row, in: writer)
        }
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        expect(try await world.manager.status(named: "up")?.status, .stopped)
    }
}
