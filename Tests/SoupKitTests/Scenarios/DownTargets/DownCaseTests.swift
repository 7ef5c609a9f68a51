// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// The mobile SDKs' test cases for these sync-down targets, each with its ID.
@Suite struct DownCaseTests {
    @Test func `D 17: A record that the search no longer finds is a ghost`() async throws {
        let world = try await DownWorld(.sosl)
        _ = try await world.run()
        #expect(try await world.entry("a4") != nil)
        try world.delete("a4")
        world.transport.hold(nil)
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        #expect(world.transport.requests == ["GET search"])
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `D 19: A refresh fetches the records in slices`() async throws {
        let world = try await DownWorld(.refresh(2))
        #expect(
            try await world.progress() == [
                "RUNNING 0/-1", "RUNNING 0/10", "RUNNING 20/10", "RUNNING 40/10", "RUNNING 60/10", "RUNNING 80/10",
                "DONE 100/10",
            ])
        #expect(world.transport.requests == Array(repeating: "GET query", count: 5))
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// The mobile SDKs report progress relative to all rows of the soup; here the number of changed records is unknown.
    @Test func `D 20: A later refresh fetches only changed records`() async throws {
        let world = try await DownWorld(.refresh(1))
        _ = try await world.run()
        world.transport.hold(nil)
        try world.edit("a1", "a3", to: "changed")
        #expect(try await world.progress() == ["RUNNING 0/-1", "DONE 100/2"])
        #expect(world.transport.requests.count == 10)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `An ID that is added later is filled from its old record`() async throws {
        let world = try await DownWorld(.refresh)
        let late = try #require(try await world.entry("a2"))
        let id = try #require(late["Id"])
        try await world.kit.store.remove([late.id], from: "accounts")
        _ = try await world.run()
        try await world.kit.store.upsert(["Id": id], into: "accounts")
        #expect(try await world.storeLines() != world.orgLines())
        #expect(try await world.run().saved == 1)
        #expect(try await world.storeLines() == world.orgLines())
        world.transport.hold(nil)
        #expect(try await world.run().saved == 0)
        #expect(world.transport.requests.count == 4, "as many slices as without the added ID")
    }

    @Test func `D 21: A record deleted on the server is a ghost`() async throws {
        let world = try await DownWorld(.refresh)
        _ = try await world.run()
        try world.delete("a1")
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `D 25: Descriptions have no ghosts`() async throws {
        let targets = [
            #"{"type": "metadata", "sobjectType": "Account"}"#,
            #"{"type": "layout", "sobjectType": "Account", "formFactor": "Medium", "layoutType": "Compact", "mode": "Edit"}"#,
        ]
        for (target, id) in zip(targets, ["Account", "Account-Medium-Compact-Edit-null"]) {
            let world = try await DownWorld(DownScenario(testDescription: "", target: target, levels: []))
            #expect(try await world.progress() == ["RUNNING 0/-1", "RUNNING 0/1", "DONE 100/1"])
            let entries = try await world.kit.store.query(.all("accounts")).entries
            #expect(entries.map { $0["Id"] } == [.string(id)])
            #expect(entries[0]["__local__"] == false)
            let again = try await world.run()
            #expect(again.saved == 0 && again.unchanged == 1)
            world.transport.hold(nil)
            #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 0)
            #expect(world.transport.requests == [])
            #expect(try await world.kit.store.query(.all("accounts")).entries == entries)
        }
    }

    @Test func `D 27: A briefcase fetches its records`() async throws {
        let world = try await DownWorld(.briefcase(2000, objects: 1), accounts: 12, briefcasePageSize: 100)
        #expect(try await world.progress() == ["RUNNING 0/-1", "RUNNING 0/12", "DONE 100/12"])
        #expect(
            world.transport.requests == [
                "GET connect/briefcase/priming-records", "POST composite/sobjects/Account",
            ])
        let body = try #require(world.org.journal.last { $0.method == "POST" }?.body)
        let json = try JSONValue(parsing: body)
        #expect(json["ids"]?.arrayValue?.count == 12)
        #expect(json["fields"] == ["Name", "Description", "Id", "LastModifiedDate"])
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `D 28: A later run fetches only changed records`() async throws {
        let world = try await DownWorld(.briefcase(2000, objects: 1), accounts: 12)
        _ = try await world.run()
        let start = world.clock.milliseconds - 600_000
        try world.edit("a1", "a2", "a3", "a4", "a5", "a6", to: "newer")
        #expect(try await world.run().saved == 6)
        let last = try #require(
            world.org.journal.last { $0.path.contains("priming-records") && !$0.path.contains("relayToken") })
        // The time is that of the first run less the lookback; the server excludes it.
        #expect(last.path.contains("changedAfterTimestamp=\(DateText.format(start - 1, zone: "Z"))"))
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `D 30: A briefcase of two objects is fetched in slices`() async throws {
        let world = try await DownWorld(.briefcase(3), accounts: 12, briefcasePageSize: 100)
        #expect(
            try await world.progress()
                == ["RUNNING 0/-1"] + [0, 12, 25, 37, 50, 62, 75, 87].map { "RUNNING \($0)/24" } + ["DONE 100/24"])
        #expect(world.transport.requests.filter { $0.hasPrefix("POST") }.count == 8)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `D 31: A briefcase of one object is fetched in slices`() async throws {
        let world = try await DownWorld(.briefcase(2, objects: 1), accounts: 12, briefcasePageSize: 100)
        let progress = try await world.progress()
        // The server's list also contains contacts, which the target ignores.
        #expect(progress == ["RUNNING 0/-1"] + [0, 16, 33, 50, 66, 83].map { "RUNNING \($0)/12" } + ["DONE 100/12"])
        #expect(world.transport.requests.filter { $0.hasPrefix("POST") }.count == 6)
    }

    @Test func `D 33: Ghosts of two objects are removed`() async throws {
        let world = try await DownWorld(.briefcase, accounts: 4)
        _ = try await world.run()
        try world.delete("a1", "a2", "c3", "c4")
        try await world.kit.store.create(["Name": "New"], type: "Account", in: "accounts")
        try await world.kit.store.create(["LastName": "New"], type: "Contact", in: "contacts")
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 4)
        let lines = try await world.storeLines()
        #expect(lines.filter { $0.contains("__local__") }.count == 2)
        #expect(lines.filter { !$0.contains("__local__") } == (try world.orgLines()))
    }

