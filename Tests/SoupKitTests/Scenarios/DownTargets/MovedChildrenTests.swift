// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

@testable import SoupSync

/// Children that got another parent, with which they leave the conditions of the sync, although they have not changed
/// since.
///
/// The store still has them below the parent that they had before.
@Suite struct MovedChildrenTests {
    private func world() async throws -> DownWorld {
        let world = try await DownWorld(DepartureTests.tree)
        for _ in 1...2 {
            #expect(try await world.run().state.status == .done)
            world.clock.advance(by: .seconds(3600))
        }
        return world
    }

    /// Moves the second contact to the fourth account.
    private func move(in world: DownWorld, taking time: Duration = .zero) throws {
        try world.org.edit("Contact", id: world.id("c2"), ["AccountId": .string(world.id("a4"))], taking: time)
    }

    /// Lets the fourth account leave the conditions, and expects the store to have only the records that match.
    private func expectDeparture(in world: DownWorld) async throws {
        try world.org.edit("Account", id: world.id("a4"), ["Name": "Other"])
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.matching())
        #expect(try await world.entry("c2") == nil)
    }

    /// Edits the fourth account, so that sync downs skip its tree.
    private func block(_ world: DownWorld) async throws -> Int64 {
        let parent = try #require(try await world.entry("a4"))
        try await world.kit.store.edit(parent.id, setting: ["Description": "mine"], in: "accounts")
        return parent.id
    }

    /// The sync has skipped the child because of local changes in the tree of its new parent.
    @Test(arguments: [false, true]) func `A skipped child leaves with its new parent`(isRetried: Bool) async throws {
        let world = try await DownWorld(DepartureTests.tree)
        for _ in 1...2 {
            #expect(try await world.run().state.status == .done)
            world.clock.advance(by: .seconds(3600))
        }
        let parent = try #require(try await world.entry("a4"))
        try await world.kit.store.edit(parent.id, setting: ["Description": "mine"], in: "accounts")
        try world.org.edit("Contact", id: world.id("c2"), ["AccountId": .string(world.id("a4"))])
        for _ in 1...2 {
            #expect(try await world.run().skipped > 0)
            world.clock.advance(by: .seconds(3600))
        }
        _ = try await world.kit.syncs.discardChanges(of: [parent.id], in: "accounts")
        try world.org.edit("Account", id: world.id("a4"), ["Name": "Other"])
        if isRetried {
            // The query ends, and the cleaning fails.
            world.org.add(OrgFault(.http(status: 500), path: "/deleted", count: 1))
            #expect(try await world.run().state.status == .failed)
            world.clock.advance(by: .seconds(3600))
        }
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.matching())
        #expect(try await !world.storeLines().contains { $0.contains(world.id("c2")) })
    }

    /// A cleaning without a run fetches no records.
    @Test(arguments: [false, true]) func `A child leaves after a cleaning without a run`(isComplete: Bool) async throws
    {
        let world = try await world()
        try move(in: world)
        world.clock.advance(by: .seconds(3600))
        let cleaned = try await world.kit.syncs.cleanResyncGhosts(named: "down", completely: isComplete)
        #expect(cleaned == 0)
        world.clock.advance(by: .seconds(3600))
        try await expectDeparture(in: world)
    }

    /// Only the query that looks back has returned the child, which was committed late.
    @Test func `A skipped child leaves after runs without lookback`() async throws {
        let world = try await world()
        let parent = try await block(world)
        try world.edit("c5", to: "changed")
        world.clock.advance(by: .seconds(60))
        #expect(try await world.run().state.status == .done)
        world.clock.advance(by: .seconds(30))
        try move(in: world, taking: .seconds(330))
        world.clock.advance(by: .seconds(600))
        #expect(try await world.run().skipped > 0)
        world.clock.advance(by: .seconds(60))
        let id = try #require(try await world.kit.syncs.status(named: "down")?.id)
        #expect(try await world.kit.syncs.reSync(id: id, skippingLookback: true).result.skipped == 0)
        _ = try await world.kit.syncs.discardChanges(of: [parent], in: "accounts")
        world.clock.advance(by: .seconds(1200))
        try await expectDeparture(in: world)
    }

    /// The first run of a definition fetches all records, and skips the child together with its new parent.
    @Test func `A skipped child leaves after the sync was redefined`() async throws {
        let world = try await world()
        let parent = try await block(world)
        try move(in: world)
        world.clock.advance(by: .seconds(3600))
        let definition = try #require(try await world.kit.syncs.status(named: "down")?.definition)
        _ = try await world.kit.syncs.redefine(definition)
        #expect(try await world.run().skipped > 0)
        world.clock.advance(by: .seconds(7200))
        _ = try await world.kit.syncs.discardChanges(of: [parent], in: "accounts")
        try await expectDeparture(in: world)
    }
}
