// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupStore
import SoupTesting
import Testing

@testable import SoupSync

/// Syncs that go back to an earlier time.
@Suite struct SyncManagerRewindingTests {
    /// A world with three fetched records, of which the app has lost the changes of the last two.
    private func world(_ target: JSONObject = [:]) async throws -> World {
        let world = try await World()
        world.fill(3)
        _ = try await world.manager.create(world.down("down", .object(target)))
        try await world.run("down")
        world.server.clearLog()
        return world
    }

    private func rewind(_ world: World, to second: Int64) async throws -> SyncState {
        try await world.manager.rewind(named: "down", to: Date(millisecondsSince1970: Moment.after(second)))
    }

    @Test func `The next run fetches what changed since that time`() async throws {
        let world = try await world()
        let before = try await world.entries()
        let state = try await rewind(world, to: 2)
        expect(state.line, "DONE 100/3")
        #expect(state.maxTimeStamp?.millisecondsSince1970 == Moment.after(2))
        expect(try await world.entries(), before)
        // The size of a later run is the number of changes.
        expect(try await world.run("down").last, "DONE 100/0")
        expect(world.server.log, ["query >= +2s"])
        expect(try await world.entries(), before)
    }

    /// Records between the mark and the later time would never be fetched.
    @Test func `A later time changes nothing`() async throws {
        let world = try await world()
        let before = try await world.dump()
        _ = try await rewind(world, to: 1000)
        expect(try await world.dump(), before)
    }

    @Test func `A sync that has not run fetches everything as before`() async throws {
        let world = try await World()
        world.fill(2)
        _ = try await world.manager.create(world.down("down"))
        #expect(try await rewind(world, to: 2).maxTimeStamp == nil)
        expect(try await world.run("down").last, "DONE 100/2")
    }

    @Test func `Local changes are kept`() async throws {
        let world = try await world()
        try await world.edit("r3", "local")
        _ = try await rewind(world, to: 0)
        try await world.run("down")
        #expect(try await world.entries().contains { $0.contains(#""Name":"local""#) })
    }

    @Test func `Everything that a run could continue with goes back`() {
        var row = SyncRow(
            SyncDefinition(name: "down", type: .syncDown, soup: "contacts", target: TargetReference([:])),
            isOneShot: false)
        row.mark = HighWaterMark(milliseconds: 500, inclusive: false)
        row.levelMarks = [
            nil, HighWaterMark(milliseconds: 90, inclusive: false), HighWaterMark(milliseconds: 900, inclusive: false),
        ]
        row.syncToken = "t"
        row.resume = ResumePoint(cursor: PageCursor("next"), query: QueryProgress(base: nil, since: 0))
        row.deletionsCovered = CoveredDeletions(until: 700, unconfirmed: 600)
        row.rewind(to: 100)
        #expect(row.mark == HighWaterMark(milliseconds: 100, inclusive: true))
        #expect(
            row.levelMarks == [
                nil, HighWaterMark(milliseconds: 90, inclusive: false),
                HighWaterMark(milliseconds: 100, inclusive: true),
            ])
        #expect(
            row.syncToken == nil && row.resume == nil
                && row.deletionsCovered == CoveredDeletions(until: 100, unconfirmed: 100))
        #expect(row.state.maxTimeStamp?.millisecondsSince1970 == 100)
    }

    @Test func `Only an idle sync down can go back`() async throws {
        let world = try await world()
        _ = try await world.manager.create(world.up("up"))
        let before = try await world.dump()
        for (name, code) in [("none", SoupError.Code.syncNotFound), ("up", .notSupported)] {
            await #expect { try await world.manager.rewind(named: name, to: world.clock.now) } throws: {
                ($0 as? SoupError)?.code == code
            }
        }
        let work = try await world.manager.reserve(1, RunQueue.Claim(soups: [], isExclusive: false))
        await #expect { try await rewind(world, to: 0) } throws: { ($0 as? SoupError)?.code == .syncAlreadyRunning }
        await world.manager.release(1, work)
        expect(try await world.dump(), before)
    }
}
