// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Random edits, moves and deletions of an app in record trees with three levels, whose changes the org may refuse.
///
/// The org's users only edit and create records. Therefore a record of the org may disappear only if the app has
/// deleted it, or a record above it in the store. `SOUPKIT_TORTURE=500` in the environment runs 500 sequences, and
/// `SOUPKIT_TORTURE_SEED` selects others.
@Suite struct TreeMovesTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds: [UInt64] = {
        let first = environment["SOUPKIT_TORTURE_SEED"].flatMap { UInt64($0) } ?? 1
        let count = environment["SOUPKIT_TORTURE"].flatMap { UInt64($0) } ?? 4
        return (0..<count).map { first + $0 }
    }()

    /// A sequence of random changes; every title is used once.
    private struct Walk {
        let world: TreeWorld
        var random: SeededRandom
        var count = 0
        var log: [String] = []
        private static let kinds = [SiteTree.sites, SiteTree.halls, SiteTree.shelves]

        init(_ world: TreeWorld, seed: UInt64) {
            self.world = world
            random = SeededRandom(seed: seed)
        }

        mutating func pick<T>(_ list: [T]) -> T? { list.randomElement(using: &random) }

        mutating func title() -> JSONValue {
            count += 1
            return .string("\(pick(["fine", "fine", "bad"]) ?? "")\(count)")
        }

        private func live(_ kind: Int) async throws -> [SoupEntry] {
            try await world.entries(Self.kinds[kind]).filter { $0["__locally_deleted__"] != .bool(true) }
                .sorted { $0.id < $1.id }
        }

        mutating func changeStore() async throws {
            let level = Int.random(in: 0...2, using: &random)
            let (kind, title) = (Self.kinds[level], title())
            let (entries, parents) = (try await live(level), level > 0 ? try await live(level - 1) : [])
            let entry = pick(entries)
            let parent = pick(parents)?["Id"]
            let choice = Int.random(in: 0...9, using: &random)
            log.append("\(choice) \(kind.soup) \(entry?.id ?? 0) \(title) under \(parent ?? .null)")
            switch choice {
            case 0...1:
                try await world.create(title.stringValue ?? "", kind, under: parent?.stringValue)
            case 2...3:
                guard let entry else { return }
                try await world.kit.store.edit(entry.id, setting: ["Title__c": title], in: kind.soup)
            case 4...7:
                guard let entry, let parent, let field = kind.parent else { return }
                try await world.kit.store.edit(
                    entry.id, setting: choice == 4 ? [field: parent, "Title__c": title] : [field: parent], in: kind.soup
                )
            default:
                guard let entry, entries.count > 1 else { return }
                try await world.kit.store.delete(entry.id, in: kind.soup)
            }
        }

        mutating func changeOrg() throws {
            let level = Int.random(in: 0...2, using: &random)
            let (kind, title) = (Self.kinds[level], title())
            func rows(_ kind: TreeWorld.Kind) throws -> [JSONValue] {
                try world.org.state(of: kind.object).filter { $0["IsDeleted"] != true }.compactMap { $0["Id"] }
            }
            world.clock.advance(by: .seconds(2))
            let (ids, parents) = (try rows(kind), level > 0 ? try rows(Self.kinds[level - 1]) : [])
            if Bool.random(using: &random), let id = pick(ids)?.stringValue {
                log.append("org edits \(id) \(title)")
                try world.org.edit(kind.object, id: id, ["Title__c": title])
            } else if let field = kind.parent, let parent = pick(parents) {
                log.append("org creates \(title) under \(parent)")
                try world.org.insert(kind.object, ["Title__c": title, field: parent])
            }
        }

        /// Runs a sync up, and checks which records it deleted on the server.
        mutating func syncUp(refusing: Bool) async throws {
            let mode = pick(["up", "upLeave", "upMerge"]) ?? "up"
            if refusing {
                let code = pick(["FIELD_CUSTOM_VALIDATION_EXCEPTION", "UNABLE_TO_LOCK_ROW"]) ?? ""
                let title = pick(try await dirtyTitles()) ?? ""
                log.append("refuses \(title) \(code)")
                world.org.add(OrgFault(.itemError(.init(field: "Title__c", value: .string(title), code: code))))
            }
            let (before, deleted) = (try ids(), try await deletedIds())
            let result = try await world.run(mode)
            world.org.removeFault()
            log.append("\(mode) \(result.created) \(result.updated) \(result.deleted), failed \(result.failed)")
            let lost = before.subtracting(try ids()).subtracting(deleted)
            #expect(lost.isEmpty, "\(lost): \(log)")
        }

        /// The IDs of all records of the org.
        private func ids() throws -> Set<String> {
            try Self.kinds.reduce(into: []) { ids, kind in
                ids.formUnion(
                    try world.org.state(of: kind.object).filter { $0["IsDeleted"] != true }
                        .compactMap { $0["Id"]?.stringValue })
            }
        }

        /// The IDs of the records that the app has deleted, also with a record above them, and of those that the store
        /// does not have.
        private func deletedIds() async throws -> Set<String> {
            var live: Set<String> = []
            for kind in Self.kinds {
                for entry in try await world.entries(kind) where entry["__locally_deleted__"] != .bool(true) {
                    let parent = kind.parent.flatMap { entry[JSONPath($0)]?.stringValue }
                    if kind.parent == nil || parent.map(live.contains) == true {
                        live.insert(entry["Id"]?.stringValue ?? "")
                    }
                }
            }
            return try ids().subtracting(live)
        }

        private func dirtyTitles() async throws -> [String] {
            var titles: [String] = []
            for kind in Self.kinds {
                titles += try await world.entries(kind).filter { $0["__local__"] == .bool(true) }
                    .compactMap { $0["Title__c"]?.stringValue }.sorted()
            }
            return titles
        }
    }

    @Test(arguments: seeds) func `No move is lost with the former master`(seed: UInt64) async throws {
        var start = try await SiteTree.world(
            allOrNone: seed.isMultiple(of: 2), movableShelves: true, clock: .advancing())
        try SiteTree.fill(&start, sites: 3, halls: 2, shelves: 2, guards: false)
        try await start.run("down")
        var walk = Walk(start, seed: seed)
        for _ in 0..<40 {
            switch Int.random(in: 0...9, using: &walk.random) {
            case 0...6: try await walk.changeStore()
            case 7: try walk.changeOrg()
            default:
                try await walk.syncUp(refusing: Bool.random(using: &walk.random))
                if Bool.random(using: &walk.random) { try await start.run("down") }
            }
        }
        for _ in 0..<3 {
            try await walk.syncUp(refusing: false)
            try await start.run("down")
        }
        for _ in 0..<3 {
            try await start.run("up")
            // Details that were moved below a new record which was deleted before it was sent.
            for orphan in try await start.kit.syncs.failures() where orphan.failure.code == "NO_PARENT" {
                _ = try await start.kit.syncs.discardChanges(of: [orphan.entryId], in: orphan.soup)
            }
            try await start.run("down")
            _ = try await start.kit.syncs.cleanResyncGhosts(named: "down")
        }
        try await start.expectEqualSides("seed \(seed): \(walk.log)")
        let names = try start.orgLines().map { $0.split(separator: " ")[2] }
        #expect(Set(names).count == names.count, "seed \(seed): \(walk.log)")
    }
}
