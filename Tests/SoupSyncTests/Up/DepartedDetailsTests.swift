// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupTesting
import Testing

@testable import SoupSync

/// Details that were moved away from parents which are then deleted.
@Suite struct DepartedDetailsTests {
    private let refusal = PushFailure(code: "NO", message: "no")

    /// Lets the server refuse updates of children.
    private func refuseUpdates(in world: World) {
        let (server, refusal) = (world.server, refusal)
        server.with {
            $0.onPush = { _, changes in
                guard changes.contains(where: { $0.children.contains { $0.kind == .update } }) else { return nil }
                return changes.map { change in
                    var outcome = PushOutcome.skipped
                    outcome.children = change.children.map { _ in .failed(refusal) }
                    return outcome
                }
            }
        }
    }

    @Test(arguments: [RecordLayout.Relationship.masterDetail, .lookup])
    func `A deletion waits for a refused move of a detail`(relationship: RecordLayout.Relationship) async throws {
        let world = try await World.withTwoTrees(relationship: relationship)
        try await world.move("p1c1", under: "p2")
        try await world.delete("p1", in: "accounts")
        refuseUpdates(in: world)
        let waits = relationship == .masterDetail
        let outcome = waits ? "failed MOVED_CHILDREN" : "ok"
        expect(
            try await world.run("treeUp"),
            [
                "RUNNING 0/-1", "RUNNING 0/2", "update 1 p1c1 failed NO", "RUNNING 50/2",
                waits ? "RUNNING 50/2" : nil, "delete 1 p1 \(outcome)", "DONE 100/2",
            ].compactMap(\.self))
        expect(
            try await world.entries(of: "accounts"),
            (waits ? [#"1 p1 {"Name":"p1"} +0s local+deleted sync 1 error MOVED_CHILDREN"#] : [])
                + [#"2 p2 {"Name":"p2"} +0s clean sync 1"#])
        world.server.with { $0.onPush = nil }
        try await world.run("treeUp")
        #expect(try await world.entries(of: "accounts") == [#"2 p2 {"Name":"p2"} +0s clean sync 1"#])
        #expect(world.server.dump.contains(#"p1c1 under p2 {"Name":"p1c1"} +20s"#))
    }

    /// The user wants neither; the server deletes them together.
    @Test(arguments: [false, true])
    func `A moved detail that is deleted does not count`(isMoved: Bool) async throws {
        let world = try await World.withTwoTrees()
        try await world.move("p1c1", under: "p2")
        if isMoved { try await world.delete("p2", in: "accounts") } else { try await world.delete("p1c1") }
        try await world.delete("p1", in: "accounts")
        world.server.clearLog()
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect(result.failed == 0 && !world.server.log.isEmpty)
        #expect(try await world.entries(of: "accounts").allSatisfy { $0.contains("clean") })
        #expect(try await world.entries().allSatisfy { $0.contains("clean") && !$0.contains("p1c1") })
    }

    /// Each deletion would wait for the other one.
    @Test func `Details that were exchanged between deletions do not count`() async throws {
        let world = try await World.withTwoTrees()
        try await world.move("p1c1", under: "p2")
        try await world.move("p2c1", under: "p1")
        for parent in ["p1", "p2"] { try await world.delete(parent, in: "accounts") }
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect([result.deleted, result.failed] == [4, 0])
        #expect(try await world.entries(of: "accounts") + world.entries() == [])
    }

    /// The server has accepted the move, so only the later edit is left to push.
    @Test func `A detail that is edited during its move does not count`() async throws {
        let world = try await World.withTwoTrees()
        try await world.move("p1c1", under: "p2")
        try await world.delete("p1", in: "accounts")
        world.server.with {
            $0.onPush = { number, _ in
                if number == 1 { try await world.edit("p1c1", "later") }
                return nil
            }
        }
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect([result.updated, result.deleted, result.failed] == [1, 1, 0])
    }

    /// Without synced copies, each changed detail may have been below the deleted parent.
    @Test(arguments: [false, true])
    func `Without copies, a deletion waits for all changed details`(isRefused: Bool) async throws {
        let world = try await World.withTwoTrees()
        world.backend.controls.endProcess()
        let manager = try await world.another(over: CopylessStore(world.backend.base))
        try await world.edit("p2c1", "mine")
        try await world.delete("p1", in: "accounts")
        if isRefused { refuseUpdates(in: world) }
        let result = try await manager.reSync(named: "treeUp").result
        #expect([result.updated, result.deleted, result.failed] == (isRefused ? [0, 0, 2] : [1, 1, 0]))
    }

    @Test func `The failure names the details`() {
        let keys = (1...5).map { EntryKey(soup: "contacts", id: $0) }
        let message = PushFailure.movedDetails(Set(keys)).message
        #expect(
            message.hasPrefix(
                "the server would also delete entry 1 of soup \"contacts\", entry 2 of soup \"contacts\", entry 3 of soup "
                    + "\"contacts\" and 2 others"))
    }
}
