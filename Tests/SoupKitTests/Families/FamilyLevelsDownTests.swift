// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Families of several levels with several kinds of children: sites with halls with shelves, and guards.
enum SiteFamily {
    static let sites = FamilyWorld.Kind(object: "Site__c", soup: "sites", name: "Title__c")
    static let halls = FamilyWorld.Kind(object: "Hall__c", soup: "halls", name: "Title__c", parent: "Site__c")
    static let shelves = FamilyWorld.Kind(object: "Shelf__c", soup: "shelves", name: "Title__c", parent: "Hall__c")
    static let guards = FamilyWorld.Kind(object: "Guard__c", soup: "guards", name: "Title__c", parent: "Site__c")
    static let kinds = [sites, halls, shelves, guards]

    static let seed = """
        {"objects": {
          "Site__c": {"label": "Site", "labelPlural": "Sites", "keyPrefix": "a10", "fields": {\(name),
            "Key__c": {"type": "string", "length": 40, "externalId": true, "unique": true}}},
          "Hall__c": {"label": "Hall", "labelPlural": "Halls", "keyPrefix": "a11", "fields": {\(name),
            "Site__c": {"type": "reference", "referenceTo": ["Site__c"], "childRelationshipName": "Halls__r",
              "onDelete": "cascade"}}},
          "Shelf__c": {"label": "Shelf", "labelPlural": "Shelves", "keyPrefix": "a12", "fields": {\(name),
            "Hall__c": {"type": "masterdetail", "referenceTo": ["Hall__c"], "childRelationshipName": "Shelves__r"}}},
          "Guard__c": {"label": "Guard", "labelPlural": "Guards", "keyPrefix": "a13", "fields": {\(name),
            "Site__c": {"type": "reference", "referenceTo": ["Site__c"], "childRelationshipName": "Guards__r"}}}
        }}
        """
    private static let name = """
        "Name": {"type": "autonumber", "format": "N-{0000}"}, "Title__c": {"type": "string", "length": 20},
        "Note__c": {"type": "string", "length": 20}
        """

    static let family = """
        "parent": {"sobjectType": "Site__c", "soupName": "sites", "externalIdFieldName": "Key__c"},
        "relationshipType": "MASTER_DETAIL",
        "children": [
          {"sobjectType": "Hall__c", "sobjectTypePlural": "Halls__r", "soupName": "halls",
            "parentIdFieldName": "Site__c", "fieldlist": ["Title__c", "Site__c"],
            "children": {"sobjectType": "Shelf__c", "sobjectTypePlural": "Shelves__r", "soupName": "shelves",
              "parentIdFieldName": "Hall__c", "fieldlist": ["Title__c", "Note__c"]}},
          {"sobjectType": "Guard__c", "sobjectTypePlural": "Guards__r", "soupName": "guards",
            "parentIdFieldName": "Site__c", "fieldlist": ["Title__c"], "relationshipType": "LOOKUP"}]
        """

