// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync downs from servers whose lists contain dates of another form, deletions, and tokens.
@Suite struct DownRunListsTests {
    private func world(_ target: JSONObject, mode: MergeMode = .leaveIfChanged) async throws -> World {
        let world = try await World()
        world.server.put("a", ["Name": "Ann"])
        world.server.put("b", ["Name": "Bob"])
        world.server.put("c", ["Name": "Cid"])
        world.clock.advance(by: .seconds(10))
        var target = target
        target["type"] = "fakeList"
        _ = try await world.manager.create(
            SyncDefinition(
                name: "list", type: .syncDown, soup: "contacts", target: TargetReference(.object(target)),
                options: SyncOptions(mergeMode: mode)))
        try await world.run("list")
        world.clock.advance(by: .seconds(10))
        return world
    }

    @Test func `The mark follows dates in seconds since 1970`() async throws {
        let world = try await world([:])
        world.server.put("b", ["Name": "Bobby"])
        world.clock.advance(by: .seconds(5))
        try await world.run("list")
        expect(
            try await world.dump(),
            """
            syncs:
              1 list DONE 100/1 mark > +20s
            contacts:
              1 a {"Name":"Ann","changed":1705320000,"rev":0} clean sync 1
              2 b {"Name":"Bobby","changed":1705320020,"rev":20} clean sync 1
              3 c {"Name":"Cid","changed":1705320000,"rev":0} clean sync 1
            server:
              a {"Name":"Ann"} +0s
              b {"Name":"Bobby"} +20s
              c {"Name":"Cid"} +0s
            asked:
              query
              query > +0s
            """)
    }

    @Test func `Deletions of a page remove clean entries`() async throws {
        let world = try await world(["listsDeletions": true])
        try await world.edit("c", "mine")
        for id in ["a", "c"] { world.server.remove(id) }
        world.server.with { $0.deletions.append(("unknown", Moment.after(20))) }
        world.server.put("b", ["Name": "Bobby"])
        let result = try await world.manager.reSync(named: "list").result
        #expect([result.saved, result.ghosts] == [1, 2 - 1])
        expect(
            try await world.entries(),
            [
                #"2 b {"Name":"Bobby","changed":1705320020,"rev":20} clean sync 1"#,
                #"3 c {"changed":1705320000,"rev":0,"Name":"mine"} local+updated sync 1"#,
            ])
        // The entry that was kept is looked up again when its local changes are discarded.
        let row = try await world.store.read { try $0.query(.all("syncs_soup", pageSize: 10)).entries[0].stored.value }
        #expect(row["deletionsHeld"]?.arrayValue?.count == 1)
    }

    @Test func `A page removes entries that a sync up created`() async throws {
        let world = try await world(["listsDeletions": true])
        try await world.create("Dan")
        _ = try await world.manager.create(world.up())
        try await world.run("up")
        world.server.remove("s1")
        let result = try await world.manager.reSync(named: "list").result
        #expect(result.ghosts == 1)
        #expect(try await world.entries().count == 3)
    }

