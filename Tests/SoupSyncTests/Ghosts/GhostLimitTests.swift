// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Removals of most entries, which need a confirmation.
@Suite struct GhostLimitTests {
    @Test(arguments: [
        (20, 0, false), (21, 0, true), (21, 20, true), (21, 21, false), (0, 0, false), (1000, 1001, false),
        (1000, 999, true),
    ])
    func `More than half need a confirmation`(removed: Int, remaining: Int, isExceeded: Bool) {
        #expect(GhostLimit.isExceeded(removed: removed, remaining: remaining) == isExceeded)
    }

    private func remove(_ numbers: Range<Int>, in world: World) {
        for number in numbers { world.server.remove("r\(number + 10)") }
    }

    @Test(arguments: [0, 1, 2]) func `Cleaning most entries needs a confirmation`(way: Int) async throws {
        let world = try await World.withRecords(41)
        try await world.run("down")
        remove(0..<21, in: world)
        let before = try await world.dump()
        let error = await #expect(throws: SoupError.self) {
            _ = try await world.manager.cleanResyncGhosts(named: "down")
        }
        #expect(error?.code == .tooManyGhosts)
        #expect(
            error?.message
                == "cleaning the ghosts of sync \"down\" would remove 21 of the 41 clean entries in soup \"contacts\"; nothing "
                + "was removed")
        #expect(error?.hint?.contains("soup clean-ghosts down --all") == true)
        world.server.clearLog()
        expect(
            try await world.dump().split(separator: "\n").count { $0.contains("clean sync 1") },
            before.split(separator: "\n").count { $0.contains("clean sync 1") })
        switch way {
        case 0: expect(try await world.manager.cleanResyncGhosts(named: "down", all: true), 21)
        case 1:
            let (lines, continuation) = AsyncStream.makeStream(of: String.self)
            try world.manager.cleanResyncGhosts(forName: "down", all: true) {
                continuation.yield("\($0.rawValue) \($1)")
            }
            for await line in lines {
                #expect(line == "DONE 21")
                break
            }
        default:
            var definition = world.down()
            definition.options.removesAllGhosts = true
            try await world.manager.redefine(definition)
            try await world.run("down")
            expect(try await world.manager.cleanResyncGhosts(named: "down"), 21)
        }
        expect(try await world.entries().count, 20)
    }

    @Test func `Cleaning half or few entries needs no confirmation`() async throws {
        let world = try await World.withRecords(42)
        try await world.run("down")
        remove(0..<21, in: world)
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 21)
        remove(21..<41, in: world)
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 20)
        expect(try await world.entries().count, 1)
    }

    /// The share of ghosts is a share of the entries of this sync.
    @Test func `The entries of another sync do not count`() async throws {
        let world = try await World.withRecords(24, ["prefix": "r"])
        for number in 0..<100 { world.server.put("s\(number)", ["Name": "other"]) }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.down("other", ["prefix": "s"]))
        try await world.run("down")
        try await world.run("other")
        remove(0..<24, in: world)
        await #expect(throws: SoupError.self) { _ = try await world.manager.cleanResyncGhosts(named: "down") }
        expect(try await world.entries().count, 124)
    }

    @Test func `Deletions at the end of a run need a confirmation`() async throws {
        let world = try await World.withRecords(24, ["reportsDeletions": true])
        try await world.run("down")
        let covered = try await world.covered()
        remove(0..<24, in: world)
        for _ in 1...2 {
            let result = try await world.manager.reSync(named: "down").result
            #expect(result.state.status == .failed && result.error?.code == .tooManyGhosts)
            expect(try await world.entries().count, 24)
            expect(try await world.covered(), covered)
        }
        expect(try await world.manager.cleanResyncGhosts(named: "down", all: true), 24)
        expect(try await world.run("down").last, "DONE 100/0")
    }

    @Test func `The confirmation can be saved with the sync`() async throws {
        let world = try await World()
        var definition = world.down()
        definition.options.removesAllGhosts = true
        _ = try await world.manager.create(definition)
        let stored = try #require(try await world.manager.status(named: "down"))
        #expect(stored.definition == definition)
        #expect(stored.json["options"] == ["mergeMode": "LEAVE_IF_CHANGED", "removeAllGhosts": true])
    }
}