    /// - Parameter shelfKeys: whether shelves have an external id, too.
    static func world(
        filter: String = "", allOrNone: Bool = false, shelfKeys: Bool = false, clock: ManualClock = ManualClock()
    ) async throws -> FamilyWorld {
        let key = #""Key__c": {"type": "string", "length": 40, "externalId": true, "unique": true}, "#
        let masters = #""Hall__c": {"type": "masterdetail""#
        let seed = shelfKeys ? seed.replacing(masters, with: key + masters) : seed
        let family =
            !shelfKeys
            ? family
            : family.replacing(
                #""soupName": "shelves","#, with: #""soupName": "shelves", "externalIdFieldName": "Key__c","#
            )
            .replacing(
                #""fieldlist": ["Title__c", "Note__c"]"#, with: #""fieldlist": ["Title__c", "Note__c", "Key__c"]"#)
        let up = """
            {"type": "parent_children", \(family), "createFieldlist": ["Title__c", "Key__c"],
             "updateFieldlist": ["Title__c"], "allOrNone": \(allOrNone)}
            """
        return try await FamilyWorld(
            kinds, seed: seed,
            syncs: """
                [{"syncName": "down", "syncType": "syncDown", "soupName": "sites", "options": {"mergeMode": "LEAVE_IF_CHANGED"},
                  "target": {"type": "parent_children", \(family), "parentFieldlist": ["Title__c", "Key__c"],
                    "parentSoqlFilter": "\(filter)"}},
                 {"syncName": "up", "syncType": "syncUp", "soupName": "sites", "options": {"mergeMode": "OVERWRITE"},
                  "target": \(up)},
                 {"syncName": "upLeave", "syncType": "syncUp", "soupName": "sites",
                  "options": {"mergeMode": "LEAVE_IF_CHANGED"}, "target": \(up)},
                 {"syncName": "upMerge", "syncType": "syncUp", "soupName": "sites", "options": {"mergeMode": "MERGE"},
                  "target": \(up)}]
                """, clock: clock)
    }

    /// Sites s1, s2 with halls s1h1, s1h2 and so on, shelves s1h1x1, and guards s1g1.
    static func fill(
        _ world: inout FamilyWorld, sites: Int = 2, halls: Int = 2, shelves: Int = 2, guards hasGuards: Bool = true
    ) throws {
        for site in (1...sites).map({ "s\($0)" }) {
            try world.add(site, Self.sites)
            for hall in (1...halls).map({ "\(site)h\($0)" }) {
                try world.add(hall, Self.halls, under: site)
                for shelf in 1...shelves { try world.add("\(hall)x\(shelf)", Self.shelves, under: hall) }
            }
            if hasGuards { try world.add("\(site)g1", guards, under: site) }
        }
    }
}

extension FamilyWorld {
    /// Expects both sides to hold the same, with nothing left to push.
    func expectInLine(_ comment: Comment? = nil) async throws {
        #expect(try await storeLines() == orgLines(), comment)
        #expect(try await dirtyLines() == [], comment)
    }

    func editOrg(_ name: String, _ kind: Kind, _ value: String = "theirs") throws {
        try org.edit(kind.object, id: id(name), [kind.name: .string(value)])
    }
}

@Suite struct FamilyLevelsDownTests {
    @Test func `All levels come`() async throws {
        var world = try await SiteFamily.world()
        try SiteFamily.fill(&world)
        let requests = world.org.journal.count
        #expect(try await world.run("down").saved == 16)
        #expect(world.requests(since: requests).count == 1)
        #expect(
            try await world.storeLines().filter { $0.contains("s1") } == [
                "Site__c s1 s1", "Hall__c s1h1 s1h1 under s1", "Hall__c s1h2 s1h2 under s1",
                "Shelf__c s1h1x1 s1h1x1 under s1h1", "Shelf__c s1h1x2 s1h1x2 under s1h1",
                "Shelf__c s1h2x1 s1h2x1 under s1h2", "Shelf__c s1h2x2 s1h2x2 under s1h2", "Guard__c s1g1 s1g1 under s1",
            ])
        try await world.expectInLine()
    }

    /// Every list is longer than a page, on every level.
    @Test func `Pages inside of pages are followed`() async throws {
        var world = try await SiteFamily.world()
        world.org.setOptions { $0.maximumPageSize = 2 }
        try SiteFamily.fill(&world, sites: 3, halls: 5, shelves: 3)
        try await world.run("down")
        try await world.expectInLine()
        #expect(try await world.entries(SiteFamily.shelves).count == 45)
    }

    @Test(arguments: [("s1h1x1", 2), ("s2h2", 1), ("s1g1", 3), ("s2", 0)])
    func `A change anywhere comes alone`(name: String, kind: Int) async throws {
        var world = try await SiteFamily.world()
        try SiteFamily.fill(&world)
        try await world.run("down")
        world.clock.advance(by: 10_000)
        try world.editOrg(name, SiteFamily.kinds[kind])
        let result = try await world.run("down")
        #expect(result.saved == 1)
        try await world.expectInLine()
        // A query for each kind, and one for the roots of shelves when there are any.
        let requests = world.org.journal.count
        #expect(try await world.run("down").saved == 0)
        #expect((4...6).contains(world.org.journal.count - requests))
    }

    @Test func `New and moved children of unchanged parents come`() async throws {
        var world = try await SiteFamily.world()
        try SiteFamily.fill(&world)
        try await world.run("down")
        world.clock.advance(by: 10_000)
        try world.add("new", SiteFamily.shelves, under: "s1h1")
        try world.org.edit("Hall__c", id: world.id("s2h1"), ["Site__c": .string(world.id("s1"))])
        try await world.run("down")
        try await world.expectInLine()
    }

