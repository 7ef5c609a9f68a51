// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Conflicts in a store without synced copies.
@Suite struct CopylessMergeTests {
    /// A world in which a sync up with LEAVE_IF_CHANGED has skipped three changes.
    ///
    /// Ann is edited on both sides, Bob is edited locally and deleted on the server, and Dan is deleted locally and
    /// edited on the server.
    private func withSkippedChanges() async throws -> (world: World, manager: SyncManager) {
        let world = try await World()
        world.backend.controls.endProcess()
        let manager = try await world.another(over: CopylessStore(world.backend.base))
        for name in ["Ann", "Bob", "Dan"] { world.server.put(name.lowercased(), ["Name": .string(name)]) }
        world.clock.advance(by: .seconds(10))
        _ = try await manager.create(world.down())
        #expect(try await manager.reSync(named: "down").result.saved == 3)
        world.clock.advance(by: .seconds(10))
        for name in ["ann", "bob"] { try await world.edit(name, "mine") }
        try await world.delete("dan")
        for name in ["ann", "dan"] { world.server.put(name, ["Name": "theirs"]) }
        world.server.remove("bob")
        _ = try await manager.create(world.up("up", [:], from: "contacts", mode: .leaveIfChanged))
        #expect(try await manager.reSync(named: "up").result.skipped == 3)
        #expect(try await manager.conflicts().map(\.base) == [nil, nil, nil])
        world.clock.advance(by: .seconds(10))
        return (world, manager)
    }

    @Test func `Resolving as remote keeps the server's versions`() async throws {
        let (world, manager) = try await withSkippedChanges()
        for conflict in try await manager.conflicts() { try await manager.resolveConflict(conflict, as: .remote) }
        #expect(try await manager.conflicts() == [])
        let result = try await manager.reSync(named: "up").result
        #expect(result.skipped == 0 && result.isComplete)
        let theirs = [
            #"1 ann {"Name":"theirs"} +20s clean sync 1"#, #"3 dan {"Name":"theirs"} +20s clean sync 1"#,
        ]
        expect(try await world.entries(), theirs)
        expect(world.server.dump, [#"ann {"Name":"theirs"} +20s"#, #"dan {"Name":"theirs"} +20s"#])
    }

    @Test func `Resolving as local sends the local versions`() async throws {
        let (world, manager) = try await withSkippedChanges()
        for conflict in try await manager.conflicts() { try await manager.resolveConflict(conflict, as: .local) }
        #expect(try await manager.conflicts() == [])
        let result = try await manager.reSync(named: "up").result
        #expect([result.updated, result.created, result.deleted, result.skipped] == [1, 1, 1, 0])
        #expect(try await manager.conflicts() == [])
        let entries = try await world.store.query(.all("contacts")).entries
        #expect(entries.map { $0["Name"] } == ["mine", "mine"])
        #expect(entries.allSatisfy { $0["__local__"] == false })
        #expect(world.server.dump.count == 2 && world.server.dump.allSatisfy { $0.contains(#""Name":"mine""#) })
    }
}
