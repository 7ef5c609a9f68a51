// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupStore
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

/// Watching, which runs syncs in rounds.
@Suite(.timeLimit(.minutes(2))) struct SyncManagerWatchingTests {
    /// The ends of runs in their order.
    private final class Ends: Sendable {
        private let stream: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation
        init() { (stream, continuation) = AsyncStream.makeStream() }

        @Sendable func follow(_ run: SyncRun) async {
            for await _ in run.events() {}
            let state = await run.result.state
            continuation.yield("\(state.name ?? "?") \(state.status.rawValue)")
        }

        func next(_ count: Int) async -> [String] {
            var found: [String] = []
            guard count > 0 else { return found }
            for await end in stream {
                found.append(end)
                if found.count == count { break }
            }
            return found
        }
    }

    private func watching(
        _ world: World, _ ends: Ends, with manager: SyncManager? = nil,
        onRound: @escaping @Sendable (WatchRound) -> Void = { _ in }
    ) -> Task<Void, any Error> {
        Task {
            try await (manager ?? world.manager).watch(
                ["up", "down"], every: .seconds(60), debounce: .milliseconds(500), onRound: onRound, follow: ends.follow
            )
        }
    }

    /// Advances the clock by a pause between rounds.
    private func passPause(_ world: World, _ number: Int) async {
        await world.clock.waitForSleep(of: 60_000, times: number)
        world.clock.advance(by: .seconds(60))
        await world.clock.waitForSleep(of: 500, times: number)
        world.clock.advance(by: .milliseconds(500))
    }

    @Test func `An error of the follower ends watching after the run`() async throws {
        let world = try await World.withSyncUp()
        world.server.with { $0.onPage = { _ in throw SoupError(.sessionExpired, "over") } }
        let manager = world.manager
        await #expect { try await manager.watch(["down", "up"]) { _ in throw SoupError("enough", "stop") } } throws: {
            ($0 as? SoupError)?.code == "enough"
        }
        let states = try await manager.syncs()
        #expect(states.map(\.status) == [.stopped, .new])
        #expect(states.map(\.isWaitingForLogin) == [true, false])
    }

    @Test func `A pause or an edit starts a round`() async throws {
        let world = try await World.withSyncUp()
        let ends = Ends()
        let haveChanges = Mutex<[Bool]>([])
        let task = watching(world, ends) { round in
            if round.endTime == nil { haveChanges.withLock { $0.append(round.hasChanges) } }
        }
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        world.server.put("cid", ["Name": "Cid"])
        await passPause(world, 1)
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        #expect(try await world.entries().count == 3)

        await world.clock.waitForSleep(of: 60_000, times: 2)
        let before = world.clock.milliseconds
        try await world.edit("ann", "Anna")
        // The only time that passes is the wait for further edits.
        await world.clock.waitForSleep(of: 500, times: 2)
        world.clock.advance(by: .milliseconds(500))
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        #expect(world.server.dump.first?.hasPrefix("ann {\"Name\":\"Anna\"}") == true)
        #expect(world.clock.milliseconds == before + 500)

        await world.clock.waitForSleep(of: 60_000, times: 3)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(haveChanges.withLock { $0 } == [false, false, true])
        #expect(await world.manager.isStopping == false)
    }

    @Test func `Rounds are reported with the times of the clock`() async throws {
        let world = try await World.withSyncUp()
        let ends = Ends()
        let (rounds, continuation) = AsyncStream.makeStream(of: WatchRound.self)
        let manager = world.manager
        let task = Task {
            try await manager.watch(
                ["up", "down"], every: .seconds(60), debounce: .milliseconds(500), onRound: { continuation.yield($0) },
                follow: ends.follow)
        }
        let start = world.clock.now
        // The sync down of the first round takes a while.
        let gate = Gate()
        world.server.with { $0.onPage = { _ in try await gate.pass() } }
        await gate.arrived()
        world.clock.advance(by: .milliseconds(700))
        world.server.with { $0.onPage = nil }
        gate.open()
        await passPause(world, 1)
        var reported: [WatchRound] = []
        for await round in rounds {
            reported.append(round)
            if reported.count == 4 { break }
        }
        let first = Date(millisecondsSince1970: start.millisecondsSince1970 + 700)
        let second = Date(millisecondsSince1970: start.millisecondsSince1970 + 700 + 60_500)
        #expect(
            reported == [
                WatchRound(number: 1, startTime: start),
                WatchRound(number: 1, startTime: start, endTime: first),
                WatchRound(number: 2, startTime: second), WatchRound(number: 2, startTime: second, endTime: second),
            ])
        task.cancel()
        _ = await task.result
    }

    /// A manager whose backend does not report the changes of other processes.
    private func pollingManager(_ world: World) async throws -> SyncManager {
        try await world.another(over: CopylessStore(world.backend))
    }

    /// The clock advances only by the time to wait for further changes: nothing is polled.
    @Test func `A change by another process starts a round`() async throws {
        let world = try await World.withSyncUp()
        let other = try await world.secondHandle()
        let ends = Ends()
        let task = watching(world, ends)
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        await world.clock.waitForSleep(of: 60_000, times: 1)
        try await other.write { writer in
            let dirty = RecordBatch.Stamp.update.setting("Name", .string("Anna"))
            _ = try writer.stamp([EntryStamp(id: 1, stamp: dirty)], in: "contacts")
        }
        await world.clock.waitForSleep(of: 500, times: 1)
        #expect(world.clock.sleeps.allSatisfy { [.seconds(60), .milliseconds(500)].contains($0) })
        world.clock.advance(by: .milliseconds(500))
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        #expect(world.server.dump.first?.hasPrefix("ann {\"Name\":\"Anna\"}") == true)
        task.cancel()
        _ = await task.result
    }

    @Test func `Polling finds a change by another process`() async throws {
        let world = try await World.withSyncUp()
        let ends = Ends()
        let task = watching(world, ends, with: try await pollingManager(world))
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        await world.clock.waitForSleep(of: 1000, times: 1)
        try await world.edit("ann", "Anna")
        world.clock.advance(by: .seconds(1))
        await world.clock.waitForSleep(of: 500, times: 1)
        world.clock.advance(by: .milliseconds(500))
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        #expect(world.server.dump.first?.hasPrefix("ann {\"Name\":\"Anna\"}") == true)
        task.cancel()
        _ = await task.result
    }

    /// The pauses between polls grow, and start again from the shortest after a change.
    @Test func `Polling for other processes slows down`() async throws {
        let world = try await World.withSyncUp()
        let ends = Ends()
        let task = watching(world, ends, with: try await pollingManager(world))
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        for pause in [1000, 2000, 4000, 8000, 16_000] as [Int64] {
            await world.clock.waitForSleep(of: pause, times: 1)
            world.clock.advance(by: .milliseconds(pause))
        }
        await world.clock.waitForSleep(of: 32_000, times: 1)
        #expect(world.clock.sleeps.filter { $0 == .seconds(1) }.count == 1)
        try await world.edit("ann", "Anna")
        await world.clock.waitForSleep(of: 500, times: 1)
        world.clock.advance(by: .milliseconds(500))
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        await world.clock.waitForSleep(of: 1000, times: 2)
        task.cancel()
        _ = await task.result
        let poll = try #require(WatchPoll([.seconds(1), .seconds(2)]))
        #expect([poll.next(), poll.next(), poll.next()] == [.seconds(1), .seconds(2), .seconds(2)])
        poll.restart()
        #expect(poll.next() == .seconds(1))
        #expect(WatchPoll([]) == nil)
    }

    @Test func `A rejected change does not start a round`() async throws {
        let world = try await World.withSyncUp()
        try await world.edit("ann", "bad")
        let ends = Ends()
        let task = watching(world, ends)
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        // The round itself writes the error into the entry, which is not an edit.
        await passPause(world, 1)
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        #expect(world.server.with { $0.pushes } == 2)
        task.cancel()
        _ = await task.result
    }

    @Test func `The next round retries a failed run`() async throws {
        let world = try await World.withSyncUp()
        world.server.with { state in
            let first = state.pages + 1
            state.onPage = { if $0 == first { throw SoupError(.network, "no connection") } }
        }
        let ends = Ends()
        let task = watching(world, ends)
        #expect(await ends.next(2) == ["up DONE", "down FAILED"])
        await passPause(world, 1)
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        task.cancel()
        _ = await task.result
    }

    /// The sync ups of the round have ended by then, so that only another round sends the edit.
    @Test func `An edit during the sync down starts a round`() async throws {
        let world = try await World.withSyncUp()
        let (ends, gate) = (Ends(), Gate())
        world.server.with { $0.onPage = { _ in try await gate.pass() } }
        let task = watching(world, ends)
        #expect(await ends.next(1) == ["up DONE"])
        await gate.arrived()
        try await world.edit("ann", "Anna")
        world.server.with { $0.onPage = nil }
        gate.open()
        #expect(await ends.next(1) == ["down DONE"])
        await world.clock.waitForSleep(of: 500, times: 1)
        world.clock.advance(by: .milliseconds(500))
        #expect(await ends.next(2) == ["up DONE", "down DONE"])
        #expect(world.server.dump.first?.hasPrefix("ann {\"Name\":\"Anna\"}") == true)
        task.cancel()
        _ = await task.result
    }

    @Test func `An unknown sync name ends watching at once`() async throws {
        let world = try await World.withSyncUp()
        let error = await #expect(throws: SoupError.self) {
            try await world.manager.watch(["upp"]) { _ in }
        }
        #expect(error?.code == .syncNotFound)
    }

    @Test func `Cancellation waits for the push and starts no other run`() async throws {
        let world = try await World.withSyncUp()
        try await world.edit("ann", "Anna")
        let gate = world.server.holdPushes()
        let ends = Ends()
        let task = watching(world, ends)
        await gate.arrived()
        task.cancel()
        gate.open()
        expect(await ends.next(1), ["up DONE"])
        await #expect(throws: CancellationError.self) { try await task.value }
        expect(try await world.manager.status(named: "down")?.times.end ?? 0 < world.clock.milliseconds - 5000, true)
        expect(try await world.entries().first, "1 ann {\"Name\":\"Anna\"} +20s clean sync 1")
    }
}

extension ManualClock {
    /// Returns when the clock has begun `times` sleeps of a length, and a task sleeps.
    func waitForSleep(of milliseconds: Int64, times: Int) async {
        while sleeps.filter({ $0 == .milliseconds(milliseconds) }).count < times { await Task.yield() }
        await waitForSleepers()
    }
}
