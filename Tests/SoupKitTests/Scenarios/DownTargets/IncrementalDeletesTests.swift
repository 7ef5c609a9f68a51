// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// The `soql` target with `"deletes": "incremental"`, with an org; store and org are compared as a whole.
@Suite struct IncrementalDeletesTests {
    private static let scenario = DownScenario(
        testDescription: "soql",
        target: #"""
            {"type": "soql", "query": "SELECT Name, Description FROM Account", "deletes": "incremental"}
            """#, levels: [DownScenario.accounts])

    private func world(_ accounts: Int = 10) async throws -> DownWorld {
        try await DownWorld(Self.scenario, accounts: accounts)
    }

    @Test(arguments: [20, 300]) func `Deletions need two requests for any number of records`(accounts: Int)
        async throws
    {
        let world = try await world(accounts)
        let first = try await world.run()
        #expect(first.state.line == "DONE 100/\(accounts)")
        #expect(first.ghosts == 0)
        #expect(world.transport.requests == ["GET query", "GET sobjects/Account/deleted"])
        world.clock.advance(by: .seconds(120))
        for number in 1...10 { try world.delete("a\(number)") }
        try world.edit("a11", to: "changed")
        world.transport.hold(nil)
        let second = try await world.run()
        #expect([second.ghosts, second.saved] == [10, 1])
        #expect(world.transport.requests == ["GET query", "GET sobjects/Account/deleted"])
        #expect(try await world.storeLines() == world.orgLines())
        #expect(try await world.run().ghosts == 0)
    }

    @Test func `Cleaning ghosts requests the list of deletions`() async throws {
        let world = try await world()
        _ = try await world.run()
        try world.delete("a1", "a2")
        world.transport.hold(nil)
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 2)
        #expect(world.transport.requests == ["GET sobjects/Account/deleted"])
        #expect(try await world.storeLines() == world.orgLines())
        world.transport.hold(nil)
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down", completely: true) == 0)
        #expect(world.transport.requests == ["GET query"])
    }

    @Test func `A period that the server does not cover is compared in full`() async throws {
        let world = try await world()
        _ = try await world.run()
        try world.delete("a1", "a2", "a3")
        world.clock.advance(by: .milliseconds(40 * 86_400_000))
        world.transport.hold(nil)
        let result = try await world.run()
        #expect(result.ghosts == 3)
        #expect(world.transport.requests == ["GET query", "GET sobjects/Account/deleted", "GET query"])
        #expect(try await world.storeLines() == world.orgLines())
        try world.delete("a4")
        world.transport.hold(nil)
        #expect(try await world.run().ghosts == 1)
        #expect(world.transport.requests == ["GET query", "GET sobjects/Account/deleted"])
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: [1800, 72_000, 172_800])
    func `Deletions are found after the clock was set back`(seconds: Int) async throws {
        let world = try await world()
        world.clock.advance(by: .seconds(seconds))
        for _ in 1...2 { _ = try await world.run() }
        world.clock.advance(by: .seconds(120 - seconds))
        try world.delete("a1")
        #expect(try await world.run().ghosts == 1)
        #expect(try await world.storeLines() == world.orgLines())
        // From then on, the server's reports count again.
        try world.delete("a2")
        world.clock.advance(by: .seconds(120))
        world.transport.hold(nil)
        #expect(try await world.run().ghosts == 1)
        #expect(world.transport.requests == ["GET query", "GET sobjects/Account/deleted"])
    }

    @Test func `Entries with local changes are kept`() async throws {
        let world = try await world()
        _ = try await world.run()
        let entry = try #require(try await world.entry("a1"))
        try await world.kit.store.edit(entry.id, setting: ["Description": "mine"], in: "accounts")
        try world.delete("a1", "a2")
        #expect(try await world.run().ghosts == 1)
        let mine = try await world.storeLines().filter { $0.contains("__local__") }
        #expect(mine.count == 1)
        #expect(try await world.storeLines().filter { !mine.contains($0) } == world.orgLines())
    }

    /// Records of an earlier definition may have been deleted at any time.
    @Test func `A soup with older entries is compared in full`() async throws {
        let world = try await world()
        _ = try await world.run()
        try world.delete("a1")
        let definition = try #require(world.kit.configuration[.user].syncs?.syncs.first)
        try await world.kit.syncs.redefine(definition)
        world.transport.hold(nil)
        #expect(try await world.run().ghosts == 1)
        #expect(world.transport.requests == ["GET query", "GET query"])
        #expect(try await world.storeLines() == world.orgLines())
        world.transport.hold(nil)
        try world.delete("a2")
        #expect(try await world.run().ghosts == 1)
        #expect(world.transport.requests == ["GET query", "GET sobjects/Account/deleted"])
    }

    @Test func `Deletions are found by the run after a stopped one`() async throws {
        let world = try await world()
        _ = try await world.run()
        try world.delete("a1", "a2")
        world.transport.hold(2)
        let run = Task { try await world.run() }
        await world.transport.arrived()
        try await world.kit.syncs.endRuns()
        let stopped = try await run.value
        #expect(stopped.state.status == .stopped)
        world.transport.hold(nil)
        #expect(try await world.run().ghosts == 2)
        #expect(try await world.storeLines() == world.orgLines())
    }
}

extension SyncState {
    fileprivate var line: String { "\(status.rawValue) \(progress)/\(totalSize)" }
}

extension SyncManager {
    /// Ends the active runs, and accepts runs again.
    fileprivate func endRuns() async throws {
        await stop()
        await ended()
        try await restart(restartStoppedSyncs: false)
    }
}