    @Test func `D 33: All records of a removed object are ghosts`() async throws {
        let world = try await DownWorld(.briefcase, accounts: 2)
        _ = try await world.run()
        try world.delete("c1", "c2")
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 2)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `D 34: Locally deleted entries are skipped`() async throws {
        let world = try await DownWorld(.briefcase, accounts: 4)
        _ = try await world.run()
        for key in ["a1", "a2"] {
            try await world.kit.store.delete(try #require(try await world.entry(key)).id, in: "accounts")
        }
        for key in ["c1", "c2"] {
            try await world.kit.store.delete(try #require(try await world.entry(key)).id, in: "contacts")
        }
        let before = try await world.storeLines()
        _ = try await world.kit.syncs.redefine(
            try #require(try await world.kit.syncs.status(named: "down")).definition)
        let result = try await world.run()
        #expect(result.skipped == 4)
        #expect(result.unchanged == 4)
        #expect(try await world.storeLines() == before)
    }

    @Test func `D 35: All pages of a large list are fetched`() async throws {
        let world = try await DownWorld(
            .briefcase(2000, objects: 1), accounts: 1500, briefcasePageSize: 1000)
        let result = try await world.run()
        #expect(result.saved == 1500)
        #expect(result.state.progress == 100 && result.state.totalSize == 1500)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `D 36: Records deleted before they are fetched are omitted`() async throws {
        let world = try await DownWorld(.briefcase(2000, objects: 1), accounts: 4, briefcasePageSize: 100)
        world.transport.hold(2)
        world.clock.advance(by: .seconds(10))
        let run = try await world.kit.syncs.reSync(named: "down")
        await world.transport.arrived()
        try world.delete("a2")
        world.transport.release()
        let result = await run.result
        #expect(result.state.status == .done && result.saved == 3)
        #expect(try await world.storeLines() == world.orgLines())
    }
}
