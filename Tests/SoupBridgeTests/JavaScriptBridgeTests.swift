// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupSync
import SoupTesting
import Testing

@testable import SoupBridge

@Suite struct JavaScriptBridgeTests {
    @Test func `An unknown service is an error with the known ones`() async throws {
        let world = try await BridgeWorld()
        let answer = try await world.call("com.salesforce.oauth", "getAuthCredentials")
        #expect(answer.hasPrefix("error \"Class not found"))
        #expect(answer.contains("com.salesforce.mobilesync, com.salesforce.network"))
        let info = try BridgeWorld.value(try await world.call("com.salesforce.sdkinfo", "getInfo"))
        #expect(info["sdkVersion"] == "14.0.0")
        #expect(
            try await world.call("com.salesforce.sdkinfo", "registerAppFeature", with: #"{"feature":"SJ"}"#) == "ok -")
    }

    @Test(arguments: ["", "a b", "ü", String(repeating: "x", count: 129)])
    func `The identifier of a session is checked`(session: String) async throws {
        let world = try await BridgeWorld()
        await #expect { try await world.store("pgGetAllStores", in: session) } throws: {
            ($0 as? SoupError)?.code == .badArgument
        }
        #expect(world.bridge.sessionCount == 0)
    }

    @Test func `Sessions are limited, and idle ones end`() async throws {
        let world = try await BridgeWorld(limits: .init(sessions: 2, idleTime: .seconds(60)))
        let first = try world.bridge.events(of: "a")
        let events = try world.bridge.events(of: "b")
        await #expect { try await world.store("pgGetAllStores", in: "c") } throws: {
            ($0 as? SoupError)?.code == .tooManySessions
        }
        world.bridge.end(first, of: "a")
        // A session that is not used makes room for another one.
        for session in ["c", "d"] { _ = try await world.store("pgGetAllStores", in: session) }
        #expect(world.bridge.sessionCount == 2)
        world.clock.advance(by: .seconds(61))
        world.bridge.end(events, of: "b")
        #expect(world.bridge.sessionCount == 1)
        // The session "d" was idle.
        _ = try await world.store("pgGetAllStores", in: "e")
        #expect(world.bridge.sessionCount == 1)
        world.bridge.close()
        #expect(world.bridge.sessionCount == 0)
    }

    @Test func `A late call does not begin an ended session again`() async throws {
        let world = try await BridgeWorld()
        let events = try world.bridge.events(of: "a")
        world.bridge.end(events, of: "a")
        await #expect { try await world.store("pgGetAllStores", in: "a") } throws: {
            "\($0)".contains("the session has ended")
        }
        #expect(world.bridge.sessionCount == 0)
        _ = try world.bridge.events(of: "a")
        #expect(try await world.store("pgGetAllStores", in: "a").hasPrefix("ok "))
    }

    @Test func `A session that ends cancels its calls`() async throws {
        let world = try await BridgeWorld()
        try await world.registerCats()
        let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r"
        let call = Task {
            try await world.store(
                "pgRunSmartQuery", #"{"querySpec":{"queryType":"smart","smartSql":"\#(endless)","pageSize":1}}"#,
                in: "a")
        }
        while world.bridge.sessionCount < 2 { await Task.yield() }
        world.bridge.end(session: "a")
        #expect(try await call.value.hasPrefix("error "))
    }

    @Test func `A session closes the cursor that was used longest ago`() async throws {
        let world = try await BridgeWorld(limits: .init(cursors: 2))
        try await world.registerCats()
        try await world.insertCats("a", "b")
        let query = #"{"soupName":"cats","querySpec":{"queryType":"range","indexPath":"Name","pageSize":1}}"#
        func move(_ cursor: Int) async throws -> Bool {
            try await world.store("pgMoveCursorToPageIndex", #"{"cursorId":"\#(cursor)","index":1}"#).hasPrefix("ok ")
        }
        _ = try await world.store("pgQuerySoup", query)
        _ = try await world.store("pgQuerySoup", query)
        #expect(try await move(1))
        _ = try await world.store("pgQuerySoup", query)
        #expect(try await [move(1), move(2), move(3)] == [true, false, true])
    }

    @Test func `Events follow the answer and go to their session only`() async throws {
        let world = try await BridgeWorld()
        _ = try await world.store(
            "pgRegisterSoup", #"{"soupName":"accounts","indexes":[{"path":"Id","type":"string"}]}"#)
        let (own, other) = (try world.bridge.events(of: "own"), try world.bridge.events(of: "other"))
        let call = BridgeCall(
            service: BridgeWorld.sync, action: "syncDown",
            arguments: try JSONText(
                #"{"soupName":"accounts","target":{"type":"soql","query":"SELECT Id FROM Account"}}"#))
        let reply = try await world.bridge.perform(call, in: "own")
        let manager = try #require(try await world.stores.open(BridgeStoreName()).syncs)
        await manager.ended()
        // The sync has ended, and the client does not have the answer yet.
        #expect(own.queue.isEmpty)
        reply.delivered()
        var statuses: [JSONValue?] = []
        for await event in own {
            statuses.append(event.value["status"])
            if statuses.last != "RUNNING" { break }
        }
        #expect(statuses.first == "RUNNING" && statuses.last == "DONE")
        #expect(other.queue.isEmpty)
    }

    @Test func `A session that ends stops its syncs and closes its cursors`() async throws {
        let transport = StalledTransport()
        let world = try await BridgeWorld { _ in transport }
        try await world.registerCats()
        try await world.insertCats("a", "b")
        _ = try world.bridge.events(of: "page")
        _ = try await world.store(
            "pgQuerySoup", #"{"soupName":"cats","querySpec":{"queryType":"range","indexPath":"Name","pageSize":1}}"#,
            in: "page")
        _ = try await world.sync(
            "syncDown", #"{"soupName":"cats","target":{"type":"soql","query":"SELECT Id FROM Account"}}"#, in: "page")
        await transport.arrived.waitUncancelled()
        world.bridge.end(session: "page")
        let syncs = try #require(try await world.stores.open(BridgeStoreName()).syncs)
        await syncs.ended()
        #expect(try await syncs.syncs().map(\.status) == [.stopped])
        // The client opens its events again: its cursors are gone.
        _ = try world.bridge.events(of: "page")
        let answer = try await world.store("pgMoveCursorToPageIndex", #"{"cursorId":"1","index":1}"#, in: "page")
        #expect(answer.hasPrefix("error \"Invalid cursor id"))
    }

    @Test func `The end of replaced events does not end the session`() async throws {
        let world = try await BridgeWorld()
        let first = try world.bridge.events(of: "page")
        let second = try world.bridge.events(of: "page")
        let iterator = first.makeAsyncIterator()
        #expect(await iterator.next() == nil)
        world.bridge.end(first, of: "page")
        #expect(world.bridge.sessionCount == 1)
        world.bridge.end(second, of: "page")
        #expect(world.bridge.sessionCount == 0)
    }

    @Test func `A stopped sync sends an event with STOPPED`() async throws {
        let transport = StalledTransport()
        let world = try await BridgeWorld { _ in transport }
        try await world.registerCats()
        let events = try world.bridge.events(of: "page")
        _ = try await world.sync(
            "syncDown", #"{"soupName":"cats","target":{"type":"soql","query":"SELECT Id FROM Account"}}"#, in: "page")
        await transport.arrived.waitUncancelled()
        // Another client removes the store.
        #expect(try await world.store("pgRemoveStore", in: "other") == "ok true")
        var statuses: [String?] = []
        for await event in events {
            statuses.append(event.value["status"]?.stringValue)
            if statuses.last != "RUNNING" { break }
        }
        #expect(statuses.first == "RUNNING" && statuses.last == "STOPPED")
    }
}
