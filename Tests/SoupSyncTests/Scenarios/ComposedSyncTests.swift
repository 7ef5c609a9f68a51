// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupSync
import SoupTesting
import Testing

/// Conflicts, live queries and migrations over composed stores, compared with those over one SQLite store.
@Suite struct ComposedSyncTests {
    /// Runs a scenario over one store and over a composed one, and compares the states after each step.
    private func compare(
        _ contacts: World.ContactsStore, _ scenario: (World) async throws -> [String]
    ) async throws {
        let direct = try await scenario(World(routed: nil))
        let world = try await World(routed: contacts)
        let composed = try await scenario(world)
        #expect(direct.count == composed.count)
        for (number, (direct, composed)) in zip(direct, composed).enumerated() {
            expect(composed, direct, comment: "step \(number)")
        }
        // The app retrieves the same entries as a query finds, whichever store they come from.
        for soup in ["accounts", "contacts"] as [SoupName] {
            let found = try await world.store.read { try $0.query(.all(soup, pageSize: 10_000)).entries }
            let retrieved = try await world.store.retrieve(found.map(\.id), from: soup)
            expect(Set(retrieved.map(\.line)), Set(found.map(\.line)), comment: "\(soup)")
        }
    }

    private func conflicts(_ world: World) async throws -> String {
        try await world.manager.conflicts().map { "\($0.soup) \($0.entryId) \($0.code) \($0.fields)" }.joined(
            separator: "\n")
    }

    @Test(arguments: World.ContactsStore.allCases)
    func `Skipped changes are resolved as over one store`(_ contacts: World.ContactsStore) async throws {
        try await compare(contacts) { world in
            try await world.seed("Ann", "Bob", "Dan", "Eve")
            for name in ["ann", "bob", "eve"] { try await world.edit(name, "mine") }
            try await world.delete("dan")
            for name in ["ann", "dan", "eve"] { world.server.put(name, ["Name": "theirs", "City": "Bergen"]) }
            world.server.remove("bob")
            _ = try await world.manager.create(world.up("up", mode: .leaveIfChanged))
            try await world.run("up")
            world.clock.advance(by: .seconds(10))
            var steps = [try await world.dump(), try await conflicts(world)]
            let open = try await world.manager.conflicts()
            #expect(open.count == 4)
            for (conflict, resolution) in zip(
                open, [.local, .remote, .remote, .merged(try JSONText(#"{"Name":"both"}"#))] as [ConflictResolution])
            {
                try await world.manager.resolveConflict(conflict, as: resolution)
                steps.append(try await world.dump())
            }
            try await world.run("up")
            steps += [try await world.dump(), try await conflicts(world)]
            world.clock.advance(by: .seconds(10))
            try await world.run("down")
            _ = try await world.manager.cleanResyncGhosts(named: "down")
            return steps + [try await world.dump()]
        }
    }

    @Test(arguments: World.ContactsStore.allCases)
    func `Changes of both sides are merged as over one store`(_ contacts: World.ContactsStore) async throws {
        try await compare(contacts) { world in
            try await world.seed("Ann", "Bob")
            _ = try await world.manager.create(world.up("up", mode: .merge))
            try await world.store.edit(1, setting: ["City": "Oslo"], in: "contacts")
            try await world.store.edit(2, setting: ["Name": "mine"], in: "contacts")
            world.server.put("ann", ["Name": "Annie"])
            world.server.put("bob", ["Name": "theirs"])
            world.clock.advance(by: .seconds(10))
            var steps = [try await world.dump()]
            try await world.run("up")
            steps += [try await world.dump(), try await conflicts(world)]
            // A created record is deleted before it is sent, and another one after it.
            let first = try await world.create("Cid")
            try await world.store.delete(first, in: "contacts")
            let second = try await world.create("Dan")
            try await world.run("up")
            try await world.store.delete(second, in: "contacts")
            steps.append(try await world.dump())
            try await world.run("up")
            return steps + [try await world.dump()]
        }
    }

    @Test(arguments: World.ContactsStore.allCases)
    func `A live query shows syncs and edits`(_ contacts: World.ContactsStore) async throws {
        let world = try await World(routed: contacts)
        var live = world.store.live(.all("contacts", orderedBy: "Id")).makeAsyncIterator()
        func next() async throws -> [String] { try await live.next()?.entries.map(\.line) ?? [] }
        #expect(try await next() == [])
        world.server.put("ann", ["Name": "Ann"])
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        #expect(try await next() == [#"1 ann {"Name":"Ann"} +0s clean sync 1"#])
        try await world.edit("ann", "Annie")
        #expect(try await next() == [#"1 ann {"Name":"Annie"} +0s local+updated sync 1"#])
        #expect(
            try await world.store.retrieve([1], from: "contacts").map(\.line)
                == [#"1 ann {"Name":"Annie"} +0s local+updated sync 1"#])
        _ = try await world.manager.create(world.up())
        try await world.run("up")
        var lines = try await next()
        // A sync up writes an entry more than once.
        while lines != [#"1 ann {"Name":"Annie"} +10s clean sync 1"#] {
            #expect(lines.count == 1)
            lines = try await next()
        }
        #expect(try await world.store.retrieve([1], from: "contacts").map(\.line) == lines)
    }

    @Test(arguments: World.ContactsStore.allCases)
    func `A migration keeps changes and syncs`(_ contacts: World.ContactsStore) async throws {
        try await compare(contacts) { world in
            try await world.seed("Ann", "Bob")
            try await world.edit("ann", "mine")
            var steps = [try await world.dump()]
            let specs = World.soups[1].1 + [IndexSpec("Name", .string)]
            for wanted in [specs, Array(specs.dropFirst().reversed()) + [specs[0]]] {
                let plan = try await world.store.migrationPlan(to: [("contacts", wanted)])
                try await world.store.migrate(plan)
                steps += [
                    try await world.dump(),
                    "\(try await world.store.query(.exact("contacts", "Name", equals: "mine")).entries.map(\.line))",
                ]
            }
            _ = try await world.manager.create(world.up())
            try await world.run("up")
            world.clock.advance(by: .seconds(10))
            try await world.run("down")
            return steps + [try await world.dump()]
        }
    }
}
