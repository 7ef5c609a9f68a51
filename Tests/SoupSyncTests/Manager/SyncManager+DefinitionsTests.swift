// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Definitions of syncs: their creation, redefinition, storage and look-up.
@Suite struct SyncManagerDefinitionsTests {
    @Test func `Set-up creates missing syncs only`() async throws {
        let world = try await World()
        let first = try await world.manager.setUp([world.down("one"), world.up("two")])
        #expect(first.map(\.id) == [1, 2])
        #expect(first.allSatisfy { $0.line == "NEW 0/-1" && $0.maxTimeStamp == nil })
        world.fill(1)
        try await world.run("one")
        let before = try await world.dump()
        let second = try await world.manager.setUp([
            world.up("two"), world.down("one", ["pageSize": 7], into: "accounts"), world.down("three"),
        ])
        #expect(second.map(\.id) == [2, 1, 3])
        expect(
            try await world.dump(),
            before.replacing("accounts:", with: "accounts:").replacing(
                "contacts:", with: "  3 three NEW 0/-1 no mark\ncontacts:"))
        #expect(world.server.log == ["query"])
    }

    @Test func `Set-up reports all problems and creates no sync`() async throws {
        let world = try await World()
        var misspelt = world.down("one")
        misspelt.target = TargetReference(["type": "fak"])
        var custom = world.up("two")
        custom.target = TargetReference(["iOSImpl": "UnknownTarget"])
        let wrongType = world.down("three", ["pageSize": "ten"])
        let definitions = [misspelt, custom, wrongType, world.down("four"), world.down("four"), world.down(nil)]
        await #expect { try await world.manager.setUp(definitions) } throws: { error in
            guard let error = error as? ConfigurationError else { return false }
            let places = error.problems.map { $0.place.path?.prefix { $0 != "]" } ?? "" }
            return places.map { $0.suffix(1) } == ["0", "1", "2", "4", "5"]
        }
        #expect(try await world.manager.syncs().isEmpty)
    }

    @Test func `A redefined sync starts again with the same ID`() async throws {
        let world = try await World()
        world.fill(2)
        _ = try await world.manager.create(world.down("one"))
        try await world.run("one")
        let rows = try await world.entries()
        let definition = world.down("one", ["pageSize": 1])
        let state = try await world.manager.redefine(definition)
        #expect(state.id == 1 && state.definition == definition)
        expect(state.line, "NEW 0/-1")
        expect(try await world.manager.status(named: "one"), state)
        expect(try await world.entries(), rows)
        expect(try await world.run("one").last, "DONE 100/2")
        expect(try await world.entries(), rows)
        #expect(world.server.log.filter { $0.hasPrefix("query") }.count == 2, "both runs fetch everything")
    }

    @Test func `Only an existing idle sync can be redefined`() async throws {
        let world = try await World()
        await #expect { try await world.manager.redefine(world.down("one")) } throws: {
            ($0 as? SoupError)?.code == .syncNotFound
        }
        _ = try await world.manager.create(world.down("one"))
        let before = try await world.dump()
        var misspelt = world.down("one")
        misspelt.target = TargetReference(["type": "fak"])
        await #expect(throws: ConfigurationError.self) { try await world.manager.redefine(misspelt) }
        let work = try await world.manager.reserve(1, RunQueue.Claim(soups: [], isExclusive: false))
        await #expect { try await world.manager.redefine(world.down("one")) } throws: {
            ($0 as? SoupError)?.code == .syncAlreadyRunning
        }
        await world.manager.release(1, work)
        expect(try await world.dump(), before)
    }

    @Test func `A name belongs to one sync`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.up("x"))
        await #expect { _ = try await world.manager.create(world.down("x")) } throws: {
            ($0 as? SoupError)?.code == .syncNameTaken
        }
        await #expect { _ = try await world.manager.run(world.down("x")) } throws: {
            ($0 as? SoupError)?.code == .syncNameTaken
        }
        expect(try await world.manager.syncs().map(\.definition.type), [.syncUp])
    }

    @Test func `A stored definition equals the given one`() async throws {
        let world = try await World()
        let target: JSONValue = ["type": "fake", "pageSize": 3, "ours": ["a": [1, nil, 2.5]], "iOSImpl": ""]
        let definition = SyncDefinition(
            name: "x", type: .syncDown, soup: "contacts", target: TargetReference(target),
            options: SyncOptions(mergeMode: .leaveIfChanged, fieldlist: ["A", "B"]))
        let state = try await world.manager.create(definition)
        #expect(state.definition == definition)
        world.fill(1)
        try await world.run("x")
        let stored = try #require(try await world.manager.syncStatus(forName: "x"))
        #expect(stored.definition == definition)
        expect(try await world.manager.syncStatus(forId: 1), stored)
        #expect(stored.status == .done)
        #expect([stored.times.start, stored.times.end] == [Moment.after(11), Moment.after(11)])
    }

    @Test func `The row has the keys of the Mobile SDKs`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.down("x"))
        let row = try await world.store.retrieve([1], from: "syncs_soup")[0].stored.value
        #expect(
            row == [
                "type": "syncDown", "name": "x", "target": ["type": "fake"],
                "options": ["mergeMode": "LEAVE_IF_CHANGED"],
                "soupName": "contacts", "status": "NEW", "progress": 0, "totalSize": -1, "maxTimeStamp": -1,
                "startTime": 0, "endTime": 0, "error": "",
            ])
    }

    @Test func `A run keeps unknown keys of the row`() async throws {
        let world = try await World()
        try await world.store.upsert(
            [
                "type": "syncDown", "name": "x", "soupName": "contacts", "status": "DONE",
                "maxTimeStamp": 1_705_320_000_000,
                "target": ["type": "fake", "theirs": 12345678901234567890.0],
                "options": ["mergeMode": "OVERWRITE", "more": 1],
                "color": "red",
            ], into: "syncs_soup")
        world.fill(1)
        try await world.run("x")
        let row = try await world.store.retrieve([1], from: "syncs_soup")[0].stored.value
        #expect(row["color"] == "red")
        #expect(row["options"]?["more"] == 1)
        #expect(row["target"]?["theirs"] == 12345678901234567890.0)
        #expect(row["status"] == "DONE")
        // A row of the Mobile SDKs does not contain whether the mark is inclusive.
        #expect(world.server.log == ["query >= +0s"])
    }

    @Test func `An unreadable row is reported and hides no other`() async throws {
        let world = try await World()
        try await world.store.upsert(["type": "sideways", "name": "x", "soupName": "s"], into: "syncs_soup")
        _ = try await world.manager.create(world.down("y"))
        expect(try await world.manager.syncs().map(\.name), ["y"])
        await #expect { _ = try await world.manager.reSync(named: "x") } throws: {
            ($0 as? SoupError)?.message == "row 1 of syncs_soup has no known type"
        }
    }

    @Test func `The error of an unknown sync suggests a name`() async throws {
        let world = try await World()
        _ = try await world.manager.create(world.down("contacts"))
        await #expect { _ = try await world.manager.reSync(named: "contcats") } throws: { error in
            let error = error as? SoupError
            return error?.code == .syncNotFound && error?.hint == "Did you mean \"contacts\"?"
        }
        await #expect { _ = try await world.manager.reSync(id: 9) } throws: {
            ($0 as? SoupError)?.code == .syncNotFound && ($0 as? SoupError)?.hint == "Known: 1 (\"contacts\")."
        }
        expect(try await world.manager.status(named: "missing"), nil)
        expect(try await world.manager.status(id: 9), nil)
    }

    @Test(arguments: [5, 1, -1]) func `A layout with children before their parents is rejected`(level: Int)
        async throws
    {
        let world = try await World()
        world.fill(1)
        _ = try await world.manager.create(world.treeDown(["parentLevel": .int(Int64(level))]))
        await #expect { _ = try await world.manager.reSync(named: "treeDown") } throws: { error in
            let error = error as? SoupError
            return error?.code == "badTarget" && error?.message.contains("level \(level)") == true
        }
        expect(try await world.manager.status(named: "treeDown")?.status, .new)
        #expect(world.server.log == [])
    }

    /// Early versions of the Mobile SDKs create such a soup, whose other indexes stay.
    @Test func `An old soup of syncs gets the missing indexes`() async throws {
        let world = try await World()
        world.fill(1)
        _ = try await world.manager.create(world.down("one"))
        let old = [IndexSpec("type", .string), IndexSpec("soupName", .string)]
        try await world.store.alterSoup("syncs_soup", to: old)
        let before = try await world.syncs()
        let next = try await world.reopened()
        let specs = try await next.store.read { try $0.indexSpecs(of: "syncs_soup") }
        #expect(specs == old + [IndexSpec("name", .json1), IndexSpec("status", .json1)])
        expect(try await next.syncs(), before)
        expect(try await next.run("one").last, "DONE 100/1")
        expect(try await next.manager.reSync(named: "one").result.state.status, .done)
    }

    @Test func `A store that cannot alter soups keeps an old soup of syncs`() async throws {
        let world = try await World()
        world.fill(1)
        let old = [IndexSpec("type", .string), IndexSpec("soupName", .string)]
        try await world.store.alterSoup("syncs_soup", to: old)
        world.backend.controls.endProcess()
        let manager = try await world.another(over: CopylessStore(world.backend.base))
        #expect(try await world.backend.base.read { try $0.indexSpecs(of: "syncs_soup") } == old)
        _ = try await manager.create(world.down("one"))
        #expect(try await manager.reSync(named: "one").result.isComplete)
    }
}
