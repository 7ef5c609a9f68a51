// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

/// Sync downs and cleanings of ghosts with implausible responses of the server.
@Suite struct ImplausibleResponseTests {
    private func world(_ count: Int, _ target: JSONObject = [:]) async throws -> World {
        let world = try await World()
        for number in 0..<count { world.server.put("r\(number + 10)", ["Name": .string("n\(number)")]) }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.down("down", .object(target)))
        return world
    }

    // MARK: Counts

    @Test(
        arguments: [
            (24, 100, nil), (2, 100, nil), (24, 1, nil), (24, 1, 4), (2, 1, nil),
        ] as [(Int, Int, Int?)])
    func `A run with a wrong number of records fails`(announced: Int, pageSize: Int, now: Int?) async throws {
        var target: JSONObject = [
            "isExact": true, "falseTotal": .int(Int64(announced)), "pageSize": .int(Int64(pageSize)),
        ]
        target["currentCount"] = now.map { .int(Int64($0)) }
        let world = try await world(3, target)
        for _ in 1...2 {
            let result = try await world.manager.reSync(named: "down").result
            #expect(result.state.status == .failed)
            #expect(result.error?.code == .incompleteAnswer)
            #expect(
                result.error?.message
                    == "sync \"down\": the first page announced \(announced) record(s) and the server sent 3")
            #expect(result.state.maxTimeStamp == nil)
        }
        expect(try await world.entries().count, 3)
        try await world.manager.redefine(world.down("down", ["isExact": true]))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.state.status == .done && result.state.times.mark == Moment.start)
    }

    /// A record that is deleted between two pages is missing without an error.
    @Test func `Records deleted between pages are not missing`() async throws {
        let world = try await world(3, ["isExact": true, "falseTotal": 5, "pageSize": 1, "currentCount": 3])
        expect(try await world.run("down").last, "DONE 100/3")
        expect(try await world.syncs(), ["1 down DONE 100/3 mark > +0s"])
    }

    @Test func `A record without an ID fails the run`() async throws {
        let world = try await World()
        world.server.put("", ["Name": "Ann"])
        _ = try await world.manager.create(world.down())
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .json)
        #expect(result.error?.message == "sync \"down\": record 0 of the page for soup \"contacts\" has no \"Id\"")
        expect(try await world.entries().count, 0)
    }

    // MARK: Dates

    @Test func `A stamped date raises the mark`() async throws {
        let world = try await world(3, ["stampsDates": true])
        expect(try await world.run("down").last, "DONE 100/3")
        expect(try await world.syncs(), ["1 down DONE 100/3 mark > +0s"])
    }

    /// Without the server's time, the mark is at most one day after the time of the device.
    @Test func `A date far in the future does not raise the mark`() async throws {
        let world = try await world(2, ["reportsTime": false])
        world.server.put("z", ["Name": "far"], at: 253_370_764_800_000)
        world.server.put("y", ["Name": "near"], at: Moment.after(3600))
        try await world.run("down")
        expect(try await world.syncs(), ["1 down DONE 100/4 mark >= +3600s"])
        world.clock.advance(by: .seconds(7200))
        world.server.put("r10", ["Name": "changed"])
        #expect(try await world.manager.reSync(named: "down").result.saved == 1)
    }

    // MARK: The brake

    @Test(arguments: [
        (20, 0, false), (21, 0, true), (21, 20, true), (21, 21, false), (0, 0, false), (1000, 1001, false),
        (1000, 999, true),
    ])
    func `The brake stops the removal of more than half`(removed: Int, remaining: Int, stops: Bool) {
        #expect(GhostBrake.stops(removed: removed, remaining: remaining) == stops)
    }

    private func remove(_ numbers: Range<Int>, in world: World) {
        for number in numbers { world.server.remove("r\(number + 10)") }
    }

    @Test(arguments: [0, 1, 2]) func `Cleaning most entries needs a confirmation`(way: Int) async throws {
        let world = try await world(41)
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
        let world = try await world(42)
        try await world.run("down")
        remove(0..<21, in: world)
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 21)
        remove(21..<41, in: world)
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 20)
        expect(try await world.entries().count, 1)
    }

    /// The share of ghosts is a share of the entries of this sync.
    @Test func `The entries of another sync do not count`() async throws {
        let world = try await world(24, ["prefix": "r"])
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
        let world = try await world(24, ["reportsDeletions": true])
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

    // MARK: Impossible IDs

    @Test func `An impossible ID is not requested but reported`() async throws {
        let world = try await world(2, ["impossibleIdPrefix": "x"])
        world.server.put("x'1", ["Name": "odd"])
        try await world.run("down")
        world.server.remove("r10")
        world.server.remove("x'1")
        world.server.clearLog()
        let cleaning = try await world.manager.cleanGhosts(named: "down")
        #expect(world.server.log == ["which of r10 r11"])
        #expect(cleaning.count == 1 && cleaning.removedBySoup == ["contacts": 1])
        let odd = try #require(cleaning.leftOut.first)
        #expect(cleaning.leftOut.count == 1)
        #expect(odd.soup == "contacts" && odd.id == "x'1" && odd.action == .fetch && odd.result == .failed)
        #expect(odd.error?.code == "IMPOSSIBLE_ID")
        #expect(
            odd.error?.message
                == "\"x'1\" cannot be an ID of the server, so its record was not requested: correct the ID of the "
                + "entry, or delete it from the store")
        expect(try await world.entries().map { $0.split(separator: " ")[1] }, ["r11", "x'1"])
    }
}
