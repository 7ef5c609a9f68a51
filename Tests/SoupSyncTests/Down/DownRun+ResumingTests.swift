// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync downs that continue after a stop, a failure or a crash.
@Suite struct DownRunResumingTests {
    /// Runs a sync of ten pages with one record each, calls `stop` after six of them and returns the events.
    private func halfWay(_ world: World, stop: @Sendable @escaping (SyncRun) async -> Void) async throws -> [String] {
        world.fill(10)
        let gate = Gate()
        world.server.with { $0.onPage = { if $0 == 7 { try await gate.pass() } } }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        let run = try await world.manager.reSync(named: "down")
        var lines: [String] = []
        for await event in run.events() {
            lines.append(event.line)
            if lines.last == "RUNNING 60/10" { await stop(run) }
        }
        world.server.with { $0.onPage = nil }
        return lines
    }

    /// Between two runs the records of a list can move to other pages.
    @Test(arguments: [true, false])
    func `A temporary cursor is not used by the next run`(isSorted: Bool) async throws {
        let world = try await World()
        world.fill(10)
        world.server.with { $0.onPage = { if $0 == 7 { throw SoupError(.server, "out of order") } } }
        let target: JSONObject = ["pageSize": 1, "hasTemporaryCursors": true, "isSorted": .bool(isSorted)]
        _ = try await world.manager.create(world.down("down", .object(target)))
        try await world.run("down")
        // A record before the interruption may have moved, so the mark does not rise either.
        #expect(try await world.syncs().allSatisfy { !$0.contains(" at ") && $0.contains(" no mark ") })
        world.server.with { $0.onPage = nil }
        // The first record of the list is now the last one.
        world.server.put("moved", ["Name": "moved"])
        try await world.run("down")
        #expect(try await world.entries().count == 11)
    }