    @Test func `Deletions leave the entries of other syncs`() async throws {
        let world = try await World()
        world.server.put("a", ["Name": "Ann"])
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        world.server.with { $0.deletions.append(("a", Moment.after(0))) }
        let list = SyncDefinition(
            name: "list", type: .syncDown, soup: "contacts",
            target: TargetReference(["type": "fakeList", "listsDeletions": true]),
            options: SyncOptions(mergeMode: .leaveIfChanged))
        _ = try await world.manager.create(list)
        world.server.with { $0.records = [:] }
        #expect(try await world.manager.reSync(named: "list").result.ghosts == 0)
        expect(try await world.entries(), [#"1 a {"Name":"Ann"} +0s clean sync 1"#])
    }

    @Test func `A record that a page also contains stays`() async throws {
        let world = try await world(["listsDeletions": true])
        world.server.remove("a")
        world.server.put("a", ["Name": "Again"])
        try await world.run("list")
        #expect(try await world.entries().contains { $0.contains(#"a {"Name":"Again""#) })
    }

    @Test func `A run continues from the token of the last one`() async throws {
        let world = try await world(["usesTokens": true, "listsDeletions": true])
        world.server.remove("a")
        world.clock.advance(by: .seconds(5))
        try await world.run("list")
        world.clock.advance(by: .seconds(5))
        // The process ends, and the token is in the store.
        try await world.reopened().run("list")
        expect(
            world.server.log.filter { $0.hasPrefix("changes") },
            [
                "changes since the beginning", "changes since \(Moment.after(10))", "changes since \(Moment.after(25))",
            ])
        #expect(try await world.entries().count == 2)
    }

    /// The server reports a change only to a query from before it.
    @Test(arguments: [true, false], [MergeMode.leaveIfChanged, .merge])
    func `Skipped changes are fetched when edits are discarded`(usesTokens: Bool, mode: MergeMode) async throws {
        let world = try await world(["usesTokens": .bool(usesTokens), "listsDeletions": true], mode: mode)
        for id in ["b", "c"] { try await world.edit(id, "mine") }
        world.server.put("b", ["Name": "Bobby"])
        world.server.remove("c")
        for _ in 1...2 {
            world.clock.advance(by: .seconds(5))
            try await world.run("list")
        }
        #expect(try await world.entries().count == 3)
        _ = try await world.manager.discardChanges(of: [2, 3], in: "contacts")
        world.clock.advance(by: .seconds(5))
        try await world.run("list")
        expect(
            try await world.entries(),
            [
                #"1 a {"Name":"Ann","changed":1705320000,"rev":0} clean sync 1"#,
                #"2 b {"Name":"Bobby","changed":1705320020,"rev":20} clean sync 1"#,
            ])
        // Without a skipped change the next run continues from its own token.
        world.server.clearLog()
        try await world.run("list")
        if usesTokens { #expect(world.server.log.first == "changes since \(Moment.after(35))") }
    }

    @Test func `A token with a secret is not saved`() async throws {
        let world = try await world(["usesTokens": true])
        world.server.mask.add(["\(Moment.after(20))"])
        try await world.run("list")
        world.server.clearLog()
        try await world.run("list")
        #expect(world.server.log.first == "changes since the beginning")
    }

    @Test func `A failed run keeps its token`() async throws {
        let world = try await world(["usesTokens": true])
        world.server.with { $0.onPage = { _ in throw SoupError(.server, "out of order") } }
        try await world.run("list")
        world.server.with { $0.onPage = nil }
        try await world.run("list")
        let asked = world.server.log.filter { $0.hasPrefix("changes") }
        #expect(asked.dropFirst().allSatisfy { $0 == "changes since \(Moment.after(10))" })
    }

    @Test func `After an expired token all records are fetched`() async throws {
        let world = try await world(["usesTokens": true, "tokensKnownFrom": .int(Moment.after(15))])
        world.server.put("d", ["Name": "Dan"])
        try await world.run("list")
        expect(
            world.server.log,
            [
                "changes since the beginning", "query", "changes since \(Moment.after(10))",
                "changes since the beginning", "query",
            ])
        #expect(try await world.entries().count == 4)
        expect(try await world.syncs(), ["1 list DONE 100/4 mark >= +20s"])
    }

    @Test func `A sync that is defined again begins without a token`() async throws {
        let world = try await world(["usesTokens": true])
        try await world.manager.redefine(
            SyncDefinition(
                name: "list", type: .syncDown, soup: "contacts",
                target: TargetReference(["type": "fakeList", "usesTokens": true]),
                options: SyncOptions(mergeMode: .leaveIfChanged)))
        world.server.clearLog()
        try await world.run("list")
        #expect(world.server.log == ["changes since the beginning", "query"])
    }
}
