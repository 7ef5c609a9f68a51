// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

@Suite struct SyncConnectionTests {
    private func sync(_ connection: String?) -> SyncDefinition {
        var target: JSONObject = ["type": "fakeList"]
        target["connection"] = connection.map { .string($0) }
        return SyncDefinition(
            name: "list", type: .syncDown, soup: "contacts", target: TargetReference(.object(target)),
            options: SyncOptions(mergeMode: .overwrite))
    }

    @Test func `A target uses the connection that it names`() async throws {
        let world = try await World()
        let other = FakeServer(clock: world.clock)
        world.server.put("a", ["Name": "Ann"])
        other.put("b", ["Name": "Bob"])
        let manager = try await SyncManager(
            backend: world.backend, registry: World.registry(), connection: SyncConnection(transport: world.server),
            connections: ["crm": SyncConnection(transport: other)], clock: world.clock)
        _ = try await manager.create(sync("crm"))
        _ = try await manager.reSync(named: "list").result
        #expect(try await world.entries().map { $0.prefix(3) } == ["1 b"])
        #expect(world.server.log == [])
    }

    @Test func `An unknown connection is an error that names the known`() async throws {
        let world = try await World()
        let manager = try await SyncManager(
            backend: world.backend, registry: World.registry(), connection: SyncConnection(transport: world.server),
            connections: ["crm": SyncConnection(transport: world.server)], clock: world.clock)
        let all = SyncConnections(
            standard: SyncConnection(transport: world.server), named: ["b": SyncConnection(transport: world.server)],
            limit: 1, clock: world.clock)
        let error = await #expect(throws: SoupError.self) {
            try await all["x"].transport.send(
                HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/"), body: nil)
        }
        #expect(error?.description.contains("there is no connection \"x\". Known: b.") == true)
        _ = try await manager.create(sync("x"))
        let result = try await manager.reSync(named: "list").result
        #expect(result.state.status == .failed)
    }
}
