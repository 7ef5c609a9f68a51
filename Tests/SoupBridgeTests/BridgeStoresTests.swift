// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@testable import SoupBridge

@Suite struct BridgeStoresTests {
    /// Calls the store service of a bridge over one open store, `drafts`, and returns the answer as text.
    private func call(_ action: String, _ arguments: String, in world: BridgeWorld) async throws -> String {
        let stores = OpenStores([BridgeStoreName("drafts"): try await world.stores.open(BridgeStoreName())])
        let call = BridgeCall(service: BridgeWorld.store, action: action, arguments: try JSONText(arguments))
        return try await JavaScriptBridge(stores).perform(call, in: "s").answer.json.description
    }

    @Test func `Open stores are used by their names, and not removed`() async throws {
        let world = try await BridgeWorld()
        try await world.registerCats()
        let exists = #"{"storeName":"drafts","soupName":"cats"}"#
        #expect(try await call("pgSoupExists", exists, in: world) == #"{"ok":true}"#)
        #expect(
            try await call("pgGetAllStores", "{}", in: world)
                == #"{"ok":[{"storeName":"drafts","isGlobalStore":false}]}"#)
        #expect(try await call("pgGetAllGlobalStores", "{}", in: world) == #"{"ok":[]}"#)
        let unknown = try await call("pgSoupExists", #"{"soupName":"cats"}"#, in: world)
        #expect(unknown.contains("there is no user store") && unknown.contains("Use one of these: drafts"))
        let removal = try await call("pgRemoveStore", #"{"storeName":"drafts"}"#, in: world)
        #expect(removal.contains("JavaScript cannot remove it"))
        #expect(try await call("pgRemoveStore", #"{"storeName":"other"}"#, in: world) == #"{"ok":true}"#)
        #expect(try await call("pgSoupExists", exists, in: world) == #"{"ok":true}"#)
    }

    #if Encryption
        @Test func `Named stores are encrypted as configured`() async throws {
            let world = try await BridgeWorld([
                "userstore.json": #"{"soups": [], "backend": {"type": "sqlite", "encryption": {"key": "file"}}}"#
            ])
            for name in ["defaultStore", "private"] {
                let store = #""storeName":"\#(name)","soupName":"cats""#
                let indexes = #"[{"path":"Name","type":"string"}]"#
                #expect(try await world.store("pgRegisterSoup", "{\(store),\"indexes\":\(indexes)}").hasPrefix("ok"))
                let entries = #"{\#(store),"externalIdPath":"Name","entries":[{"Name":"plainvalue"}]}"#
                #expect(try await world.store("pgUpsertSoupEntries", entries).hasPrefix("ok"))
            }
            for file in try FileManager.default.contentsOfDirectory(at: world.folder, includingPropertiesForKeys: nil) {
                #expect(try Data(contentsOf: file).range(of: Data("plainvalue".utf8)) == nil, "\(file)")
            }
            #expect(try await world.store("pgRemoveStore", #"{"storeName":"private"}"#) == "ok true")
            let names = try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
            #expect(names.filter { $0.contains("private") && !$0.hasSuffix("-syncs") } == [])
        }
    #endif
}
