// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

@Suite struct ImpossibleIdsTests {
    @Test func `An impossible ID is not requested but reported`() async throws {
        let world = try await World.withRecords(2, ["impossibleIdPrefix": "x"])
        world.server.put("x'1", ["Name": "odd"])
        try await world.run("down")
        world.server.remove("r10")
        world.server.remove("x'1")
        world.server.clearLog()
        let cleaning = try await world.manager.cleanGhosts(named: "down")
        #expect(world.server.log == ["which of r10 r11"])
        #expect(cleaning.count == 1 && cleaning.removedBySoup == ["contacts": 1])
        let odd = try #require(cleaning.leftOut.first)
        #expect(cleaning.leftOut.count == 1)
        #expect(odd.soup == "contacts" && odd.id == "x'1" && odd.action == .fetch && odd.result == .failed)
        #expect(odd.error?.code == "IMPOSSIBLE_ID")
        #expect(
            odd.error?.message
                == "\"x'1\" cannot be an ID of the server, so its record was not requested: correct the ID of the "
                + "entry, or delete it from the store")
        expect(try await world.entries().map { $0.split(separator: " ")[1] }, ["r11", "x'1"])
    }
}
