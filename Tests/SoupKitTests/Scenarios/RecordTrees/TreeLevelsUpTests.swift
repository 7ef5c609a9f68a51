// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct TreeLevelsUpTests {
    /// Returns a world with the sites s1 and s2 after a sync down.
    private func syncedWorld(allOrNone: Bool = false, clock: ManualClock = ManualClock()) async throws -> TreeWorld {
        var world = try await SiteTree.world(allOrNone: allOrNone, clock: clock)
        try SiteTree.fill(&world)
        try await world.run("down")
        return world
    }

    @Test(arguments: [false, true]) func `A new tree arrives in one request`(allOrNone: Bool) async throws {
        let world = try await SiteTree.world(allOrNone: allOrNone)
        let site = try await world.create("site", SiteTree.sites)
        for number in 1...2 {
            let hall = try await world.create("hall\(number)", SiteTree.halls, under: site)
            for shelf in 1...2 { try await world.create("shelf\(number)\(shelf)", SiteTree.shelves, under: hall) }
        }
        try await world.create("guard", SiteTree.guards, under: site)
        let requests = world.org.journal.count
        let result = try await world.run("up")
        #expect(result.created == 8)
        #expect(
            world.requests(since: requests)
                == ["POST /services/data/v66.0/composite" + (allOrNone ? "/graph" : "")])
        try await world.expectEqualSides()
        // No record is duplicated, and the sync down fetches the pushed values.
        #expect(try await world.run("down").saved <= 8)
        try await world.expectEqualSides()
        #expect(try world.org.state(of: "Shelf__c").count == 4)
    }

    /// The app uses the temporary IDs of the site and the hall after they were pushed.
    @Test(arguments: ["up", "upLeave", "upMerge"]) func `Children created with old parent IDs are pushed`(sync: String)
        async throws
    {
        let world = try await SiteTree.world()
        let site = try await world.create("site", SiteTree.sites)
        let hall = try await world.create("hall", SiteTree.halls, under: site)
        try await world.run(sync)
        try await world.create("shelf", SiteTree.shelves, under: hall)
        let late = try await world.create("late", SiteTree.halls, under: site)
        try await world.create("latest", SiteTree.shelves, under: late)
        #expect(try await world.run(sync).created == 3)
        try await world.expectEqualSides()
        #expect(try await world.dirtyLines() == [])
        #expect(try world.org.state(of: "Shelf__c").count == 2)
        #expect(try await world.run("down").state.status == .done)
        try await world.expectEqualSides()
    }

    @Test func `Changes on all levels are pushed together`() async throws {
        let world = try await syncedWorld()
        try await world.edit("s1h1x1", SiteTree.shelves)
        try await world.edit("s2", SiteTree.sites)
        try await world.delete("s2h1", SiteTree.halls)
        try await world.edit("s2h1x1", SiteTree.shelves)
        try await world.delete("s1h2x2", SiteTree.shelves)
        try await world.create("new", SiteTree.shelves, under: world.id("s1h2"))
        try await world.edit("s1g1", SiteTree.guards)
        let requests = world.org.journal.count
        let result = try await world.run("up")
        #expect([result.created, result.updated, result.deleted, result.failed] == [1, 3, 2, 0])
        #expect(world.requests(since: requests).count == 2)
        try await world.expectEqualSides()
        #expect(try world.orgLines().contains("Shelf__c * new under s1h2"))
        #expect(try !world.orgLines().contains { $0.contains("s2h1") })
    }

    /// The shelf of another hall is below the deleted site on the device only.
    @Test(arguments: ["up", "upLeave", "upMerge"], [false, true])
    func `A detail that was moved below a deletion is deleted`(sync: String, allOrNone: Bool) async throws {
        let world = try await syncedWorld(allOrNone: allOrNone)
        try await world.kit.store.edit(
            world.entry("s2h1x1", SiteTree.shelves), setting: ["Hall__c": .string(world.id("s1h1"))], in: "shelves")
        try await world.delete("s1", SiteTree.sites)
        let result = try await world.run(sync)
        #expect([result.deleted, result.failed, result.state.totalSize] == [2, 0, 2])
        // Guards lose the reference to their site.
        let lines = try world.orgLines().filter { !$0.hasPrefix("Guard__c") }
        #expect(try await world.storeLines().filter { !$0.hasPrefix("Guard__c") } == lines)
        #expect(!lines.contains { $0.contains("s2h1x1") || $0.contains("s1h") })
    }

    /// The app has removed the entry of the site s1, and the org still has it.
    @Test(arguments: ["up", "upLeave", "upMerge"], [false, true])
    func `Deletions are pushed without the root`(sync: String, allOrNone: Bool) async throws {
        let world = try await syncedWorld(allOrNone: allOrNone)
        // The hall is the root of its own tree, and its shelf belongs to that tree.
        try await world.delete("s1h1", SiteTree.halls)
        try await world.edit("s1h1x1", SiteTree.shelves)
        // The hall above is unchanged.
        try await world.delete("s1h2x1", SiteTree.shelves)
        try await world.edit("s1h2x2", SiteTree.shelves)
        try await world.kit.store.remove([world.entry("s1", SiteTree.sites)], from: "sites")
        var lines = try world.orgLines()
        let result = try await world.run(sync)
        #expect([result.deleted, result.failed, result.updated] == [2, 1, 0])
        lines.removeAll { $0.contains("s1h1") || $0.contains("s1h2x1") }
        #expect(try world.orgLines() == lines)
        #expect(try await world.dirtyLines().map { $0.contains("s1h2x2") && $0.contains("NO_PARENT") } == [true])
        #expect(try await world.entries(SiteTree.halls).count == 3)
        #expect(try await world.entries(SiteTree.shelves).count == 5)
    }

    /// The hall was created and deleted locally, so the org needs no request for it.
    @Test func `Moved children outlive a hall that never was in the org`() async throws {
        let world = try await syncedWorld()
        let hall = try await world.create("hall", SiteTree.halls, under: world.id("s1"))
        try await world.create("new", SiteTree.shelves, under: hall)
        for shelf in ["s1h1x1", "s1h1x2"] {
            try await world.kit.store.edit(
                world.entry(shelf, SiteTree.shelves), setting: ["Hall__c": .string(hall)], in: "shelves")
        }
        try await world.delete("s1h1x1", SiteTree.shelves)
        let halls = try await world.entries(SiteTree.halls)
        let created = try #require(halls.first { $0["Title__c"]?.stringValue == "hall" })
        try await world.kit.store.delete(created.id, in: "halls")
        try await world.kit.store.remove([world.entry("s1", SiteTree.sites)], from: "sites")
        let result = try await world.run("up")
        #expect([result.deleted, result.failed] == [2, 1])
        #expect(try !world.orgLines().contains { $0.contains("s1h1x1") })
        #expect(try await world.dirtyLines().map { $0.contains("s1h1x2") && $0.contains("NO_PARENT") } == [true])
        #expect(try await world.entries(SiteTree.halls).count == halls.count - 1)
        #expect(try await world.entries(SiteTree.shelves).count == 7)
    }

    /// The response to the creation of the hall was lost, and the app has deleted the hall and its site since.
    @Test func `A deletion below a lost creation is pushed`() async throws {
        let world = try await syncedWorld()
        let hall = try await world.create("hall", SiteTree.halls, under: world.id("s1"))
        world.org.add(OrgFault(.drop(.afterCommit), path: "/composite", count: 1))
        #expect(try await world.run("up").unknown == 1)
        // This shelf waits with the hall, and is reported.
        try await world.create("new", SiteTree.shelves, under: hall)
        let created = try #require(
            try await world.entries(SiteTree.halls).first { $0["Title__c"]?.stringValue == "hall" })
        let shelf = try await world.entry("s1h1x1", SiteTree.shelves)
        try await world.kit.store.edit(shelf, setting: ["Hall__c": .string(hall)], in: "shelves")
        try await world.kit.store.delete(shelf, in: "shelves")
        try await world.kit.store.delete(created.id, in: "halls")
        try await world.kit.store.remove([world.entry("s1", SiteTree.sites)], from: "sites")
        let result = try await world.run("up")
        #expect([result.deleted, result.failed] == [1, 1])
        #expect(try !world.orgLines().contains { $0.contains("s1h1x1") })
        #expect(try await world.entries(SiteTree.shelves).count == 8)
        #expect(try await world.dirtyLines().contains { $0.contains("new") && $0.contains("NO_PARENT") })
    }

    @Test(arguments: [("s1", 0), ("s1h1", 1), ("s1h1x1", 2)])
    func `A deleted parent is recreated with its descendants`(name: String, kind: Int) async throws {
        let world = try await syncedWorld()
        var titles = try world.orgLines().map { $0.split(separator: " ")[2] }.filter { $0 != "s1h1x1" } + ["mine"]
        try await world.edit("s1h1x1", SiteTree.shelves)
        if kind < 2 {
            try await world.create("new", SiteTree.shelves, under: world.id("s1h1"))
            titles.append("new")
        }
        try world.org.delete(SiteTree.kinds[kind].object, id: world.id(name))
        try await world.run("up")
        try await world.expectEqualSides("\(name)")
        #expect(try world.orgLines().map { $0.split(separator: " ")[2] }.sorted() == titles.sorted())
    }

    @Test func `LEAVE_IF_CHANGED compares all levels`() async throws {
        let world = try await syncedWorld()
        try await world.edit("s1", SiteTree.sites)
        try await world.edit("s2h1", SiteTree.halls)
        world.clock.advance(by: .seconds(10))
        try world.editInOrg("s1h2x2", SiteTree.shelves)
        let result = try await world.run("upLeave")
        #expect([result.updated, result.skipped] == [1, 1])
        #expect(try await world.dirtyLines().count == 1)
        try await world.run("up")
        try await world.run("down")
        try await world.expectEqualSides()
    }

    @Test func `Changes of both sides are merged below the root`() async throws {
        let world = try await syncedWorld()
        try await world.edit("s1h1x1", SiteTree.shelves)
        try await world.edit("s1", SiteTree.sites)
        world.clock.advance(by: .seconds(10))
        try world.org.edit("Shelf__c", id: world.id("s1h1x1"), ["Note__c": "theirs"])
        let result = try await world.run("upMerge")
        #expect([result.updated, result.conflicted, result.failed] == [2, 0, 0])
        let shelf = try world.org.state(of: "Shelf__c").first { $0["Id"]?.stringValue == world.id("s1h1x1") }
        #expect([shelf?["Title__c"], shelf?["Note__c"]] == ["mine", "theirs"])
        let entry = try await world.entries(SiteTree.shelves).first { $0["Title__c"]?.stringValue == "mine" }
        #expect(entry?["Note__c"] == "theirs")
        try await world.expectEqualSides()
    }

    @Test(arguments: [false, true]) func `A tree larger than a request is split`(allOrNone: Bool) async throws {
        let world = try await SiteTree.world(allOrNone: allOrNone)
        let site = try await world.create("site", SiteTree.sites)
        for number in 1...6 {
            let hall = try await world.create("hall\(number)", SiteTree.halls, under: site)
            for shelf in 1...10 { try await world.create("x\(number)-\(shelf)", SiteTree.shelves, under: hall) }
        }
        let requests = world.org.journal.count
        #expect(try await world.run("up").created == 67)
        #expect(world.requests(since: requests).count == (allOrNone ? 1 : 3))
        try await world.expectEqualSides()
    }

    /// The other records are pushed, unless the tree is pushed completely or not at all.
    @Test(arguments: [false, true]) func `A refused record affects its tree only with allOrNone`(allOrNone: Bool)
        async throws
    {
        let world = try await syncedWorld(allOrNone: allOrNone)
        let site = try await world.create("site", SiteTree.sites)
        let hall = try await world.create("hall", SiteTree.halls, under: site)
        try await world.create("a title that is longer than it may be", SiteTree.shelves, under: hall)
        try await world.create("shelf", SiteTree.shelves, under: hall)
        try await world.edit("s2", SiteTree.sites)
        let before = try world.orgLines()
        let result = try await world.run("up")
        #expect([result.created, result.failed, result.skipped] == (allOrNone ? [0, 1, 3] : [3, 1, 0]))
        #expect(result.updated == 1)
        let dirty = try await world.dirtyLines()
        #expect(dirty.count == (allOrNone ? 4 : 1))
        #expect(dirty.count { $0.contains("STRING_TOO_LONG") } == 1)
        let now = try world.orgLines()
        if allOrNone { #expect(now == before.map { $0 == "Site__c s2 s2" ? "Site__c s2 mine" : $0 }) }
        // After a correction it is pushed with the rest.
        let entries = try await world.entries(SiteTree.shelves)
        let long = try #require(entries.first { $0["Title__c"]?.stringValue?.hasPrefix("a title") == true })
        try await world.kit.store.edit(long.id, setting: ["Title__c": "short"], in: "shelves")
        try await world.run("up")
        try await world.expectEqualSides()
        #expect(try world.orgLines().count == before.count + 4)
    }

    /// If more graphs fail than the server allows, the graphs after them are sent again.
    @Test func `Graphs that the server did not process are sent again`() async throws {
        let world = try await SiteTree.world(allOrNone: true)
        for number in 1...40 {
            let isBad = number <= 20
            try await world.create(isBad ? "a title that is longer than it may be" : "s\(number)", SiteTree.sites)
        }
        let result = try await world.run("up")
        #expect([result.created, result.failed] == [20, 20])
        #expect(try await world.dirtyLines().count { $0.contains("STRING_TOO_LONG") } == 20)
        #expect(try world.orgLines().count == 20)
    }

    /// The response to a push is lost: a record with an external ID is found again, and not duplicated.
    @Test func `Lost creations are found by their external IDs`() async throws {
        let world = try await SiteTree.world()
        try await world.create("site", SiteTree.sites, fields: ["Key__c": "k1"])
        world.org.add(OrgFault(.drop(.afterCommit), path: "/composite", count: 1))
        world.clock.advance(by: .seconds(10))
        _ = try await world.kit.syncs.reSync(named: "up").result
        try await world.run("up")
        try await world.expectEqualSides()
        #expect(try world.orgLines().count == 1)
    }

    /// The external ID was set after the response was lost, so the lookup finds nothing.
    ///
    /// This does not mean that the server has no such record.
    @Test func `An external ID set after a lost response finds nothing`() async throws {
        let world = try await SiteTree.world()
        try await world.create("site", SiteTree.sites)
        world.org.add(OrgFault(.drop(.afterCommit), path: "/composite", count: 1))
        #expect(try await world.run("up").unknown == 1)
        try await world.kit.store.edit(1, setting: ["Key__c": "k1"], in: "sites")
        #expect(try await world.run("up").unknown == 1)
        #expect(try world.orgLines() == ["Site__c * site"])
        #expect(try await world.kit.syncs.unknownCreations() == ["sites": [1]])
        let id = try #require(try world.org.state(of: "Site__c").first?["Id"]?.stringValue)
        try await world.kit.syncs.resolveUnknown(entryId: 1, soup: "sites", as: .created(id))
        #expect(try await world.run("up").updated == 1)
        try await world.expectEqualSides()
        #expect(try world.orgLines() == ["Site__c * site"])
    }

    /// A child of an unchanged parent is created, and another record of the tree is locked.
    @Test func `A created child is not sent again with a locked record`() async throws {
        let world = try await syncedWorld(clock: .advancing())
        let before = try world.orgLines()
        try await world.create("new", SiteTree.shelves, under: world.id("s1h1"))
        try await world.edit("s1h2", SiteTree.halls, to: "locked")
        world.org.add(
            OrgFault(.itemError(.init(field: "Title__c", value: "locked", code: "UNABLE_TO_LOCK_ROW")), count: 1))
        let result = try await world.run("up")
        #expect([result.created, result.updated, result.failed] == [1, 0, 1])
        let after = (before + ["Shelf__c * new under s1h1"]).sorted()
        #expect(try world.orgLines().sorted() == after)
        #expect(try await world.dirtyLines().map { $0.contains("UNABLE_TO_LOCK_ROW") } == [true])
        #expect(try await world.run("up").updated == 1)
        try await world.expectEqualSides()
        #expect(
            try world.orgLines().sorted() == after.map { $0.replacing("s1h2 s1h2 ", with: "s1h2 locked ") }.sorted())
    }

    /// The parent's ID is in no field list; updates contain it nevertheless.
    @Test(arguments: [false, true]) func `A moved child is moved on the server with MERGE`(isEdited: Bool)
        async throws
    {
        let world = try await syncedWorld()
        var fields: JSONObject = ["Site__c": .string(world.id("s2"))]
        if isEdited { fields["Title__c"] = "mine" }
        try await world.kit.store.edit(world.entry("s1g1", SiteTree.guards), setting: fields, in: "guards")
        let result = try await world.run("upMerge")
        #expect([result.updated, result.failed] == [1, 0])
        #expect(try world.orgLines().contains("Guard__c s1g1 \(isEdited ? "mine" : "s1g1") under s2"))
        try await world.expectEqualSides()
    }
}
