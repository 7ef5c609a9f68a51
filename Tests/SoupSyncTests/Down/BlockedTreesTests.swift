// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import Synchronization
import Testing

@testable import SoupSync

/// The trees of a page that local changes block, and the cost of finding them.
@Suite struct BlockedTreesTests {
    private let layout = RecordLayout.accountsAndContacts(.masterDetail)

    /// A page of the parents p1 to p4, with the child `c` of each.
    private func page() throws -> FetchedPage {
        let numbers = 1...4
        let parents = try numbers.map { try JSONText(#"{"Id":"p\#($0)","Name":"theirs"}"#) }
        let children = try numbers.map { try JSONText(#"{"Id":"c\#($0)","AccountId":"p\#($0)"}"#) }
        return try FetchedPage(RecordPage(levels: [RecordBatch(parents), RecordBatch(children)]), layout)
    }

    /// Returns the blocked parents and children of the page, and the number of entries read from the store.
    private func check(_ world: World, _ guarding: WriteGuard) async throws -> (blocked: [String], read: Int) {
        let fetched = try page()
        let layout = layout
        return try await world.store.read { reader in
            let counting = CountingReader(base: reader)
            let trees = try BlockedTrees(of: fetched, layout: layout, guarding: guarding, in: counting)
            let blocked = fetched.levels.flatMap { level in
                level.records.filter { trees.access(to: $0, of: level.position) != .open }.compactMap { $0.link?.id }
            }
            return (blocked.sorted { $0.dropFirst() < $1.dropFirst() }, counting.returned.withLock { $0 })
        }
    }

    /// A world with a number of local changes in other trees, and three in the trees of the page.
    ///
    /// The three are an edited parent, a new child, and a child that was moved to another parent.
    private func world(changes: Int) async throws -> World {
        let world = try await World()
        for number in 0..<changes {
            try await world.create("new", under: "q\(number)")
            _ = try await world.store.create(["Id": .string("q\(number)")], in: "accounts")
        }
        _ = try await world.store.create(["Id": "p1", "Name": "mine"], in: "accounts")
        try await world.create("new", under: "p2")
        _ = try await world.store.create(["Id": "c3", "AccountId": "elsewhere"], in: "contacts")
        return world
    }

    @Test(arguments: [0, 40]) func `Trees with local changes are blocked`(changes: Int) async throws {
        let world = try await world(changes: changes)
        #expect(try await check(world, .dirty).blocked == ["p1", "c1", "p2", "c2", "p3", "c3"])
        #expect(try await check(world, .dirtySince(Moment.start)).blocked == ["p1", "c1", "p2", "c2", "p3", "c3"])
        #expect(try await check(world, .dirtySince(Moment.start + 1_000_000)).blocked == [])
        #expect(try await check(world, .none).blocked == [])
    }

    @Test func `Children of blocked trees come with their roots or not`() async throws {
        let world = try await world(changes: 0)
        let layout = layout
        let parents = try [#"{"Id":"p1"}"#, #"{"Id":"p4"}"#].map { try JSONText($0) }
        let children = try ["p1", "p2", "p4", "unknown"].map {
            try JSONText(#"{"Id":"c-\#($0)","AccountId":"\#($0)"}"#)
        }
        let fetched = try FetchedPage(RecordPage(levels: [RecordBatch(parents), RecordBatch(children)]), layout)
        let access = try await world.store.read { reader in
            let trees = try BlockedTrees(of: fetched, layout: layout, guarding: .dirty, in: reader)
            return fetched.levels.map { level in level.records.map { trees.access(to: $0, of: level.position) } }
        }
        #expect(
            access == [[.blockedWithRoot, .open], [.blockedWithRoot, .blocked, .open, .open]])
    }

    @Test func `Changes in other trees are not read`() async throws {
        #expect(try await check(world(changes: 40), .dirty).read == 3)
    }
}

/// A reader that counts the entries that it returns.
private final class CountingReader: StoreReader {
    let base: any StoreReader
    let returned = Mutex(0)

    init(base: any StoreReader) { self.base = base }

    private func counted(_ entries: [SoupEntry]) -> [SoupEntry] {
        returned.withLock { $0 += entries.count }
        return entries
    }

    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
        counted(try base.retrieve(ids, from: soup))
    }

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        let result = try base.query(spec, page: page, arguments: arguments)
        _ = counted(result.entries)
        return result
    }

    func soupNames() throws -> [SoupName] { try base.soupNames() }
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try base.indexSpecs(of: soup) }
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? {
        try base.lookup(value, at: path, in: soup)
    }
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int { try base.count(spec, arguments: arguments) }
    func dirtyIds(in soup: SoupName) throws -> [Int64] { try base.dirtyIds(in: soup) }
    func cleanValues(
        at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?
    ) throws -> [(id: Int64, value: String)] {
        try base.cleanValues(at: path, in: soup, writtenBy: syncId)
    }
}
