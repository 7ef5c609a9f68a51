// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupSync
import SoupTesting

extension World {
    /// A world with a contact on both sides and syncs with MERGE.
    static func withMerge(_ resolver: String? = nil, _ target: JSONValue = [:]) async throws -> World {
        let world = try await World()
        world.server.put("ann", ["Name": "Ann", "Phone": "1", "City": "Oslo"])
        world.clock.advance(by: .seconds(10))
        for var definition in [world.down("down"), world.up("up", target)] {
            definition.options = SyncOptions(
                mergeMode: .merge,
                conflictResolver: resolver.map {
                    ResolverReference(["type": "fakeResolver", "answer": .string($0)])
                })
            _ = try await world.manager.create(definition)
        }
        try await world.run("down")
        world.server.clearLog()
        world.clock.advance(by: .seconds(10))
        return world
    }

    /// Edits the contact as an app does.
    func editContact(_ fields: JSONObject) async throws {
        try await store.edit(1, setting: fields, in: "contacts")
    }

    /// Changes the contact on the server as another client does, then advances the clock.
    func editContactRemotely(_ fields: JSONObject) {
        server.put("ann", fields)
        clock.advance(by: .seconds(10))
    }

    /// Returns the line of the contact's synced copy; nil if there is none.
    func contactBase() async throws -> String? {
        try await store.read { try $0.syncedCopies(of: [1], in: "contacts")[1] }.map {
            "\(SoupEntry(id: 1, version: 0, stored: $0).line)"
        }
    }
}
