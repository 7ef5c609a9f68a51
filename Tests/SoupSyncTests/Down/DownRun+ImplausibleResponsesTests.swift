// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync downs with implausible responses of the server.
@Suite struct DownRunImplausibleResponsesTests {
    @Test(
        arguments: [
            (24, 100, nil), (2, 100, nil), (24, 1, nil), (24, 1, 4), (2, 1, nil),
        ] as [(Int, Int, Int?)])
    func `A run with a wrong number of records fails`(announced: Int, pageSize: Int, now: Int?) async throws {
        var target: JSONObject = [
            "isExact": true, "falseTotal": .int(Int64(announced)), "pageSize": .int(Int64(pageSize)),
        ]
        target["currentCount"] = now.map { .int(Int64($0)) }
        let world = try await World.withRecords(3, target)
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
        let world = try await World.withRecords(
            3, ["isExact": true, "falseTotal": 5, "pageSize": 1, "currentCount": 3])
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

    @Test func `A stamped date raises the mark`() async throws {
        let world = try await World.withRecords(3, ["stampsDates": true])
        expect(try await world.run("down").last, "DONE 100/3")
        expect(try await world.syncs(), ["1 down DONE 100/3 mark > +0s"])
    }

    /// Without the server's time, the mark is at most one day after the time of the device.
    @Test func `A date far in the future does not raise the mark`() async throws {
        let world = try await World.withRecords(2, ["reportsTime": false])
        world.server.put("z", ["Name": "far"], at: 253_370_764_800_000)
        world.server.put("y", ["Name": "near"], at: Moment.after(3600))
        try await world.run("down")
        expect(try await world.syncs(), ["1 down DONE 100/4 mark >= +3600s"])
        world.clock.advance(by: .seconds(7200))
        world.server.put("r10", ["Name": "changed"])
        #expect(try await world.manager.reSync(named: "down").result.saved == 1)
    }
}
