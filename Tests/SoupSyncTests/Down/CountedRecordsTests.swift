// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The counts of a run whose server returns a record more than once.
@Suite struct CountedRecordsTests {
    /// The cursor expires after two pages, when a saved record has changed.
    @Test func `A record that is fetched twice is counted once`() async throws {
        let world = try await World()
        world.fill(3)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1, "isSorted": false]))
        let server = world.server
        server.with { state in
            state.onPage = { number in
                guard number == 3 else { return }
                server.put("r1", ["Name": "changed"])
                server.expireCursors()
            }
        }
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.state.status == .done)
        #expect([result.saved, result.unchanged, result.savedBySoup["contacts"]] == [3, 0, 3])
        #expect(try await world.entries().count == 3)
    }

    @Test func `A record is identified by its level and ID`() {
        let counted = CountedRecords()
        #expect(counted.isNew("a", level: 0) && counted.isNew("a", level: 1) && counted.isNew(Int64(1), level: 0))
        #expect(!counted.isNew("a", level: 0) && !counted.isNew(Int64(1), level: 0))
        #expect(counted.isNew(nil as String?, level: 0) && counted.isNew(nil as String?, level: 0))
        #expect(!counted.isFull)
    }
}
