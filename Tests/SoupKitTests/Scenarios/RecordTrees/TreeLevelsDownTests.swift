// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct TreeLevelsDownTests {
    @Test func `All levels are fetched with one request`() async throws {
        var world = try await SiteTree.world()
        try SiteTree.fill(&world)
        let requests = world.org.journal.count
        #expect(try await world.run("down").saved == 16)
        #expect(world.requests(since: requests).count == 1)
        #expect(
            try await world.storeLines().filter { $0.contains("s1") } == [
                "Site__c s1 s1", "Hall__c s1h1 s1h1 under s1", "Hall__c s1h2 s1h2 under s1",
                "Shelf__c s1h1x1 s1h1x1 under s1h1", "Shelf__c s1h1x2 s1h1x2 under s1h1",
                "Shelf__c s1h2x1 s1h2x1 under s1h2", "Shelf__c s1h2x2 s1h2x2 under s1h2", "Guard__c s1g1 s1g1 under s1",
            ])
        try await world.expectEqualSides()
    }

    /// On every level, the lists are longer than a page.
    @Test func `Nested pages are fetched`() async throws {
        var world = try await SiteTree.world()
        world.org.setOptions { $0.maximumPageSize = 2 }
        try SiteTree.fill(&world, sites: 3, halls: 5, shelves: 3)
        try await world.run("down")
        try await world.expectEqualSides()
        #expect(try await world.entries(SiteTree.shelves).count == 45)
    }

    @Test(arguments: [("s1h1x1", 2), ("s2h2", 1), ("s1g1", 3), ("s2", 0)])
    func `Only the changed record of a tree is fetched`(name: String, kind: Int) async throws {
        var world = try await SiteTree.world()
        try SiteTree.fill(&world)
        try await world.run("down")
        world.clock.advance(by: .seconds(10))
        try world.editInOrg(name, SiteTree.kinds[kind])
        let result = try await world.run("down")
        #expect(result.saved == 1)
        try await world.expectEqualSides()
        // A query for each kind, and one for the roots of changed shelves, if there are any.
        let requests = world.org.journal.count
        #expect(try await world.run("down").saved == 0)
        #expect((4...6).contains(world.org.journal.count - requests))
    }

    @Test func `New and moved children of unchanged parents are fetched`() async throws {
        var world = try await SiteTree.world()
        try SiteTree.fill(&world)
        try await world.run("down")
        world.clock.advance(by: .seconds(10))
        try world.add("new", SiteTree.shelves, under: "s1h1")
        try world.org.edit("Hall__c", id: world.id("s2h1"), ["Site__c": .string(world.id("s1"))])
        try await world.run("down")
        try await world.expectEqualSides()
    }

    @Test(arguments: ["Title__c != 's2'", "Id not in (select Site__c from Guard__c where Title__c = 's2g1')"])
    func `Trees outside the filter are not fetched`(filter: String) async throws {
        var world = try await SiteTree.world(filter: filter)
        try SiteTree.fill(&world)
        try await world.run("down")
        let inside = try world.orgLines().filter { !$0.contains("s2") }
        #expect(try await world.storeLines() == inside)
        world.clock.advance(by: .seconds(10))
        for (name, kind) in [("s2h1", 1), ("s2h1x1", 2), ("s1h1x1", 2), ("s1h2", 1)] {
            try world.editInOrg(name, SiteTree.kinds[kind])
        }
        #expect(try await world.run("down").saved == 2)
        #expect(try await world.storeLines() == world.orgLines().filter { !$0.contains("s2") })
    }

    /// A local change at any level keeps the whole tree unchanged; the org's changes are fetched later.
    @Test(arguments: [("s1", 0), ("s1h1", 1), ("s1h1x1", 2), ("s1g1", 3)])
    func `A tree with a local change is skipped`(name: String, kind: Int) async throws {
        var world = try await SiteTree.world()
        try SiteTree.fill(&world)
        try await world.run("down")
        try await world.edit(name, SiteTree.kinds[kind])
        let before = try await world.contents().filter { $0.contains("s1") }
        world.clock.advance(by: .seconds(10))
        for (name, kind) in [("s1", 0), ("s1h2", 1), ("s1h2x1", 2), ("s1h1x2", 2), ("s2h1x1", 2)] {
            try world.editInOrg(name, SiteTree.kinds[kind])
        }
        #expect(try await world.run("down").saved == 1)
        #expect(try await world.contents().filter { $0.contains("s1") } == before)
        try await world.run("up")
        world.clock.advance(by: .seconds(60))
        try await world.run("down")
        try await world.expectEqualSides()
    }

    @Test func `Ghosts are removed, except ancestors of a local change`() async throws {
        var world = try await SiteTree.world()
        try SiteTree.fill(&world, sites: 3)
        try await world.run("down")
        try await world.edit("s2h1x1", SiteTree.shelves)
        for (name, kind) in [("s1h1x1", 2), ("s1h2", 1), ("s3", 0), ("s2", 0)] {
            try world.org.delete(SiteTree.kinds[kind].object, id: world.id(name))
        }
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        let kept = ["Hall__c s2h1 s2h1 under s2", "Shelf__c s2h1x1 mine under s2h1", "Site__c s2 s2"]
        let guards = ["Guard__c s1g1 s1g1 under s1"]
        #expect(
            try await world.storeLines().sorted()
                == (guards + kept + [
                    "Hall__c s1h1 s1h1 under s1", "Shelf__c s1h1x2 s1h1x2 under s1h1", "Site__c s1 s1",
                ])
                .sorted())
    }

    /// The run fails at each of its requests in turn, and the next run resumes there.
    @Test(arguments: [false, true]) func `A failed run resumes at every page`(expiresCursors: Bool) async throws {
        for request in 1...16 {
            var world = try await SiteTree.world()
            world.org.setOptions { $0.maximumPageSize = 2 }
            try SiteTree.fill(&world, sites: 3, halls: 5, shelves: 1)
            world.clock.advance(by: .seconds(10))
            let effect: OrgFault.Effect = expiresCursors ? .expireCursors : .http(status: 400, code: "BROKEN")
            world.org.add(OrgFault(effect, path: "/query", nth: [request]))
            let failed = try await world.kit.syncs.reSync(named: "down").result
            let hasFired = world.org.faults.contains { $0.fired > 0 }
            #expect(hasFired || request > 5)
            #expect(failed.state.status == (hasFired && !expiresCursors ? .failed : .done), "request \(request)")
            world.org.removeFault()
            // Changes before the next run must not be missed.
            world.clock.advance(by: .seconds(10))
            for (name, kind) in [("s1h1x1", 2), ("s2h3", 1), ("s3g1", 3)] {
                try world.editInOrg(name, SiteTree.kinds[kind])
            }
            try await world.run("down")
            try await world.run("down")
            try await world.expectEqualSides("request \(request)")
        }
    }

    /// No sync down of the tree would ever find them: it fetches children with their parents.
    @Test func `Children that were never fetched leave with their parent`() async throws {
        var world = try await SiteTree.world(filter: "Note__c = null")
        try SiteTree.fill(&world, sites: 2, halls: 1, shelves: 1, guards: false)
        try await world.run("down")
        try world.org.edit("Site__c", id: world.id("s1"), ["Note__c": "away"])
        // The client does not know that yet.
        let hall = try await world.create("new", SiteTree.halls, under: world.id("s1"))
        try await world.create("newer", SiteTree.shelves, under: hall)
        #expect(try await world.run("up").created == 2)
        try await world.run("down")
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        #expect(
            try await world.storeLines() == [
                "Site__c s2 s2", "Hall__c s2h1 s2h1 under s2", "Shelf__c s2h1x1 s2h1x1 under s2h1",
            ])
        #expect(try await world.dirtyLines() == [])
        #expect(try world.orgLines().count == 8)
        // The tree comes back completely.
        try world.org.edit("Site__c", id: world.id("s1"), ["Note__c": .null])
        try await world.run("down")
        try await world.expectEqualSides()
    }
}
