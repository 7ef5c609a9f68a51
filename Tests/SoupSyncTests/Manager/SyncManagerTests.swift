// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The order, the ends and the leftovers of the runs of a sync manager.
@Suite struct SyncManagerTests {
    @Test func `A sync does not run twice at once`() async throws {
        let world = try await World()
        world.fill(1)
        let gate = Gate()
        world.server.with { $0.onPage = { if $0 == 1 { try await gate.pass() } } }
        _ = try await world.manager.create(world.down())
        let run = try await world.manager.reSync(named: "down")
        await gate.arrived()
        await #expect { _ = try await world.manager.reSync(named: "down") } throws: {
            ($0 as? SoupError)?.code == .syncAlreadyRunning
        }
        await #expect { _ = try await world.manager.cleanResyncGhosts(named: "down") } throws: {
            ($0 as? SoupError)?.code == .syncAlreadyRunning
        }
        gate.open()
        // After the last event, the sync can run again at once.
        for await event in run.events() where event.line.hasPrefix("DONE") {
            expect(try await world.run("down").last, "DONE 100/0")
        }
    }

    @Test(.timeLimit(.minutes(15))) func `Different syncs run concurrently up to the limit`() async throws {
        let world = try await World(settings: SyncSettings(maximumConcurrentRuns: 2))
        world.fill(1)
        let gate = Gate()
        world.server.with { $0.onPage = { _ in try await gate.pass() } }
        var runs: [SyncRun] = []
        for name in ["a", "b", "c"] {
            _ = try await world.manager.create(world.down(name))
            runs.append(try await world.manager.reSync(named: name))
        }
        await gate.arrived()
        await gate.arrived()
        #expect(world.server.log.count == 2)
        expect(try await world.manager.syncs().map(\.status), [.running, .running, .running])
        for _ in 1...3 { gate.open() }
        for run in runs { expect(await run.result.state.status, .done) }
        #expect(world.server.log.count == 3)
    }

    @Test(.timeLimit(.minutes(15))) func `Two sync ups of one soup do not push the same change`() async throws {
        let world = try await World()
        try await world.create("Ann")
        let gate = world.server.holdPushes()
        _ = try await world.manager.setUp([world.up("one"), world.up("two")])
        let one = try await world.manager.reSync(named: "one")
        let two = try await world.manager.reSync(named: "two")
        await gate.arrived()
        gate.open()
        expect(await one.result.created, 1)
        expect(await two.result.created, 0)
        #expect(world.server.log == ["push create Ann"])
    }

    @Test(.timeLimit(.minutes(15))) func `A sync down waits for a sync up of the same soup only`() async throws {
        let world = try await World()
        try await world.create("Ann")
        let gate = world.server.holdPushes()
        _ = try await world.manager.setUp([
            world.up(), world.down("same"), world.down("other", [:], into: "accounts"),
        ])
        let up = try await world.manager.reSync(named: "up")
        await gate.arrived()
        let same = try await world.manager.reSync(named: "same")
        let other = try await world.manager.reSync(named: "other")
        expect(await other.result.state.status, .done)
        #expect(world.server.log == ["push create Ann", "query"])
        gate.open()
        expect(await up.result.created, 1)
        expect(await same.result.state.status, .done)
        // If it were fetched before the end of the push, the record would become a second entry.
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean sync 2"#])
    }

    @Test func `A waiting run can be stopped before it begins`() async throws {
        let world = try await World(settings: SyncSettings(maximumConcurrentRuns: 1))
        world.fill(1)
        let gate = Gate()
        world.server.with { $0.onPage = { _ in try await gate.pass() } }
        _ = try await world.manager.setUp([world.down("a"), world.down("b"), world.down("c")])
        let a = try await world.manager.reSync(named: "a")
        let b = try await world.manager.reSync(named: "b")
        let c = try await world.manager.reSync(named: "c")
        await gate.arrived()
        b.cancel()
        expect(try await world.events(of: b), ["RUNNING 0/-1", "STOPPED 0/-1"])
        gate.open()
        gate.open()
        expect(await a.result.state.status, .done)
        expect(await c.result.state.status, .done)
    }

    @Test func `Stopping ends all runs and a restart continues them`() async throws {
        let world = try await World()
        world.fill(2)
        let gate = Gate()
        world.server.with { $0.onPage = { _ in try await gate.pass() } }
        _ = try await world.manager.setUp([world.down("a"), world.down("b"), world.down("c")])
        let a = try await world.manager.reSync(named: "a")
        let b = try await world.manager.reSync(named: "b")
        await gate.arrived()
        await gate.arrived()
        await world.manager.stop()
        for run in [a, b] { expect(await run.result.state.line, "STOPPED 0/-1") }
        #expect(await world.manager.isStopped)
        #expect(await !world.manager.isStopping)
        await #expect { _ = try await world.manager.run(world.down("new")) } throws: {
            ($0 as? SoupError)?.code == .managerStopped
        }
        await #expect { _ = try await world.manager.cleanResyncGhosts(named: "a") } throws: {
            ($0 as? SoupError)?.code == .managerStopped
        }
        // The rejected calls left no rows.
        expect(try await world.manager.syncs().map(\.status), [.stopped, .stopped, .new])
        world.server.with { $0.onPage = nil }
        let runs = try await world.manager.restart(restartStoppedSyncs: true)
        #expect(runs.map(\.id) == [1, 2])
        for run in runs { expect(await run.result.state.status, .done) }
        expect(try await world.manager.status(named: "c")?.status, .new)
        await #expect { try await world.manager.restart(restartStoppedSyncs: false) } throws: {
            ($0 as? SoupError)?.code == .managerNotStopped
        }
    }

    @Test func `A restart waits for runs that are stopping`() async throws {
        let world = try await World()
        try await world.create("Ann")
        try await world.create("Bob")
        let gate = Gate()
        world.server.with {
            $0.onPush = { number, _ in
                if number == 1 { try await gate.pass() }
                return nil
            }
        }
        _ = try await world.manager.create(world.up("up", ["maxBatchSize": 1]))
        let run = try await world.manager.reSync(named: "up")
        await gate.arrived()
        await world.manager.stop()
        let manager = world.manager
        let restarting = Task { try await manager.restart(restartStoppedSyncs: true) }
        gate.open()
        expect(await run.result.state.status, .stopped)
        let runs = try await restarting.value
        #expect(runs.map(\.id) == [1])
        expect(await runs[0].result.created, 1)
        #expect(world.server.dump.count == 2)
    }

    @Test func `Deleting a sync ends its run and keeps the records`() async throws {
        let world = try await World()
        world.fill(2)
        let gate = Gate()
        world.server.with { $0.onPage = { if $0 == 2 { try await gate.pass() } } }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        let run = try await world.manager.reSync(named: "down")
        for await event in run.events() where event.line == "RUNNING 50/2" { break }
        try await world.manager.deleteSync(named: "down")
        expect(await run.result.state.status, .stopped)
        expect(try await world.syncs(), [])
        expect(try await world.entries().count, 1)
        try await world.manager.deleteSync(named: "down")
        try await world.manager.deleteSync(id: 1)
    }

    @Test func `An error is cleared when the next run begins`() async throws {
        let world = try await World()
        world.server.with { $0.onPage = { if $0 == 1 { throw SoupError(.server, "broken", hint: "Wait.") } } }
        _ = try await world.manager.create(world.down())
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.state.error == "broken. Wait.")
        #expect(result.error?.code == .server)
        #expect(result.error?.description == "sync \"down\": broken. Wait.")
        try await world.run("down")
        let state = try #require(try await world.manager.status(named: "down"))
        #expect(state.error == "")
        #expect(state.status == .done)
    }

    @Test func `Cancelling a waiter does not cancel the run`() async throws {
        let world = try await World()
        world.fill(1)
        let gate = Gate()
        world.server.with { $0.onPage = { _ in try await gate.pass() } }
        _ = try await world.manager.create(world.down())
        let run = try await world.manager.reSync(named: "down")
        await gate.arrived()
        let waiter = Task { try await run.value }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        gate.open()
        expect(await run.result.state.status, .done)
        expect(await run.result.state.status, .done)
    }

    @Test func `A sync can run again after its store failed`() async throws {
        let world = try await World()
        world.fill(1)
        _ = try await world.manager.create(world.down())
        world.backend.controls.crash(atWrite: 2)
        let run = try await world.manager.reSync(named: "down")
        expect(await run.result.state.status, .failed)
        // The row was not saved, but the sync can run again.
        world.backend.controls.recover()
        expect(try await world.manager.status(named: "down")?.status, .running)
        expect(try await world.run("down").last, "DONE 100/1")
    }

    /// The app may change a definition after the manager has read it and before the run begins.
    @Test(arguments: ["run", "ghosts"]) func `A sync redefined before its run uses the new definition`(_ call: String)
        async throws
    {
        let world = try await World()
        world.fill(2)
        _ = try await world.manager.create(world.down("one", ["prefix": "x"]))
        let manager = world.manager
        let definition = world.down("one", ["pageSize": 1])
        let backend = world.backend
        // The first read belongs to the claim of the lease, during which nothing else can claim it.
        backend.afterNextRead { backend.afterNextRead { _ = try? await manager.redefine(definition) } }
        if call == "run" {
            expect(try await manager.reSync(id: 1).result.state.line, "DONE 100/2")
            expect(try await world.entries().count, 2)
        } else {
            expect(try await manager.cleanResyncGhosts(id: 1), 0)
        }
        expect(try await manager.status(id: 1)?.definition, definition)
    }

    @Test func `Stopping waits for a run without a task`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.down("one"))
        let manager = world.manager
        let work = try await manager.reserve(1, RunQueue.Claim(soups: [], isExclusive: false))
        await manager.stop()
        let ended = Task { await manager.ended() }
        let restarted = Task { try await manager.restart(restartStoppedSyncs: true).count }
        while await manager.isAccepting == false { await Task.yield() }
        #expect(await manager.isStopped == false)
        await manager.release(1, work)
        await ended.value
        expect(try await restarted.value, 0)
    }
}
