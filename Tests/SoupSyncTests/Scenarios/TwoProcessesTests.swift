// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Two managers of one file, as in two processes, which must not push the same change.
@Suite struct TwoProcessesTests {
    /// Returns the message of the error with which a call is refused; `nil` for a successful call.
    private func refusal(of body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            guard let error = error as? SoupError, [.syncAlreadyRunning, .managerStopped].contains(error.code) else {
                return "\(error)"
            }
            return error.message
        }
    }

    @Test(.timeLimit(.minutes(15))) func `Only one of two managers runs syncs`() async throws {
        let world = try await World()
        try await world.create("Ann")
        let gate = world.server.holdPushes()
        _ = try await world.manager.setUp([world.up(), world.down()])
        let run = try await world.manager.reSync(named: "up")
        await gate.arrived()
        let other = try await world.another()
        // The run of the other process is not a leftover, and its creations in flight are not unknown.
        expect(try await other.syncs().map(\.status), [.running, .new])
        expect(try await other.unknownCreations(), [:])
        let message = "another process is syncing this store"
        let up = world.up(nil)
        expect(await refusal { _ = try await other.reSync(named: "up") }, message)
        expect(await refusal { _ = try await other.run(up) }, message)
        expect(await refusal { _ = try await other.cleanResyncGhosts(named: "down") }, message)
        await other.stop()
        expect(await refusal { _ = try await other.restart(restartStoppedSyncs: true) }, message)
        expect(try await other.syncs().count, 2)
        gate.open()
        expect(await run.result.created, 1)
        #expect(world.server.log == ["push create Ann"])
    }

    @Test func `The next manager finds the leftovers and can run`() async throws {
        let world = try await World()
        world.fill(2)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        let other = try await world.another()
        world.backend.controls.crash(atWrite: 3)
        let crashed = try await world.manager.reSync(named: "down")
        expect(await crashed.result.state.status, .failed)
        // The crashed process has not stored the end of its run.
        expect(try await other.status(named: "down")?.status, .running)
        world.clock.advance(by: .seconds(5))
        expect(try await other.unknownCreations(), [:])
        expect(try await other.status(named: "down")?.status, .stopped)
        expect(try await other.reSync(named: "down").result.state.line, "DONE 100/2")
    }

    @Test func `Several runs that claim the syncs at once share the claim`() async throws {
        let world = try await World()
        world.fill(1)
        let names = (1...8).map { "s\($0)" }
        _ = try await world.manager.setUp(names.map { world.down($0) })
        let other = try await world.another()
        world.backend.controls.endProcess()
        let statuses = try await withThrowingTaskGroup(of: SyncStatus.self) { group in
            for name in names { group.addTask { try await other.reSync(named: name).result.state.status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: .done, count: 8))
    }

    @Test func `A manager can run as soon as the one before has ended`() async throws {
        let world = try await World()
        world.fill(1)
        _ = try await world.manager.create(world.down())
        world.backend.controls.endProcess()
        for _ in 1...30 {
            let result = try await world.another().reSync(named: "down").result
            #expect(result.state.status == .done)
        }
    }

    @Test func `A closed manager does not claim the syncs again`() async throws {
        let world = try await World()
        _ = try await world.manager.setUp([world.up(), world.down()])
        let closed = world.manager
        await closed.close()
        expect(try await closed.unknownCreations(), [:])
        func isStopped(_ body: () async throws -> Void) async {
            await #expect { try await body() } throws: { ($0 as? SoupError)?.code == .managerStopped }
        }
        await isStopped { _ = try await closed.reSync(named: "down") }
        await isStopped { _ = try await closed.run(world.down(nil)) }
        await isStopped { try await closed.redefine(world.down()) }
        await isStopped { _ = try await closed.cleanResyncGhosts(named: "down") }
        await isStopped { _ = try await closed.resumeAfterLogin() }
        let other = try await world.another()
        let gate = Gate()
        world.server.with { $0.onPage = { _ in try await gate.pass() } }
        let run = try await other.reSync(named: "down")
        await gate.arrived()
        expect(
            await refusal { try await closed.restart(restartStoppedSyncs: false) },
            "another process is syncing this store")
        await isStopped { _ = try await closed.reSync(named: "down") }
        world.server.with { $0.onPage = nil }
        gate.open()
        expect(await run.result.state.status, .done)
        await other.close()
        try await closed.restart(restartStoppedSyncs: false)
        expect(try await closed.reSync(named: "down").result.state.status, .done)
        expect(await refusal { _ = try await other.reSync(named: "down") }, "the sync manager was stopped")
    }

    @Test func `A manager closed during a claim holds no claim`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.down())
        let handle = try await world.secondHandle()
        let other = try await world.another(over: handle)
        await world.manager.close()
        let gate = Gate()
        handle.beforeEachClaim { await gate.passUninterrupted() }
        let attempt = Task { try await other.reSync(named: "down") }
        await gate.arrived()
        let closing = Task { await other.close() }
        while await other.isStopped == false { await Task.yield() }
        gate.open()
        await closing.value
        await #expect { _ = try await attempt.value } throws: { ($0 as? SoupError)?.code == .managerStopped }
        try await world.manager.restart(restartStoppedSyncs: false)
        expect(try await world.manager.reSync(named: "down").result.state.status, .done)
    }

    /// If the store cannot exclude other processes, the marks of the creations still do.
    @Test func `A creation that another run has marked is not sent`() async throws {
        let world = try await World()
        try await world.create("Ann")
        try await world.create("Bob")
        _ = try await world.manager.create(world.up())
        let handle = try await world.secondHandle()
        handle.controls.grantEveryClaim()
        let other = try await world.another(over: handle)
        let store = world.store
        // The third write of the run is the mark. Before it, the other process marks the first entry.
        handle.controls.beforeEachWrite { number in
            guard number == 3 else { return }
            try? await store.write { writer in
                let key = EntryKey(soup: "contacts", id: 1)
                try InFlightCreates.set([InFlightCreates.Mark(key: key, version: 1)], in: writer)
            }
        }
        let run = try await other.reSync(named: "up")
        expect(
            try await world.events(of: run),
            ["RUNNING 0/-1", "RUNNING 0/2", "create 2 s1 ok", "create 1 skipped IN_FLIGHT", "DONE 100/2"])
        #expect(world.server.log == ["push create Bob"])
        let marks = try await store.read { try InFlightCreates.marks(of: ["contacts"], in: $0).map(\.key.id) }
        #expect(marks == [1])
    }

    /// The other process saves its number while this one waits for the store.
    @Test func `A later number of API requests is not replaced`() async throws {
        let world = try await World()
        let handle = try await world.secondHandle()
        handle.controls.grantEveryClaim()
        let services = await (try await world.another(over: handle)).services
        let (clock, store) = (world.clock, world.store)
        let meter = services.connections.meter(of: nil)
        func report(_ used: Int) async throws {
            meter.record(APIUsage(used: used, maximum: 100), at: clock.milliseconds)
            try await services.sharingUsage(of: nil) {}
        }
        try await report(96)
        handle.controls.beforeEachWrite { _ in
            clock.advance(by: .milliseconds(10))
            let row = #"{"key": "standard", "used": 98, "maximum": 100, "time": \#(clock.milliseconds)}"#
            await #expect(throws: Never.self) {
                _ = try await store.write {
                    try $0.upsert(RecordBatch([try JSONText(row)]), into: "syncs_api_usage", matching: .path("key"))
                }
            }
        }
        clock.advance(by: .milliseconds(10))
        try await report(80)
        let row = try #require(try await store.query(.all("syncs_api_usage", pageSize: 2)).entries.first)
        #expect(row["used"] == 98)
    }

    @Test func `A creation that changed before it was marked is read again`() async throws {
        let world = try await World()
        for name in ["Ann", "Bob", "Cid"] { try await world.create(name) }
        _ = try await world.manager.create(world.up())
        let store = world.store
        world.backend.controls.beforeEachWrite { number in
            guard number == 3 else { return }
            _ = try? await store.edit(1, setting: ["Name": "Anna"], in: "contacts")
            _ = try? await store.delete(2, in: "contacts")
        }
        expect(
            try await world.run("up"),
            [
                "RUNNING 0/-1", "RUNNING 0/3", "create 3 s1 ok", "RUNNING 33/3", "delete 2 ok", "create 1 s2 ok",
                "DONE 100/3",
            ])
        #expect(world.server.log == ["push create Cid", "push create Anna"])
        expect(
            try await world.entries(), [#"1 s2 {"Name":"Anna"} +0s clean"#, #"3 s1 {"Name":"Cid"} +0s clean"#])
    }
}