    @Test func `A stopped run continues at its cursor`() async throws {
        let world = try await World()
        let manager = world.manager
        let lines = try await halfWay(world) { _ in await manager.stop() }
        #expect(
            lines == [
                "RUNNING 0/-1", "RUNNING 0/10", "RUNNING 10/10", "RUNNING 20/10", "RUNNING 30/10", "RUNNING 40/10",
                "RUNNING 50/10", "RUNNING 60/10", "STOPPED 60/10",
            ])
        #expect(await manager.isStopped)
        expect(try await world.syncs(), ["1 down STOPPED 60/10 mark >= +6s at 0:6"])
        await #expect { try await manager.reSync(named: "down") } throws: {
            ($0 as? SoupError)?.code == .managerStopped
        }
        world.server.clearLog()
        let runs = try await manager.restart(restartStoppedSyncs: true)
        #expect(runs.map(\.id) == [1])
        expect(
            try await world.events(of: runs[0]),
            [
                "RUNNING 60/10", "RUNNING 60/10", "RUNNING 70/10", "RUNNING 80/10", "RUNNING 90/10", "DONE 100/10",
            ])
        #expect(world.server.log == ["page 0:6", "page 0:7", "page 0:8", "page 0:9"])
        expect(try await world.syncs(), ["1 down DONE 100/10 mark > +10s"])
        expect(try await world.entries().count, 10)
    }

    /// The pages that are still missing can contain records as they were before the push.
    @Test(arguments: [true, false]) func `A push between two runs ends the query`(pushes: Bool) async throws {
        let world = try await World()
        _ = try await halfWay(world) { $0.cancel() }
        _ = try await world.manager.create(world.up())
        if pushes { try await world.create("New") }
        try await world.run("up")
        world.server.clearLog()
        #expect(try await world.run("down").last?.hasPrefix("DONE") == true)
        // The pages are sorted, so the query begins at the records that were saved last.
        #expect(world.server.log.first == (pushes ? "query >= +6s" : "page 0:6"))
        expect(try await world.entries().count, pushes ? 11 : 10)
    }

    /// The sync down is called during the push, and waits for its end.
    @Test func `A push ends the query of a waiting run`() async throws {
        let world = try await World()
        _ = try await halfWay(world) { $0.cancel() }
        _ = try await world.manager.create(world.up())
        try await world.create("New")
        let gate = Gate()
        world.server.with {
            $0.onPush = { _, _ in
                try await gate.pass()
                return nil
            }
        }
        let up = try await world.manager.reSync(named: "up")
        await gate.arrived()
        let down = try await world.manager.reSync(named: "down")
        gate.open()
        #expect(await up.result.created == 1)
        #expect(await down.result.error == nil)
        #expect(
            Array(world.server.log.drop { !$0.hasPrefix("push") }.prefix(2)) == ["push create New", "query >= +6s"])
        expect(try await world.entries().count, 11)
    }

    @Test func `A cancelled run cancels its request`() async throws {
        let world = try await World()
        let lines = try await halfWay(world) { $0.cancel() }
        #expect(lines.last == "STOPPED 60/10")
        #expect(await world.manager.isStopped == false)
        expect(try await world.run("down").last, "DONE 100/10")
        expect(try await world.entries().count, 10)
    }

    @Test func `A failed run keeps its records and can be continued`() async throws {
        let world = try await World()
        world.fill(4)
        world.server.with { $0.onPage = { if $0 == 3 { throw SoupError(.network, "connection lost") } } }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        expect(
            try await world.run("down"),
            [
                "RUNNING 0/-1", "RUNNING 0/4", "RUNNING 25/4", "RUNNING 50/4", "FAILED 50/4",
            ])
        expect(try await world.syncs(), ["1 down FAILED 50/4 mark >= +2s at 0:2 error: connection lost"])
        expect(try await world.run("down"), ["RUNNING 50/4", "RUNNING 50/4", "RUNNING 75/4", "DONE 100/4"])
        expect(try await world.syncs(), ["1 down DONE 100/4 mark > +4s"])
    }

    @Test func `The mark depends on the time of the query`() async throws {
        let world = try await World()
        world.clock.advance(by: .seconds(1))
        world.server.put("r1", ["Name": "N1"])
        world.server.put("r2", ["Name": "N2"])
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        let (server, clock) = (world.server, world.clock)
        world.server.with {
            $0.onPage = { number in
                // The record is saved after the query, in the same second as the query's last record.
                if number == 2 {
                    server.put("r3", ["Name": "N3"])
                    clock.advance(by: .seconds(60))
                }
            }
        }
        try await world.run("down")
        expect(try await world.syncs(), ["1 down DONE 100/2 mark >= +1s"])
        try await world.run("down")
        expect(try await world.entries().count, 3)
        expect(try await world.syncs(), ["1 down DONE 100/1 mark > +1s"])
    }

    @Test func `A continued run keeps the time of its query`() async throws {
        let world = try await World()
        world.clock.advance(by: .seconds(1))
        world.server.put("r1", ["Name": "N1"])
        world.server.put("r2", ["Name": "N2"])
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        world.server.with { $0.onPage = { if $0 == 2 { throw SoupError(.network, "connection lost") } } }
        try await world.run("down")
        world.server.put("r3", ["Name": "N3"])
        world.clock.advance(by: .seconds(60))
        try await world.reopened().run("down")
        expect(try await world.syncs(), ["1 down DONE 100/2 mark >= +1s"])
        try await world.run("down")
        expect(try await world.entries().count, 3)
    }

    @Test(arguments: [true, false])
    func `An expired cursor starts a new query at the mark`(isSorted: Bool) async throws {
        let world = try await World()
        world.fill(4)
        let server = world.server
        world.server.with { $0.onPage = { if $0 == 3 { server.expireCursors() } } }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1, "isSorted": .bool(isSorted)]))
        let lines = try await world.run("down")
        #expect(lines.last == (isSorted ? "DONE 100/2" : "DONE 100/4"))
        #expect(world.server.log[3] == (isSorted ? "query >= +2s" : "query"))
        expect(try await world.entries().count, 4)
        expect(try await world.syncs(), ["1 down DONE 100/\(isSorted ? 2 : 4) mark > +4s"])
    }

    @Test func `Records that are fetched twice are counted once`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob", "Cid", "Dan")
        try await world.edit("ann", "mine")
        world.server.put("bob", ["Name": "theirs"])
        _ = try await world.manager.redefine(world.down("down", ["pageSize": 1, "isSorted": false]))
        let server = world.server
        let first = server.with { $0.pages }
        server.with { $0.onPage = { if $0 == first + 4 { server.expireCursors() } } }
        let result = try await world.manager.reSync(named: "down").result
        expect(result.state.line, "DONE 100/4")
        #expect([result.saved, result.unchanged, result.skipped] == [1, 2, 1])
        #expect(result.state.unsynced.skipped == 1)
        #expect(server.with { $0.pages } == first + 8)
    }

    @Test func `A cursor that expires repeatedly fails the run`() async throws {
        let world = try await World()
        world.fill(3)
        let server = world.server
        world.server.with { $0.onPage = { if $0 % 2 == 0 { server.expireCursors() } } }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1, "isSorted": false]))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .cursorExpired)
        #expect(world.server.log.count == 8)
    }

    @Test func `A cursor that fails repeatedly is dropped`() async throws {
        let world = try await World()
        world.fill(3)
        let server = world.server
        // The server reports a general error, but not that the cursor has expired.
        world.server.with {
            $0.onPage = { _ in if server.log.last == "page 0:1" { throw SoupError(.server, "HTTP 500") } }
        }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        for _ in 1...3 { try await world.run("down") }
        expect(try await world.syncs(), ["1 down FAILED 33/3 mark >= +1s error: HTTP 500"])
        expect(try await world.run("down").last, "DONE 100/2")
        #expect(world.server.log.dropFirst(4) == ["query >= +1s", "page 1:1", "page 1:2"])
        expect(try await world.entries().count, 3)
    }

    @Test func `A network error keeps the cursor`() async throws {
        let world = try await World()
        world.fill(3)
        world.server.with { $0.onPage = { if $0 > 1 { throw SoupError(.network, "no connection") } } }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        for _ in 1...5 { try await world.run("down") }
        expect(try await world.syncs(), ["1 down FAILED 33/3 mark >= +1s at 0:1 error: no connection"])
    }

    @Test func `An unsorted target raises the mark at the end only`() async throws {
        let world = try await World()
        world.fill(3)
        world.server.with { $0.onPage = { if $0 == 3 { throw SoupError(.network, "connection lost") } } }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1, "isSorted": false]))
        try await world.run("down")
        expect(try await world.syncs(), ["1 down FAILED 66/3 no mark at 0:2 error: connection lost"])
        try await world.run("down")
        expect(try await world.syncs(), ["1 down DONE 100/3 mark > +3s"])
    }

    /// The process crashes at each write of a sync down of five pages, before or after the commit.
    ///
    /// A new manager continues the run, which must always end in the same state.
    @Test(arguments: [CrashableStore.CrashPoint.beforeCommit, .afterCommit], [true, false])
    func `A crash at any write loses nothing`(point: CrashableStore.CrashPoint, isSorted: Bool) async throws {
        var expected: (entries: [String], syncs: [String])?
        for write in 1...9 {
            let world = try await World()
            world.fill(9)
            _ = try await world.manager.create(world.down("down", ["pageSize": 2, "isSorted": .bool(isSorted)]))
            world.backend.controls.crash(atWrite: write, point)
            if let run = try? await world.manager.reSync(named: "down") {
                let status = await run.result.state.status
                #expect(status == (write > 7 ? .done : .failed), "write \(write)")
            }
            let next = try await world.reopened()
            let status = try #require(try await next.manager.status(named: "down")).status
            #expect([.new, .stopped, .done].contains(status), "write \(write)")
            try await next.run("down")
            let state = (
                entries: try await next.entries().map { String($0.drop { $0 != "{" }) }.sorted(),
                syncs: try await next.syncs().map { String($0.drop { $0 != "m" }) }
            )
            #expect(state.entries.count == 9)
            if let expected {
                #expect(state == expected, "write \(write)")
            }
            expected = state
        }
    }

    @Test func `Only the running syncs of an earlier process are stopped`() async throws {
        let world = try await World()
        let statuses: [SyncStatus] = [.new, .stopped, .running, .failed, .done]
        for (index, status) in statuses.enumerated() {
            let state = try await world.manager.create(
                index.isMultiple(of: 2) ? world.down("s\(index)") : world.up("s\(index)"))
            try await world.store.write { writer in
                let stamp = RecordBatch.Stamp().setting("status", .string(status.rawValue)).setting(
                    "maxTimeStamp", .integer(5))
                _ = try writer.stamp([EntryStamp(id: state.id, stamp: stamp)], in: "syncs_soup")
            }
        }
        world.clock.advance(by: .seconds(7))
        let states = try await world.reopened().manager.syncs()
        #expect(states.map(\.status) == [.new, .stopped, .stopped, .failed, .done])
        #expect(states.map(\.times.mark) == [5, 5, 5, 5, 5])
        #expect(states.map(\.times.end) == [0, 0, Moment.after(7), 0, 0])
    }

    /// The missing records may be older than all fetched ones.
    @Test(arguments: [true, false]) func `An incomplete run is repeated from its start`(
        isSorted: Bool
    ) async throws {
        let world = try await World()
        world.fill(2)
        let target: JSONValue = ["pageSize": 1, "isSorted": .bool(isSorted), "isIncomplete": true]
        _ = try await world.manager.create(world.down("down", target))
        for _ in 1...2 {
            let result = try await world.manager.reSync(named: "down").result
            #expect(result.state.status == .failed && result.error?.code == .server)
            expect(try await world.syncs().map { $0.prefix(26) }, ["1 down FAILED 50/2 no mark"])
        }
        #expect(world.server.log == ["query", "page 0:1", "query", "page 1:1"])
        expect(try await world.entries().count, 2)
        try await world.manager.redefine(world.down("down", ["pageSize": 1]))
        expect(try await world.run("down").last, "DONE 100/2")
    }
}
