// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Details that were created together with their master, and whose response was lost.
@Suite struct LostDetailTests {
    /// The server refuses every update that contains a detail's master, so a resolved detail must not count as moved.
    @Test(arguments: [true, false], [true, false])
    func `A detail relinked to its master's ID is not moved`(mastersFirst: Bool, isEdited: Bool) async throws {
        let world = try await SiteTree.world()
        let site = try await world.create("site", SiteTree.sites)
        let hall = try await world.create("hall", SiteTree.halls, under: site)
        try await world.create("shelf", SiteTree.shelves, under: hall)
        world.org.add(OrgFault(.drop(.afterCommit), path: "/composite", count: 1))
        #expect(try await world.run("up").unknown == 3)
        if isEdited { try await world.kit.store.edit(1, setting: ["Title__c": "mine"], in: "shelves") }
        let kinds = [SiteTree.sites, SiteTree.halls, SiteTree.shelves]
        for kind in mastersFirst ? kinds : kinds.reversed() {
            let id = try #require(try world.org.state(of: kind.object).first?["Id"]?.stringValue)
            try await world.kit.syncs.resolveUnknown(entryId: 1, soup: kind.soup, as: .created(id))
        }
        #expect(try await world.dirtyLines().count == (isEdited ? 1 : 0))
        let result = try await world.run("up")
        #expect([result.updated, result.failed] == [isEdited ? 1 : 0, 0])
        #expect(
            try world.orgLines() == ["Site__c * site", "Hall__c * hall under *"]
                + ["Shelf__c * \(isEdited ? "mine" : "shelf") under *"])
        try await world.expectEqualSides()
        #expect(try await world.dirtyLines() == [])
    }

    /// If it were sent again by its external ID, the update would contain its master.
    @Test(arguments: ["up", "upLeave", "upMerge"], [true, false])
    func `A detail with an external ID is found again`(sync: String, isEdited: Bool) async throws {
        let world = try await SiteTree.world(shelfKeys: true)
        let site = try await world.create("site", SiteTree.sites)
        try await world.create("hall", SiteTree.halls, under: site)
        #expect(try await world.run(sync).created == 2)
        let id = try #require(try await world.kit.store.retrieve([1], from: "halls").first?["Id"]?.stringValue)
        try await world.create("shelf", SiteTree.shelves, under: id, fields: ["Key__c": "k1"])
        world.org.add(OrgFault(.drop(.afterCommit), path: "/composite", bodyContains: "shelf", count: 1))
        #expect(try await world.run(sync).unknown == 1)
        if isEdited { try await world.kit.store.edit(1, setting: ["Title__c": "mine"], in: "shelves") }
        let result = try await world.run(sync)
        #expect([result.created, result.updated, result.failed, result.conflicted] == [1, isEdited ? 1 : 0, 0, 0])
        #expect(try world.orgLines().last == "Shelf__c * \(isEdited ? "mine" : "shelf") under *")
        try await world.expectEqualSides()
        #expect(try await world.dirtyLines() == [])
    }

    /// The master has no external ID and is resolved by the app before.
    @Test(arguments: ["up", "upLeave", "upMerge"], [true, false])
    func `A detail is found below a master that was lost with it`(sync: String, arrived: Bool)
        async throws
    {
        let world = try await SiteTree.world(shelfKeys: true)
        let site = try await world.create("site", SiteTree.sites)
        #expect(try await world.run(sync).created == 1)
        let known = try #require(try await world.kit.store.retrieve([1], from: "sites").first?["Id"]?.stringValue)
        #expect(known != site)
        let hall = try await world.create("hall", SiteTree.halls, under: known)
        try await world.create("shelf", SiteTree.shelves, under: hall, fields: ["Key__c": "k1"])
        world.org.add(
            OrgFault(
                .drop(arrived ? .afterCommit : .beforeHeaders), path: "/composite", bodyContains: "shelf", count: 1))
        #expect(try await world.run(sync).unknown == 2)
        let arrivedId = try world.org.state(of: "Hall__c").first?["Id"]?.stringValue
        try await world.kit.syncs.resolveUnknown(
            entryId: 1, soup: "halls", as: arrivedId.map { .created($0) } ?? .resend)
        let result = try await world.run(sync)
        #expect([result.created, result.updated, result.failed, result.unknown] == [arrived ? 1 : 2, 0, 0, 0])
        #expect(try world.orgLines() == ["Site__c * site", "Hall__c * hall under *", "Shelf__c * shelf under *"])
        try await world.expectEqualSides()
        #expect(try await world.dirtyLines() == [])
    }
}
