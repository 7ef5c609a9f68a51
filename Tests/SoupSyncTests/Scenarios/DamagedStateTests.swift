// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Rows of `syncs_soup` and responses of servers with impossible numbers.
@Suite struct DamagedStateTests {
    private static let extremes: [JSONValue] = [
        .int(.max), .int(.min), .int(-2), .int(253_402_300_800_000), .double(1e300), "many", nil, [:],
    ]

    @Test(arguments: extremes)
    func `A sync with impossible numbers in its row still runs`(number: JSONValue) async throws {
        let world = try await World()
        world.fill(2)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        let text = try number.jsonText()
        try await world.store.write { writer in
            let stamp = ["progress", "totalSize", "maxTimeStamp", "startTime", "endTime"].reduce(RecordBatch.Stamp()) {
                $0.setting($1, text)
            }
            _ = try writer.stamp([EntryStamp(id: 1, stamp: stamp)], in: "syncs_soup")
        }
        let state = try #require(try await world.manager.status(named: "down"))
        #expect(state.line == (number == .int(.max) || number.intValue ?? 0 > 100 ? "NEW 100/-1" : "NEW 0/-1"))
        #expect(state.times == SyncState.Times() && state.maxTimeStamp == nil && state.endTime == nil)
        expect(try await world.run("down").last, "DONE 100/2")
        #expect(world.server.log[0] == "query")
        expect(try await world.syncs(), ["1 down DONE 100/2 mark > +2s"])
    }

    /// The default merge mode, OVERWRITE, would replace local changes.
    @Test(arguments: [true, false], [7, "x", [], true, 1e300, ["OVERWRITE"]] as [JSONValue])
    func `A sync with a damaged merge mode does not run`(isMode: Bool, value: JSONValue) async throws {
        let world = try await World()
        world.fill(2)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        let text = try (isMode ? ["mergeMode": value] : value).jsonText()
        try await world.store.write { writer in
            let stamp = RecordBatch.Stamp().setting("options", text)
            _ = try writer.stamp([EntryStamp(id: 1, stamp: stamp)], in: "syncs_soup")
        }
        await #expect { _ = try await world.manager.reSync(named: "down") } throws: {
            ($0 as? SoupError)?.message.hasPrefix("row 1 of syncs_soup has unusable options: ") == true
        }
        #expect(world.server.log == [])
    }

    @Test(
        arguments: [
            "failures", "count", "since", "totalSize", "serverTime", "from", "highest", "lowestSkipped", "cursor",
        ], extremes)
    func `A damaged resume point does not end the process`(key: String, number: JSONValue) async throws {
        let world = try await World()
        world.fill(3)
        world.server.with { $0.onPage = { if $0 == 2 { throw SoupError(.server, "no") } } }
        _ = try await world.manager.create(world.down("down", ["pageSize": 1]))
        try await world.run("down")
        let row = try await world.store.retrieve([1], from: "syncs_soup")[0].stored.value
        var resume = try #require(row["resume"])
        resume[key] = number
        let text = try resume.jsonText()
        try await world.store.write { writer in
            _ = try writer.stamp(
                [EntryStamp(id: 1, stamp: RecordBatch.Stamp().setting("resume", text))], in: "syncs_soup")
        }
        // The run fails once more, which is counted; then it finishes.
        world.server.with { state in
            state.onPage = { if $0 == 3 { throw SoupError(.server, "no") } }
        }
        expect(try await world.run("down").last?.prefix(6), "FAILED")
        expect(try await world.run("down").last?.prefix(8), "DONE 100")
        expect(try await world.entries().count, 3)
    }

    @Test(arguments: [Int.max, Int.min, -1, 0, 1, 7])
    func `A false total of the server does no harm`(total: Int) async throws {
        let world = try await World()
        world.fill(3)
        let target: JSONValue = ["pageSize": 1, "falseTotal": .int(Int64(total))]
        _ = try await world.manager.create(world.down("down", target))
        let lines = try await world.run("down")
        #expect(lines.last == "DONE 100/3")
        if total == 7 { #expect(lines.contains("RUNNING 28/7")) }
        expect(try await world.syncs(), ["1 down DONE 100/3 mark > +3s"])
    }

    @Test(.timeLimit(.minutes(15)), arguments: [1, 2, 3])
    func `A loop of pages ends the run`(length: Int) async throws {
        let world = try await World()
        world.fill(6)
        _ = try await world.manager.create(
            world.down("down", ["pageSize": 1, "loopsAfter": .int(Int64(length))]))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.state.status == .failed)
        #expect(result.error?.code == "badTarget")
        // The first page, then each page of the loop once.
        #expect(world.server.log.count == 1 + length)
    }

    @Test func `A loop is found after the visited cursors were emptied`() {
        var visited = VisitedCursors()
        for number in 0..<VisitedCursors.limit { _ = visited.insert(PageCursor("\(number)")) }
        let isNew = ["a", "b", "a"].map { visited.insert(PageCursor($0)) }
        #expect(isNew == [true, true, false])
    }
}