    @Test(arguments: ["Title__c != 's2'", "Id not in (select Site__c from Guard__c where Title__c = 's2g1')"])
    func `What is outside of the filter stays outside`(filter: String) async throws {
        var world = try await SiteFamily.world(filter: filter)
        try SiteFamily.fill(&world)
        try await world.run("down")
        let inside = try world.orgLines().filter { !$0.contains("s2") }
        #expect(try await world.storeLines() == inside)
        world.clock.advance(by: 10_000)
        for (name, kind) in [("s2h1", 1), ("s2h1x1", 2), ("s1h1x1", 2), ("s1h2", 1)] {
            try world.editOrg(name, SiteFamily.kinds[kind])
        }
        #expect(try await world.run("down").saved == 2)
        #expect(try await world.storeLines() == world.orgLines().filter { !$0.contains("s2") })
    }

    /// A change far below the root keeps the whole tree as it is, and what the org had meanwhile comes later.
    @Test(arguments: [("s1", 0), ("s1h1", 1), ("s1h1x1", 2), ("s1g1", 3)])
    func `A tree with a local change is left alone`(name: String, kind: Int) async throws {
        var world = try await SiteFamily.world()
        try SiteFamily.fill(&world)
        try await world.run("down")
        try await world.edit(name, SiteFamily.kinds[kind])
        let before = try await world.contents().filter { $0.contains("s1") }
        world.clock.advance(by: 10_000)
        for (name, kind) in [("s1", 0), ("s1h2", 1), ("s1h2x1", 2), ("s1h1x2", 2), ("s2h1x1", 2)] {
            try world.editOrg(name, SiteFamily.kinds[kind])
        }
        #expect(try await world.run("down").saved == 1)
        #expect(try await world.contents().filter { $0.contains("s1") } == before)
        try await world.run("up")
        world.clock.advance(by: 60_000)
        try await world.run("down")
        try await world.expectInLine()
    }

    @Test func `Ghosts of all levels go and what leads to a local change stays`() async throws {
        var world = try await SiteFamily.world()
        try SiteFamily.fill(&world, sites: 3)
        try await world.run("down")
        try await world.edit("s2h1x1", SiteFamily.shelves)
        for (name, kind) in [("s1h1x1", 2), ("s1h2", 1), ("s3", 0), ("s2", 0)] {
            try world.org.delete(SiteFamily.kinds[kind].object, id: world.id(name))
        }
        #expect(try await world.kit.syncs.cleanResyncGhosts(named: "down") == 1)
        let stays = ["Hall__c s2h1 s2h1 under s2", "Shelf__c s2h1x1 mine under s2h1", "Site__c s2 s2"]
        let guards = ["Guard__c s1g1 s1g1 under s1"]
        #expect(
            try await world.storeLines().sorted()
                == (guards + stays + [
                    "Hall__c s1h1 s1h1 under s1", "Shelf__c s1h1x2 s1h1x2 under s1h1", "Site__c s1 s1",
                ])
                .sorted())
    }

    /// The run breaks off at each of its requests in turn, and the next one goes on there.
    @Test(arguments: [false, true]) func `It goes on at every page`(forgetting: Bool) async throws {
        for request in 1...16 {
            var world = try await SiteFamily.world()
            world.org.setOptions { $0.maximumPageSize = 2 }
            try SiteFamily.fill(&world, sites: 3, halls: 5, shelves: 1)
            world.clock.advance(by: 10_000)
            let effect: OrgFault.Effect = forgetting ? .expireCursors : .http(status: 400, code: "BROKEN")
            world.org.add(OrgFault(effect, path: "/query", nth: [request]))
            let broken = try await world.kit.syncs.reSync(named: "down").result()
            let hasStruck = world.org.faults.contains { $0.fired > 0 }
            #expect(hasStruck || request > 5)
            #expect(broken.state.status == (hasStruck && !forgetting ? .failed : .done), "request \(request)")
            world.org.removeFault()
            // What changes meanwhile must not be missed.
            world.clock.advance(by: 10_000)
            for (name, kind) in [("s1h1x1", 2), ("s2h3", 1), ("s3g1", 3)] {
                try world.editOrg(name, SiteFamily.kinds[kind])
            }
            try await world.run("down")
            try await world.run("down")
            try await world.expectInLine("request \(request)")
        }
    }
}
