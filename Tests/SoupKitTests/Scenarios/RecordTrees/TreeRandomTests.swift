// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Random changes on both sides of record trees with three levels, and random syncs between them.
///
/// After three runs without changes, both sides are equal.
@Suite struct TreeRandomTests {
    /// A sequence of random changes; every name is used once.
    private struct Walk {
        var world: TreeWorld
        var random: SeededRandom
        var count = 0
        let kinds = [SiteTree.sites, SiteTree.halls, SiteTree.shelves]

        mutating func name() -> String {
            count += 1
            return "n\(count)"
        }

        func rows(_ kind: Int) throws -> [String] {
            try world.org.state(of: kinds[kind].object).filter { $0["IsDeleted"] != true }
                .compactMap { $0["Id"]?.stringValue }.sorted()
        }

        mutating func pick<T>(_ list: [T]) -> T? { list.randomElement(using: &random) }

        mutating func changeOrg() throws {
            world.clock.advance(by: .milliseconds(Int64.random(in: 0...3000, using: &random)))
            let kind = Int.random(in: 0...2, using: &random)
            let object = kinds[kind].object
            let title = name()
            switch Int.random(in: 0...9, using: &random) {
            case 0...3:
                var values: JSONObject = ["Title__c": .string(title)]
                if let field = kinds[kind].parent {
                    let ids = try rows(kind - 1)
                    guard let parent = pick(ids) else { return }
                    values[field] = .string(parent)
                }
                try world.org.insert(object, values)
            case 4...7:
                let ids = try rows(kind)
                guard let id = pick(ids) else { return }
                try world.org.edit(object, id: id, ["Title__c": .string(title)])
            case 8:
                let (halls, sites) = (try rows(1), try rows(0))
                guard let hall = pick(halls), let site = pick(sites) else { return }
                try world.org.edit("Hall__c", id: hall, ["Site__c": .string(site)])
            default:
                let ids = try rows(kind)
                guard let id = pick(ids) else { return }
                try world.org.delete(object, id: id)
            }
        }

        mutating func changeStore() async throws {
            world.clock.advance(by: .milliseconds(Int64.random(in: 0...3000, using: &random)))
            let kind = Int.random(in: 0...2, using: &random)
            let title = name()
            let (world, kinds) = (world, kinds)
            func live(_ kind: Int) async throws -> [SoupEntry] {
                try await world.entries(kinds[kind]).filter { $0["__locally_deleted__"] != .bool(true) }
                    .sorted { $0.id < $1.id }
            }
            switch Int.random(in: 0...9, using: &random) {
            case 0...3:
                var parent: String?
                if kind > 0 {
                    let parents = try await live(kind - 1)
                    guard let entry = pick(parents) else { return }
                    parent = entry["Id"]?.stringValue
                }
                try await world.create(title, kinds[kind], under: parent)
            case 4...7:
                let entries = try await live(kind)
                guard let entry = pick(entries) else { return }
                try await world.kit.store.edit(
                    entry.id, setting: ["Title__c": .string(title)], in: kinds[kind].soup)
            default:
                let entries = try await live(kind)
                guard let entry = pick(entries) else { return }
                try await world.kit.store.delete(entry.id, in: kinds[kind].soup)
            }
        }

        mutating func sync() async throws {
            let sync = pick(["up", "upLeave", "down"]) ?? "down"
            try await world.run(sync)
            // The sync down must own the pushed records.
            try await world.run("down")
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>) func `Both sides are equal after random changes`(seed: UInt64)
        async throws
    {
        var start = try await SiteTree.world()
        start.org.setOptions { $0.maximumPageSize = 3 }
        try SiteTree.fill(&start, sites: 2, halls: 2, shelves: 2, guards: false)
        try await start.run("down")
        var walk = Walk(world: start, random: SeededRandom(seed: seed))
        for _ in 0..<60 {
            switch Int.random(in: 0...9, using: &walk.random) {
            case 0...3: try walk.changeOrg()
            case 4...7: try await walk.changeStore()
            default: try await walk.sync()
            }
        }
        let world = walk.world
        for _ in 0..<3 {
            try await world.run("up")
            try await world.run("down")
            _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
        }
        try await world.expectEqualSides("seed \(seed)")
        let names = try world.orgLines().map { $0.split(separator: " ")[2] }
        #expect(Set(names).count == names.count, "seed \(seed)")
    }
}
