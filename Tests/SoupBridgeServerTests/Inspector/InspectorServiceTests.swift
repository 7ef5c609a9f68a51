// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupBridge
import SoupCore
import SoupSQLite
import SoupStore
import SoupTesting
import Testing

@testable import SoupBridgeServer

@Suite struct InspectorServiceTests {
    /// An endpoint of the inspector over a store with one soup.
    private struct World {
        let store: SmartStore
        let bridge: JavaScriptBridge

        init(isWritable: Bool = false) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "SoupKitTests-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            store = SmartStore(try await SQLiteStore.open(.init(), in: StoreContext(folder: folder)))
            try await store.registerSoup("cats", [IndexSpec("Name", .string), IndexSpec("__local__", .string)])
            let name = BridgeStoreName()
            bridge =
                BridgeEndpoint.inspector(
                    of: BridgeStore(store: store, syncs: nil), named: name, isWritable: isWritable, secret: "s"
                ).bridge
        }

        func call(_ service: String, _ action: String, with arguments: String = "{}") async throws -> BridgeAnswer {
            let call = BridgeCall(service: service, action: action, arguments: try JSONText(arguments))
            return try await bridge.perform(call, in: "page").answer
        }

        func value(_ action: String, _ arguments: String = "{}") async throws -> JSONValue {
            guard case .value(let value?) = try await call("soupkit.inspector", action, with: arguments) else {
                throw SoupError(.json, "the call failed")
            }
            return value.value
        }
    }

    @Test func `Soups are listed with their sizes and indexes`() async throws {
        let world = try await World()
        _ = try await world.store.create(["Name": "Tom"], in: "cats")
        let overview = try await world.value("overview")
        #expect([overview["isWritable"], overview["storeName"]] == [false, "defaultStore"])
        #expect(overview["databaseSize"]?.intValue ?? 0 > 0)
        let soup = try #require(overview["soups"]?[0])
        #expect([soup["name"], soup["entries"], soup["dirty"], soup["isInternal"]] == ["cats", 1, 1, false])
        #expect(
            soup["indexes"]
                == [["path": "Name", "type": "string"], ["path": "__local__", "type": "string"]])
    }

    @Test func `Local changes are shown with the version before them`() async throws {
        let world = try await World()
        for name in ["a", "b", "c"] {
            try await world.store.upsert(
                ["Id": .string(name), "Name": .string(name), "__local__": false], into: "cats")
        }
        for id in [1, 3] as [Int64] { try await world.store.edit(id, setting: ["Name": "new"], in: "cats") }
        let page = try await world.value("dirty", #"{"soupName":"cats","page":1,"pageSize":1}"#)
        #expect(page["total"] == 2)
        let row = try #require(page["rows"]?[0])
        #expect([row["entry"]?["Name"], row["base"]?["Name"], row["error"]] == ["new", "c", .null])
        #expect(try await world.value("dirty", #"{"soupName":"cats","page":9223372036854775807}"#)["rows"] == [])
    }

    @Test func `Rejected changes are counted, and can be shown alone`() async throws {
        let world = try await World()
        for number in 1...5 {
            let error: JSONValue = number.isMultiple(of: 2) ? "the server refused it" : ""
            try await world.store.upsert(
                ["Name": .string("\(number)"), "__local__": true, "__last_error__": error], into: "cats")
        }
        let all = try await world.value("dirty", #"{"soupName":"cats","pageSize":2}"#)
        #expect([all["total"], all["rejected"]] == [5, 2])
        let page = try await world.value("dirty", #"{"soupName":"cats","rejectedOnly":true,"page":1,"pageSize":1}"#)
        #expect([page["total"], page["rejected"]] == [2, 2])
        #expect(page["rows"]?.arrayValue?.map { $0["entry"]?["Name"] } == ["4"])
    }

    @Test func `A plan shows the index of a query`() async throws {
        let world = try await World()
        let spec = #"{"queryType":"exact","indexPath":"Name","matchKey":"a"}"#
        let plan = try await world.value("plan", #"{"soupName":"cats","querySpec":\#(spec)}"#)
        #expect("\(plan)".contains("INDEX"))
        #expect(try await world.value("syncs") == [])
        #expect(
            try await world.call("soupkit.conflicts", "list") == .value(JSONText.array([])))
    }

    @Test(
        arguments: [
            ("soupkit.conflicts", "discard", #"{"soupName":"cats","entryIds":[1]}"#),
            ("soupkit.conflicts", "resolve", #"{"soupName":"cats","entryId":1,"as":"local"}"#),
            ("com.salesforce.smartstore", "pgClearSoup", #"{"soupName":"cats"}"#),
            (
                "com.salesforce.smartstore", "pgRegisterSoup",
                #"{"soupName":"x","indexes":[{"path":"a","type":"string"}]}"#
            ),
            ("com.salesforce.smartstore", "pgAlterSoup", #"{"soupName":"cats","indexes":[]}"#),
            ("com.salesforce.smartstore", "pgReIndexSoup", #"{"soupName":"cats","paths":["Name"]}"#),
            ("com.salesforce.smartstore", "pgUpsertSoupEntries", #"{"soupName":"cats","entries":[{"Name":"x"}]}"#),
            ("com.salesforce.smartstore", "pgRemoveFromSoup", #"{"soupName":"cats","entryIds":[1]}"#),
            ("com.salesforce.smartstore", "pgRemoveSoup", #"{"soupName":"cats"}"#),
            ("com.salesforce.smartstore", "pgRemoveStore", "{}"),
            ("com.salesforce.smartstore", "pgRemoveAllStores", "{}"),
            ("com.salesforce.smartstore", "pgRemoveAllGlobalStores", "{}"),
            ("com.salesforce.mobilesync", "syncDown", #"{"soupName":"cats","target":{"type":"soql","query":"x"}}"#),
            ("com.salesforce.mobilesync", "syncUp", #"{"soupName":"cats"}"#),
            ("com.salesforce.mobilesync", "reSync", #"{"syncName":"x"}"#),
            ("com.salesforce.mobilesync", "deleteSync", #"{"syncName":"x"}"#),
            ("com.salesforce.mobilesync", "cleanResyncGhosts", #"{"syncName":"x"}"#),
        ]
    )
    func `A read-only inspector changes nothing`(service: String, action: String, arguments: String) async throws {
        let world = try await World()
        _ = try await world.store.create(["Name": "Tom"], in: "cats")
        guard case .error(let error) = try await world.call(service, action, with: arguments) else {
            return #expect(Bool(false), "the call succeeded")
        }
        #expect("\(error)".contains("read-only"))
        #expect(try await world.store.soupNames() == ["cats"])
        #expect(try await world.store.count(.all("cats")) == 1)
    }
}
