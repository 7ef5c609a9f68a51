// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupSync
import Testing

/// Syncs over a store that keeps the synced soup in another store than the state of the syncs.
@Suite struct RoutedStoreTests {
    /// The end of the process before, between or after the commits of the two stores, at each write of a sync down.
    @Test(arguments: World.ContactsStore.allCases, [true, false])
    func `A sync down after a kill loses nothing`(_ contacts: World.ContactsStore, isSorted: Bool) async throws {
        func records(_ world: World) async throws -> [String] {
            try await world.entries().map { String($0.drop { $0 != "{" }) }.sorted()
        }
        let direct = try await World(routed: nil)
        direct.fill(9)
        _ = try await direct.manager.create(direct.down("down", ["pageSize": 2, "isSorted": .bool(isSorted)]))
        try await direct.run("down")
        let expected = try await records(direct)
        for point in [CrashableStore.CrashPoint.beforeCommit, .betweenCommits, .afterCommit] {
            var write = 0
            while true {
                write += 1
                let world = try await World(routed: contacts)
                world.fill(9)
                _ = try await world.manager.create(world.down("down", ["pageSize": 2, "isSorted": .bool(isSorted)]))
                world.backend.controls.crash(atWrite: write, point)
                if let run = try? await world.manager.reSync(named: "down") { _ = await run.result }
                let hasCrashed = checkCrash(of: world, at: write, point)
                let next = try await world.reopened()
                try await next.run("down")
                let entries = try await next.entries()
                #expect(entries.count == 9 && Set(entries).count == 9, "\(point) \(write)")
                #expect(entries.allSatisfy { $0.contains("clean") }, "\(point) \(write)")
                expect(try await records(next), expected, comment: "\(point) \(write)")
                guard hasCrashed else { break }
            }
            #expect(write > 5, "\(point): the run has only \(write - 1) writes")
        }
    }

    /// Returns whether the crash happened, and checks that it was the one that was asked for.
    private func checkCrash(of world: World, at write: Int, _ point: CrashableStore.CrashPoint) -> Bool {
        let hasCrashed = world.backend.controls.hasCrashed
        let lost = world.backend.main?.lostCommits ?? 0
        #expect(lost == (hasCrashed && point == .betweenCommits ? 1 : 0), "\(point) \(write)")
        return hasCrashed
    }

    /// The same, at each write of a sync up that creates, edits and deletes.
    @Test(arguments: World.ContactsStore.allCases)
    func `A sync up after a kill loses and doubles nothing`(_ contacts: World.ContactsStore) async throws {
        for point in [CrashableStore.CrashPoint.beforeCommit, .betweenCommits, .afterCommit] {
            var write = 0
            while true {
                write += 1
                let world = try await World(routed: contacts)
                try await world.seed("Ann", "Bob", "Cid")
                for name in ["Dan", "Eve", "Fay"] { try await world.create(name) }
                try await world.edit("ann", "Annie")
                try await world.delete("bob")
                _ = try await world.manager.create(world.up("up", ["canFind": true, "maxBatchSize": 2]))
                world.backend.controls.crash(atWrite: write, point)
                if let run = try? await world.manager.reSync(named: "up") { _ = await run.result }
                let hasCrashed = checkCrash(of: world, at: write, point)
                let next = try await world.reopened()
                try await next.run("up")
                #expect(
                    world.server.dump.map { $0.split(separator: " ")[1] }.sorted() == [
                        #"{"Name":"Annie"}"#, #"{"Name":"Cid"}"#, #"{"Name":"Dan"}"#, #"{"Name":"Eve"}"#,
                        #"{"Name":"Fay"}"#,
                    ], "\(point) \(write)")
                #expect(try await next.entries().allSatisfy { $0.contains("clean") }, "\(point) \(write)")
                expect(try await next.entries().count, 5, comment: "\(point) \(write)")
                expect(try await next.manager.unknownCreations(), [:], comment: "\(point) \(write)")
                guard hasCrashed else { break }
            }
            #expect(write > 5, "\(point): the run has only \(write - 1) writes")
        }
    }

    /// Opens the store as a new process does: its main store is as it was, and soups in memory are empty.
    private func restarted(_ world: World) async throws -> (store: SmartStore, manager: SyncManager) {
        let handle = try await world.secondHandle()
        let store = SmartStore(handle, clock: world.clock)
        try await store.setUp(soups: World.soups)
        return (store, try await world.another(over: handle))
    }

    @Test func `A soup that lost its entries is fetched again`() async throws {
        let world = try await World(routed: .memory)
        world.fill(3)
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        let (store, manager) = try await restarted(world)
        #expect(try await store.count(.all("contacts", pageSize: 1)) == 0)
        world.server.clearLog()
        _ = try await manager.reSync(named: "down").result
        #expect(world.server.log == ["query"])
        #expect(try await store.count(.all("contacts", pageSize: 1)) == 3)
        // The next run fetches only changes again.
        world.server.clearLog()
        _ = try await manager.reSync(named: "down").result
        #expect(world.server.log == ["query > +3s"])
    }

    @Test func `Notes about lost entries do not apply to new ones`() async throws {
        let world = try await World(routed: .memory)
        try await world.create("Ann")
        _ = try await world.manager.create(world.up())
        world.server.loseResponse()
        try await world.run("up")
        #expect(try await world.manager.unknownCreations().count == 1)
        world.server.with { $0.onPush = nil }
        let (store, manager) = try await restarted(world)
        let new = try await store.create(["Name": "Bob"], in: "contacts").id
        let result = try await manager.reSync(named: "up").result
        #expect([result.created, result.unknown] == [1, 0])
        #expect(try await manager.unknownCreations() == [:])
        #expect(try await store.retrieve([new], from: "contacts").first?["Id"] == "s2")
    }

    @Test func `A durable soup is not fetched again after a restart`() async throws {
        let world = try await World(routed: .sqlite)
        world.fill(2)
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        let (_, manager) = try await restarted(world)
        world.server.clearLog()
        _ = try await manager.reSync(named: "down").result
        #expect(world.server.log == ["query > +2s"])
    }

    /// A soup that was removed, or moved to another store, has none of the entries that the syncs fetched before.
    @Test(arguments: [nil, World.ContactsStore.sqlite, .memory])
    func `A soup that was registered again is fetched again`(
        _ contacts: World.ContactsStore?
    ) async throws {
        let world = try await World(routed: contacts)
        world.fill(5)
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        let before = try await world.entries().map { String($0.drop { $0 != "{" }) }.sorted()
        try await world.store.removeSoup("contacts")
        try await world.store.setUp(soups: World.soups)
        try await world.run("down")
        expect(try await world.entries().map { String($0.drop { $0 != "{" }) }.sorted(), before)
        world.server.clearLog()
        try await world.run("down")
        #expect(world.server.log.allSatisfy { $0.hasPrefix("query >") }, "\(world.server.log)")
    }
}
