// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Runs of all syncs with a time limit.
@Suite(.timeLimit(.minutes(2))) struct SyncManagerTimeLimitTests {
    @Test func `All syncs finish within a sufficient time limit`() async throws {
        let world = try await World.withSyncUp()
        try await world.edit("ann", "Anna")
        let work = try await world.manager.run(["up", "down"], within: .seconds(30))
        #expect(work.results.map(\.state.status) == [.done, .done] && work.unfinished == [])
    }

    @Test func `All syncs finish within the greatest time limit`() async throws {
        let world = try await World.withSyncUp()
        let work = try await world.manager.run(["up", "down"], within: .seconds(Int64.max))
        #expect(work.results.map(\.state.status) == [.done, .done] && work.unfinished == [])
    }

    @Test func `The time limit stops a run and leaves the rest`() async throws {
        let world = try await World()
        world.fill(6)
        _ = try await world.manager.create(world.down("down", ["pageSize": 2]))
        _ = try await world.manager.create(world.up())
        let gate = Gate()
        world.server.with { $0.onPage = { if $0 == 2 { try await gate.pass() } } }
        let manager = world.manager
        let task = Task { try await manager.run(["down", "up"], within: .seconds(5)) }
        await gate.arrived()
        await world.clock.waitForSleepers()
        while try await world.entries().count < 2 { await Task.yield() }
        world.clock.advance(by: .seconds(5))
        let work = try await task.value
        #expect(work.results.map(\.state.status) == [.stopped] && work.unfinished == ["down", "up"])
        #expect(try await world.entries().count == 2)
        world.server.with { $0.onPage = nil }
        let rest = try await manager.run(work.unfinished, within: .seconds(5))
        #expect(rest.unfinished == [])
        #expect(try await world.entries().count == 6)
    }

    @Test func `A time limit of zero starts no run`() async throws {
        let world = try await World.withSyncUp()
        let work = try await world.manager.run(["up", "down"], within: .zero)
        #expect(work.results.isEmpty && work.unfinished == ["up", "down"])
        expect(world.server.log, [])
    }
}
