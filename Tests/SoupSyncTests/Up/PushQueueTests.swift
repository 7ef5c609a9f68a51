// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

/// Sync ups with locked records, requests that are too large and expired sessions.
@Suite struct PushQueueTests {
    private static let locked = PushFailure(
        code: "UNABLE_TO_LOCK_ROW", message: "busy", retry: .afterPause)
    private static let tooLarge = PushFailure(code: "HTTP_413", message: "too large", retry: .inSmallerBatch)

    private func world(_ names: [String], target: JSONValue = [:]) async throws -> World {
        let world = try await World(settings: SyncSettings(lockPauses: [.milliseconds(100), .milliseconds(200)]))
        for name in names { try await world.create(name) }
        _ = try await world.manager.create(world.up("up", target))
        return world
    }

    /// Lets the server report a record as locked in the first pushes.
    private func lock(_ name: String, times: Int, _ world: World) {
        world.server.with { state in
            state.onPush = { number, changes in
                guard number <= times else { return nil }
                return changes.map { change in
                    change.record["Name"]?.stringValue == name
                        ? .failed(Self.locked) : world.server.apply([change])[0]
                }
            }
        }
    }

    @Test func `A locked record is pushed again after a pause`() async throws {
        let world = try await world(["Ann", "Bob", "Cid"])
        lock("Bob", times: 2, world)
        let run = try await world.manager.reSync(named: "up")
        for pause: Int64 in [100, 200] {
            await world.clock.waitForSleepers()
            expect(try await world.store.count(.exact("contacts", "__local__", equals: true, pageSize: 1)), 1)
            world.clock.advance(by: .milliseconds(pause))
        }
        expect(
            try await world.events(of: run),
            [
                "RUNNING 0/-1", "RUNNING 0/3", "create 1 s1 ok", "create 3 s2 ok", "RUNNING 66/3", "RUNNING 66/3",
                "create 2 s3 ok", "DONE 100/3",
            ])
        #expect(
            world.server.log == ["push create Ann", "push create Bob", "push create Cid"]
                + Array(repeating: "push create Bob", count: 2))
        expect(try await world.entries().filter { !$0.contains("clean") }, [])
        #expect(world.clock.sleeps.count == 2)
        #expect(
            zip(world.clock.sleeps, [.milliseconds(100), .milliseconds(200)] as [Duration]).allSatisfy {
                $0 <= $1 && $0 >= $1 / 2
            })
    }

    @Test func `An edit made during the pause is pushed`() async throws {
        let world = try await world(["Bob"])
        lock("Bob", times: 1, world)
        let run = try await world.manager.reSync(named: "up")
        await world.clock.waitForSleepers()
        try await world.store.edit(1, setting: ["Name": "Bobby"], in: "contacts")
        world.clock.advance(by: .milliseconds(100))
        #expect(await run.result.created == 1)
        #expect(world.server.log == ["push create Bob", "push create Bobby"])
    }

    @Test func `A record that stays locked fails after the last pause`() async throws {
        let world = try await world(["Ann", "Bob"])
        lock("Bob", times: 99, world)
        let run = try await world.manager.reSync(named: "up")
        for pause: Int64 in [100, 200] {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .milliseconds(pause))
        }
        let result = await run.result
        #expect(result.state.line == "DONE 100/2")
        #expect([result.created, result.failed] == [1, 1])
        expect(
            try await world.entries()[1], #"2 local_2 {"Name":"Bob"} local+created error UNABLE_TO_LOCK_ROW"#)
        let failures = try await world.manager.failures()
        #expect(failures.map(\.entryId) == [2])
        #expect(failures.map(\.action) == [.create])
        var kept = Self.locked
        kept.retry = .inLaterRun
        #expect(failures.map(\.failure) == [kept])
    }

    @Test func `A run can be cancelled during the pause`() async throws {
        let world = try await world(["Bob"])
        lock("Bob", times: 99, world)
        let run = try await world.manager.reSync(named: "up")
        await world.clock.waitForSleepers()
        run.cancel()
        #expect(await run.result.state.status == .stopped)
        expect(try await world.entries(), [#"1 local_1 {"Name":"Bob"} local+created"#])
    }

    @Test(arguments: MergeMode.allCases) func `A run stopped during its last push finishes`(mode: MergeMode)
        async throws
    {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "Annie")
        for name in ["Bob", "Cid"] { try await world.create(name) }
        _ = try await world.manager.create(world.up("up", ["maxBatchSize": 2], mode: mode))
        let gate = Gate()
        world.server.with {
            $0.onPush = { number, _ in
                if number == 2 { try await gate.pass() }
                return nil
            }
        }
        let run = try await world.manager.reSync(named: "up")
        await gate.arrived()
        run.cancel()
        await world.manager.stop()
        gate.open()
        let result = await run.result
        #expect(result.state.line == "DONE 100/3" && result.error == nil)
        #expect([result.created, result.updated] == [2, 1])
        expect(try await world.manager.status(named: "up"), result.state)
        expect(try await world.entries().filter { !$0.contains("clean") }, [])
    }

    @Test func `A tree that was rolled back is pushed again as a whole`() async throws {
        let world = try await World(settings: SyncSettings(lockPauses: [.milliseconds(100)]))
        let parent = try await world.store.create(["Name": "P"], in: "accounts")
        try await world.create("C", under: parent["Id"]?.stringValue)
        _ = try await world.manager.create(world.treeUp())
        world.server.with { state in
            state.onPush = { number, changes in
                guard number == 1 else { return nil }
                let rolledBack = PushFailure(code: "PROCESSING_HALTED", message: "", retry: .inLaterRun)
                return changes.map { _ in
                    PushOutcome(.failed(rolledBack), children: [.failed(Self.locked)])
                }
            }
        }
        let run = try await world.manager.reSync(named: "treeUp")
        await world.clock.waitForSleepers()
        world.clock.advance(by: .milliseconds(100))
        let result = await run.result
        #expect([result.created, result.failed] == [2, 0])
        #expect(world.server.log.count == 2)
    }

    @Test func `A too large request is split down to one record`() async throws {
        let names = (1...8).map { $0 == 6 ? "huge" : "n\($0)" }
        let world = try await world(names)
        world.server.with { state in
            state.onPush = { _, changes in
                guard changes.contains(where: { $0.record["Name"] == "huge" }) else { return nil }
                return changes.map { _ in .failed(Self.tooLarge) }
            }
        }
        let result = try await world.manager.reSync(named: "up").result
        #expect(result.state.line == "DONE 100/8")
        #expect([result.created, result.failed] == [7, 1])
        expect(
            try await world.entries().filter { !$0.contains("clean") },
            [#"6 local_6 {"Name":"huge"} local+created error HTTP_413"#])
        #expect(world.server.dump.count == 7)
        #expect(world.clock.sleeps.isEmpty)
        // After the requests of 8 and 4 records, the batches grow again, which saves requests.
        #expect(world.server.with { $0.pushes } <= 9)
    }

    @Test func `Batches are limited by their size in bytes`() async throws {
        let names = ["a", String(repeating: "b", count: 300), "c", "d", String(repeating: "e", count: 2000), "f"]
        let world = try await world(names, target: ["maxBatchBytes": 600])
        let sizes = Sizes()
        world.server.with { state in
            state.onPush = { _, changes in
                sizes.note(changes.count)
                return nil
            }
        }
        let result = try await world.manager.reSync(named: "up").result
        #expect(result.created == 6)
        #expect(sizes.all == [4, 1, 1])
        #expect(world.server.log.map { $0.dropFirst("push create ".count).first } == ["a", "b", "c", "d", "e", "f"])
    }

    /// An error in the middle of a push is not a failure of the remaining records.
    @Test(arguments: [SoupError.Code.sessionExpired, .network, .server])
    func `Records that were not sent stay unchanged`(_ code: SoupError.Code) async throws {
        let world = try await world(["Ann", "Bob", "Cid"])
        let server = world.server
        server.with {
            $0.onPush = { _, changes in
                server.apply([changes[0]]) + changes.dropFirst().map { _ in .notSent(SoupError(code, "over")) }
            }
        }
        let run = try await world.manager.reSync(named: "up")
        let waits = code == .sessionExpired
        expect(
            try await world.events(of: run),
            [
                "RUNNING 0/-1", "RUNNING 0/3", "create 1 s1 ok", "RUNNING 33/3",
                "\(waits ? "STOPPED" : "FAILED") 33/3",
            ])
        let result = await run.result
        #expect([result.created, result.failed, result.skipped, result.unknown] == [1, 0, 0, 0])
        #expect(result.error?.code == code && result.state.isWaitingForLogin == waits)
        expect(
            try await world.entries(),
            [
                #"1 s1 {"Name":"Ann"} +0s clean"#, #"2 local_2 {"Name":"Bob"} local+created"#,
                #"3 local_3 {"Name":"Cid"} local+created"#,
            ])
        expect(try await world.manager.failures(), [])
        expect(try await world.manager.unknownCreations(), [:])
        server.with { $0.onPush = nil }
        let again = waits ? try await world.manager.resumeAfterLogin() : [try await world.manager.reSync(named: "up")]
        #expect(again.count == 1)
        for run in again { #expect(await run.result.created == 2) }
        expect(server.dump, [#"s1 {"Name":"Ann"} +0s"#, #"s2 {"Name":"Bob"} +0s"#, #"s3 {"Name":"Cid"} +0s"#])
        expect(try await world.store.count(.all("syncs_in_flight", pageSize: 1)), 0)
    }

    @Test(arguments: ["up", "down"]) func `A run with an expired session waits for a login`(_ name: String) async throws
    {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        _ = try await world.manager.create(world.up())
        try await world.edit("ann", "Annie")
        let before = try await world.entries()
        world.server.with { state in
            state.onPush = { _, _ in throw SoupError(.sessionExpired, "over") }
            state.onPage = { _ in throw SoupError(.sessionExpired, "over") }
        }
        let result = try await world.manager.reSync(named: name).result
        #expect(result.state.status == .stopped)
        #expect(result.state.isWaitingForLogin)
        #expect(result.state.error == "")
        #expect(result.error?.code == .sessionExpired)
        #expect(!result.isComplete)
        expect(try await world.entries(), before)
        let stored = try #require(try await world.manager.status(named: name))
        #expect(stored.isWaitingForLogin && stored.json["waitingForLogin"] == true)
        expect(try await world.manager.failures(), [])

        world.server.with { state in
            state.onPush = nil
            state.onPage = nil
        }
        let reopened = try await world.reopened()
        let runs = try await reopened.manager.resumeAfterLogin()
        #expect(runs.map(\.id) == [stored.id])
        for run in runs { #expect(await run.result.state.status == .done) }
        expect(try await reopened.manager.status(named: name)?.isWaitingForLogin, false)
        expect(try await reopened.manager.resumeAfterLogin().count, 0)
        if name == "up" { #expect(world.server.dump[0].contains("Annie")) }
    }
}

/// The numbers of changes per push.
private final class Sizes: Sendable {
    private let sizes = Mutex<[Int]>([])
    var all: [Int] { sizes.withLock { $0 } }
    func note(_ size: Int) { sizes.withLock { $0.append(size) } }
}
