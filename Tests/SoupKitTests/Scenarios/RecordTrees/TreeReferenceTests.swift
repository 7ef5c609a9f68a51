// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// The mobile SDKs' tests of accounts and their contacts, with an org.
@Suite struct TreeReferenceTests {
    private let accounts = TreeWorld.accounts
    private let contacts = TreeWorld.contacts

    /// Returns a world with the accounts a1 and so on and the contacts a1c1 and so on, after a sync down.
    private func syncedWorld(_ count: Int = 2, children: Int = 3) async throws -> TreeWorld {
        var world = try await TreeWorld(syncs: TreeMatrixTests.syncs)
        for number in 1...count {
            try world.add("a\(number)", accounts)
            for child in 0..<children { try world.add("a\(number)c\(child + 1)", contacts, under: "a\(number)") }
        }
        try await world.run("down")
        return world
    }

    /// Checks that both sides are equal and have this number of records.
    private func expectEqualSides(_ world: TreeWorld, records: Int) async throws {
        try await world.expectEqualSides()
        #expect(try world.orgLines().count == records)
    }

    // MARK: - Down

    @Test(arguments: [0, 3]) func `A sync down fetches parents and children`(children: Int) async throws {
        let world = try await syncedWorld(children: children)
        #expect(try await world.storeLines().count == 2 + 2 * children)
        try await world.expectEqualSides()
    }

    @Test(arguments: ["a1", "a1c1"]) func `A resync fetches only the changed record`(name: String) async throws {
        let world = try await syncedWorld()
        world.clock.advance(by: .seconds(10))
        try world.editInOrg(name, name == "a1" ? accounts : contacts)
        let result = try await world.run("down")
        // The reference does not fetch changed children of unchanged parents.
        #expect(result.saved == 1)
        try await world.expectEqualSides()
    }

    /// A child that changed with its parent is fetched with the parent and alone.
    @Test func `A record that is fetched twice is counted once`() async throws {
        let world = try await syncedWorld()
        let first = try #require(try await world.kit.syncs.status(named: "down"))
        #expect(first.totalSize == 2)
        // The next run starts after the records of the org were created.
        world.clock.advance(by: .seconds(900))
        _ = try await world.run("down")
        try world.editInOrg("a1", accounts)
        try world.editInOrg("a1c1", contacts)
        let result = try await world.run("down")
        #expect([result.saved, result.unchanged, result.state.totalSize] == [2, 2, 1])
        #expect(result.savedBySoup == ["accounts": 1, "contacts": 1])
        try await world.expectEqualSides()
    }

    @Test func `Deleted parents and children are ghosts`() async throws {
        let world = try await syncedWorld(3)
        try world.org.delete("Account", id: world.id("a1"))
        try world.org.delete("Contact", id: world.id("a2c2"))
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        try await world.expectEqualSides()
    }

    // MARK: - Up

    @Test(arguments: ["upOverwrite", "upLeave"]) func `Locally created trees are pushed`(sync: String) async throws {
        let world = try await TreeWorld(syncs: TreeMatrixTests.syncs)
        for number in 1...5 {
            let parent = try await world.create("p\(number)", accounts)
            for child in 1...3 { try await world.create("p\(number)c\(child)", contacts, under: parent) }
        }
        #expect(try await world.run(sync).created == 20)
        try await expectEqualSides(world, records: 20)
        #expect(try await world.run(sync).state.totalSize == 0)
        // A pushed record can be edited and pushed again, with LEAVE_IF_CHANGED, too.
        let entry = try #require(try await world.entries(contacts).first)
        try await world.kit.store.edit(entry.id, setting: ["LastName": "again"], in: "contacts")
        #expect(try await world.run(sync).updated == 1)
        try await expectEqualSides(world, records: 20)
    }

    @Test func `Existing children move to a created parent`() async throws {
        let world = try await syncedWorld(1)
        let parent = try await world.create("new", accounts)
        for name in ["a1c1", "a1c2"] {
            try await world.kit.store.edit(
                world.entry(name, contacts), setting: ["AccountId": .string(parent)], in: "contacts")
        }
        let result = try await world.run("upOverwrite")
        #expect([result.created, result.updated, result.failed] == [1, 2, 0])
        try await expectEqualSides(world, records: 5)
        #expect(try world.orgLines().filter { $0.hasSuffix("under *") }.count == 2)
    }

    @Test func `Created children of existing parents are pushed`() async throws {
        let world = try await syncedWorld(2, children: 0)
        for parent in ["a1", "a2"] {
            for child in 1...3 { try await world.create("\(parent)n\(child)", contacts, under: world.id(parent)) }
        }
        let result = try await world.run("upOverwrite")
        #expect([result.created, result.updated] == [6, 0])
        try await expectEqualSides(world, records: 8)
    }

    @Test func `A deleted parent is recreated for created children`() async throws {
        let world = try await syncedWorld(1, children: 0)
        for child in 1...3 { try await world.create("n\(child)", contacts, under: world.id("a1")) }
        try world.org.delete("Account", id: world.id("a1"))
        try await world.run("upOverwrite")
        try await expectEqualSides(world, records: 4)
        #expect(
            try world.orgLines() == [
                "Account * a1", "Contact * n1 under *", "Contact * n2 under *", "Contact * n3 under *",
            ])
    }

    @Test func `Refused records keep their errors`() async throws {
        let world = try await TreeWorld(syncs: TreeMatrixTests.syncs)
        let good = try await world.create("good", accounts)
        let bad = try await world.create(String(repeating: "x", count: 256), accounts)
        for parent in [good, bad] {
            try await world.create("fine \(parent == good)", contacts, under: parent)
            try await world.create("", contacts, under: parent)
        }
        let result = try await world.run("upOverwrite")
        #expect([result.created, result.failed] == [2, 4])
        #expect(try world.orgLines() == ["Account * good", "Contact * fine true under *"])
        let dirty = try await world.dirtyLines()
        #expect(dirty.count == 4)
        #expect(dirty.allSatisfy { $0.contains("__local__ __locally_created__") && $0.contains("errorCode") })
    }

    /// More changed children than a request can contain, with which the reference fails.
    @Test func `More children than a request can contain are pushed`() async throws {
        let world = try await syncedWorld(1, children: 60)
        for number in 1...60 { try await world.edit("a1c\(number)", contacts, to: "mine\(number)") }
        try await world.edit("a1", accounts)
        #expect(try await world.run("upOverwrite").updated == 61)
        try await expectEqualSides(world, records: 61)
    }

    @Test func `Children without a parent are not sent`() async throws {
        let world = try await syncedWorld(1)
        try await world.create("orphan", contacts, under: "local_unknown")
        let before = try world.orgLines()
        #expect(try await world.run("upOverwrite").failed == 1)
        #expect(try world.orgLines() == before)
        #expect(try await world.dirtyLines().count { $0.contains("NO_PARENT") } == 1)
    }

    @Test func `A tree created and deleted locally sends no request`() async throws {
        let world = try await syncedWorld(1)
        let parent = try await world.create("temporary", accounts)
        for child in 1...2 { try await world.create("c\(child)", contacts, under: parent) }
        let entry = try #require(try await world.entries(accounts).first { $0["Name"]?.stringValue == "temporary" })
        try await world.kit.store.delete(entry.id, in: "accounts")
        let requests = world.org.journal.count
        try await world.run("upOverwrite")
        #expect(world.requests(since: requests) == [])
        try await expectEqualSides(world, records: 4)
    }
}
