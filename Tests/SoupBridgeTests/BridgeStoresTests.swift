// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

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
}
