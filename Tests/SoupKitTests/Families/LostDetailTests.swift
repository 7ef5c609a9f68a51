// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Details that were made together with their master, and whose creation's answer was lost.
@Suite struct LostDetailTests {
    /// The server refuses every update that tells it a detail's master: what is settled must not look moved.
    @Test(arguments: [true, false], [true, false])
    func `What follows its master to an ID is not moved`(mastersFirst: Bool, isEdited: Bool) async throws {
        let world = try await SiteFamily.world()
        let site = try await world.create("site", SiteFamily.sites)
        let hall = try await world.create("hall", SiteFamily.halls, under: site)
        try await world.create("shelf", SiteFamily.shelves, under: hall)
        world.org.add(OrgFault(.drop(.afterCommit), path: "/composite", count: 1))
        #expect(try await world.run("up").unknown == 3)
        if isEdited { try await world.kit.store.edit(1, setting: ["Title__c": "mine"], in: "shelves") }
        let kinds = [SiteFamily.sites, SiteFamily.halls, SiteFamily.shelves]
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
        try await world.expectInLine()
        #expect(try await world.dirtyLines() == [])
    }

    /// Sent again by its external id it would be an update that tells its master.
    @Test(arguments: ["up", "upLeave", "upMerge"], [true, false])
    func `What has an external ID is found again`(sync: String, isEdited: Bool) async throws {
        let world = try await SiteFamily.world(shelfKeys: true)
        let site = try await world.create("site", SiteFamily.sites)
        try await world.create("hall", SiteFamily.halls, under: site)
        #expect(try await world.run(sync).created == 2)
        let id = try #require(try await world.kit.store.retrieve([1], from: "halls").first?["Id"]?.stringValue)
        try await world.create("shelf", SiteFamily.shelves, under: id, ["Key__c": "k1"])
        world.org.add(OrgFault(.drop(.afterCommit), path: "/composite", bodyContains: "shelf", count: 1))
        #expect(try await world.run(sync).unknown == 1)
        if isEdited { try await world.kit.store.edit(1, setting: ["Title__c": "mine"], in: "shelves") }
        let result = try await world.run(sync)
        #expect([result.created, result.updated, result.failed, result.conflicted] == [1, isEdited ? 1 : 0, 0, 0])
        #expect(try world.orgLines().last == "Shelf__c * \(isEdited ? "mine" : "shelf") under *")
        try await world.expectInLine()
        #expect(try await world.dirtyLines() == [])
    }

    /// Its master, which nobody can look up, is settled by hand before.
    @Test(arguments: ["up", "upLeave", "upMerge"], [true, false])
    func `What has an external ID is found below a master that was lost with it`(sync: String, arrived: Bool)
        async throws
    {
        let world = try await SiteFamily.world(shelfKeys: true)
        let site = try await world.create("site", SiteFamily.sites)
        #expect(try await world.run(sync).created == 1)
        let known = try #require(try await world.kit.store.retrieve([1], from: "sites").first?["Id"]?.stringValue)
        #expect(known != site)
        let hall = try await world.create("hall", SiteFamily.halls, under: known)
        try await world.create("shelf", SiteFamily.shelves, under: hall, ["Key__c": "k1"])
        world.org.add(
            OrgFault(
                .drop(arrived ? .afterCommit : .beforeHeaders), path: "/composite", bodyContains: "shelf", count: 1))
        #expect(try await world.run(sync).unknown == 2)
        let made = try world.org.state(of: "Hall__c").first?["Id"]?.stringValue
        try await world.kit.syncs.resolveUnknown(entryId: 1, soup: "halls", as: made.map { .created($0) } ?? .resend)
        let result = try await world.run(sync)
        #expect([result.created, result.updated, result.failed, result.unknown] == [arrived ? 1 : 2, 0, 0, 0])
        #expect(try world.orgLines() == ["Site__c * site", "Hall__c * hall under *", "Shelf__c * shelf under *"])
        try await world.expectInLine()
        #expect(try await world.dirtyLines() == [])
    }
}
