// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupLocalOrg
import SoupSync
import SoupTesting
import Testing

@testable import SoupBridge

@Suite struct SyncServiceTests {
    private static let accounts = #"""
        {"soupName":"accounts","indexes":[{"path":"Id","type":"string"},{"path":"Name","type":"string"},
         {"path":"__local__","type":"string"}]}
        """#
    private static let target =
        #"{"type":"soql","query":"SELECT Id, Name, LastModifiedDate FROM Account ORDER BY Name"}"#

    private static func world() async throws -> BridgeWorld {
        let world = try await BridgeWorld()
        _ = try await world.store("pgRegisterSoup", accounts)
        return world
    }

    private static func down(_ options: String = #"{"mergeMode":"OVERWRITE"}"#, name: String = "null") -> String {
        #"{"soupName":"accounts","target":\#(target),"options":\#(options),"syncName":\#(name)}"#
    }

    /// Performs a call that starts a sync, and returns its answer and its events.
    private static func run(
        _ action: String, _ arguments: String, in world: BridgeWorld
    ) async throws -> (answer: JSONValue, events: [JSONValue]) {
        let events = try world.bridge.events(of: "s")
        let answer = try BridgeWorld.value(try await world.sync(action, arguments))
        var seen: [JSONValue] = []
        for await event in events {
            seen.append(event.value)
            if event.value["status"] != "RUNNING" { break }
        }
        return (answer, seen)
    }

    @Test func `A sync down returns its row at once and then its events`() async throws {
        let world = try await Self.world()
        let (answer, events) = try await Self.run("syncDown", Self.down(), in: world)
        #expect([answer["status"], answer["progress"], answer["totalSize"]] == ["RUNNING", 0, -1])
        #expect([answer["isGlobalStore"], answer["storeName"], answer["type"]] == [false, "defaultStore", "syncDown"])
        #expect(events.first?["status"] == "RUNNING")
        let last = try #require(events.last)
        #expect([last["status"], last["progress"]] == ["DONE", 100])
        #expect([last["isGlobalStore"], last["storeName"]] == [false, "defaultStore"])
        #expect(last["_soupEntryId"] == answer["_soupEntryId"])
        let count = try world.org.state(of: "Account").filter { $0["IsDeleted"] != true }.count
        #expect(last["totalSize"] == .int(Int64(count)))
        // The sync stays, although it has no name.
        let id = answer["_soupEntryId"]?.intValue ?? 0
        let status = try BridgeWorld.value(try await world.sync("getSyncStatus", #"{"syncId":\#(id),"syncName":null}"#))
        #expect([status["status"], status["storeName"]] == ["DONE", "defaultStore"])
        let again = try await Self.run("reSync", #"{"syncId":\#(id),"syncName":null}"#, in: world)
        #expect([again.events.last?["status"], again.events.last?["_soupEntryId"]] == ["DONE", .int(id)])
    }

    @Test func `Target and options are returned as they were sent`() async throws {
        let world = try await Self.world()
        let options = #"{"fieldlist":null,"mergeMode":"LEAVE_IF_CHANGED","ownKey":{"a":[1,null]}}"#
        let (answer, events) = try await Self.run("syncDown", Self.down(options), in: world)
        for row in [answer, try #require(events.last)] {
            #expect(row["target"] == (try JSONValue(parsing: Array(Self.target.utf8))))
            for (key, value) in [
                ("fieldlist", .null), ("mergeMode", "LEAVE_IF_CHANGED"), ("ownKey", ["a": [1, .null]]),
            ]
                as [(String, JSONValue)]
            {
                #expect(row["options"]?[key] == value)
            }
        }
    }

    @Test func `A sync up pushes the changes of the page`() async throws {
        let world = try await Self.world()
        _ = try await Self.run("syncDown", Self.down(), in: world)
        _ = try await world.store(
            "pgUpsertSoupEntries",
            #"""
            {"soupName":"accounts","externalIdPath":"Id","entries":[{"Id":"local_0","Name":"New",
             "attributes":{"type":"Account"},"__local__":true,"__locally_created__":true,"__locally_updated__":false,
             "__locally_deleted__":false}]}
            """#)
        let (answer, events) = try await Self.run(
            "syncUp", #"{"soupName":"accounts","target":{},"options":{"fieldlist":["Name"],"mergeMode":"OVERWRITE"}}"#,
            in: world)
        #expect([answer["type"], answer["target"]] == ["syncUp", [:]])
        #expect([events.last?["status"], events.last?["totalSize"]] == ["DONE", 1])
        #expect(try world.org.state(of: "Account").contains { $0["Name"] == "New" })
        let rows = try await world.store(
            "pgRunSmartQuery",
            #"{"querySpec":{"queryType":"smart","smartSql":"SELECT {accounts:__local__} FROM {accounts} WHERE {accounts:Name} = 'New'"}}"#
        )
        #expect(try BridgeWorld.value(rows)["currentPageOrderedEntries"] == [["false"]])
    }

    @Test func `Syncs are found, run, deleted and cleaned by name`() async throws {
        let world = try await Self.world()
        _ = try await Self.run("syncDown", Self.down(name: "\"all\""), in: world)
        let id = try #require(
            try BridgeWorld.value(try await world.sync("getSyncStatus", #"{"syncName":"all"}"#))["_soupEntryId"]?
                .intValue)
        #expect(try await world.sync("syncDown", Self.down(name: "\"all\"")).contains("all"))
        let gone = try #require(world.org.state(of: "Account").first?["Id"]?.stringValue)
        try world.org.delete("Account", id: gone)
        #expect(try await world.sync("cleanResyncGhosts", #"{"syncId":\#(id)}"#) == "ok 1")
        for _ in 1...2 { #expect(try await world.sync("deleteSync", #"{"syncName":"all"}"#) == "ok -") }
        #expect(try await world.sync("getSyncStatus", #"{"syncName":"all"}"#) == "ok {}")
        #expect(try await world.sync("getSyncStatus", #"{"syncId":\#(id)}"#) == "ok {}")
    }

    @Test func `A failed sync ends with its error as an event`() async throws {
        let world = try await Self.world()
        let target = #"{"type":"soql","query":"SELECT Id, Nothing__c FROM Account"}"#
        let (_, events) = try await Self.run(
            "syncDown", #"{"soupName":"accounts","target":\#(target),"options":{}}"#, in: world)
        #expect(events.last?["status"] == "FAILED")
        #expect(events.last?["error"]?.stringValue?.contains("Nothing__c") == true)
    }

    @Test(
        arguments: [
            ("syncDown", #"{"soupName":"accounts","options":{}}"#, "target is missing"),
            ("syncDown", #"{"soupName":"none","target":{"type":"soql","query":"SELECT Id FROM Account"}}"#, "none"),
            ("syncDown", #"{"soupName":"accounts","target":{"type":"sql"}}"#, "sql"),
            ("syncDown", #"{"soupName":"accounts","target":[],"options":{}}"#, "target must be an object, not []"),
            ("syncUp", #"{"soupName":"accounts","options":{"mergeMode":"X"}}"#, "there is no merge mode"),
            ("syncUp", #"{"options":{}}"#, "soupName is missing"),
            ("reSync", #"{"syncId":7}"#, "7"), ("reSync", #"{"syncName":"none"}"#, "none"),
            ("reSync", "{}", "both syncId and syncName are missing"),
            ("getSyncStatus", "{}", "both syncId and syncName are missing"),
            ("cleanResyncGhosts", #"{"syncId":99}"#, "99"),
        ]
    )
    func `Bad arguments are errors and leave no sync`(action: String, arguments: String, message: String) async throws {
        let world = try await Self.world()
        let answer = try await world.sync(action, arguments)
        #expect(answer.hasPrefix("error \"") && answer.contains(message), "\(answer)")
        let syncs = try #require(try await world.stores.open(BridgeStoreName()).syncs)
        #expect(try await syncs.syncs().isEmpty)
    }
}
