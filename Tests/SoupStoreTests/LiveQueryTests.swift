// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@Suite struct LiveQueryTests {
    /// A store with two soups, and two contacts.
    private struct World: Sendable {
        let folder: TemporaryFolder
        let backend: WatchedStore
        let store: SmartStore

        init(_ kind: StoreKind) async throws {
            folder = try TemporaryFolder()
            let clock = TickingClock()
            backend = WatchedStore(try await kind.open(in: folder, clock))
            store = SmartStore(backend, clock: clock)
            for soup in ["contacts", "accounts"] as [SoupName] {
                try await store.registerSoup(soup, [IndexSpec("Name", .string)])
            }
            try await add(["Adler", "Brandt"])
        }

        func add(_ names: [String], to soup: SoupName = "contacts") async throws {
            try await store.upsert(try names.map { try JSONText(["Name": .string($0)]) }, into: soup)
        }
    }

    private func names(_ page: QueryPage?) -> [String]? {
        page?.entries.compactMap { $0["Name"]?.stringValue }
    }

    @Test(arguments: StoreKind.allCases) func `Gives the result and then each change of it`(_ kind: StoreKind)
        async throws
    {
        let world = try await World(kind)
        var live = world.store.live(.all("contacts", orderedBy: "Name")).makeAsyncIterator()
        #expect(names(try await live.next()) == ["Adler", "Brandt"])
        try await world.add(["Aster"])
        #expect(names(try await live.next()) == ["Adler", "Aster", "Brandt"])
        try await world.store.remove([1], from: "contacts")
        #expect(names(try await live.next()) == ["Aster", "Brandt"])
    }

    @Test(arguments: StoreKind.allCases) func `What leaves the rows as they were is not told`(_ kind: StoreKind)
        async throws
    {
        let world = try await World(kind)
        let spec = QuerySpec(.exact(path: "Name", key: "Adler"), soup: "contacts", selectPaths: ["Name"])
        var live = world.store.live(spec).makeAsyncIterator()
        #expect(try await live.next()?.rows.map(\.value) == [["Adler"]])
        let adler = try #require(try await world.store.retrieve([1], from: "contacts").first)
        let before = world.backend.reads
        // Another entry, and another field of the one found.
        try await world.add(["Zander"])
        try await world.store.replace(adler, with: ["Name": "Adler", "City": "Bonn"], in: "contacts")
        await world.backend.listenersAsked(3)
        world.backend.afterNextRead { try? await world.add(["Adler"]) }
        #expect(try await live.next()?.rows.map(\.value) == [["Adler"], ["Adler"]])
        #expect(world.backend.reads - before == 2)
    }

    @Test(arguments: StoreKind.allCases) func `Writes to other soups cost nothing`(_ kind: StoreKind) async throws {
        let world = try await World(kind)
        var live = world.store.live(.all("contacts")).makeAsyncIterator()
        _ = try await live.next()
        let before = world.backend.reads
        for number in 0..<20 { try await world.add(["\(number)"], to: "accounts") }
        #expect(world.backend.reads == before)
        try await world.add(["Corell"])
        #expect(names(try await live.next()) == ["Adler", "Brandt", "Corell"])
        #expect(world.backend.reads - before == 1)
    }

    @Test(arguments: StoreKind.allCases) func `Writes that nobody took come as one`(_ kind: StoreKind) async throws {
        let world = try await World(kind)
        var live = world.store.live(.all("contacts", pageSize: 100)).makeAsyncIterator()
        _ = try await live.next()
        for number in 0..<20 { try await world.add(["\(number)"]) }
        await world.backend.listenersAsked(21)
        let before = world.backend.reads
        #expect(try await live.next()?.count == 22)
        #expect(world.backend.reads - before == 1)
        // Nothing is left to look at.
        try await world.store.close()
        #expect(try await live.next() == nil)
        #expect(world.backend.reads - before == 1)
    }

    @Test func `Smart queries listen to every soup that they name`() async throws {
        let world = try await World(.sqlite)
        let sql =
            "select count(*) from (select {contacts:Name} from {contacts} union all select {accounts:Name} from {accounts})"
        var live = world.store.live(.smart(sql)).makeAsyncIterator()
        #expect(try await live.next()?.rows.map(\.value) == [[2]])
        try await world.add(["Acme"], to: "accounts")
        #expect(try await live.next()?.rows.map(\.value) == [[3]])
        try await world.add(["Corell"])
        #expect(try await live.next()?.rows.map(\.value) == [[4]])
    }

    @Test(arguments: [
        "select count(*) + (select count(*) from TABLE_1) from {accounts}",
        "select count(*) from (select id from table_1 union all select id from \"TABLE_2\")",
        "select count(*) + (select count(*) from [Table_1]) from `TABLE_2`",
    ])
    func `Tables are soups too`(_ sql: String) async throws {
        let world = try await World(.sqlite)
        var live = world.store.live(.smart(sql)).makeAsyncIterator()
        #expect(try await live.next()?.rows.map(\.value) == [[2]])
        try await world.add(["Corell"])
        #expect(try await live.next()?.rows.map(\.value) == [[3]])
        try await world.add(["Acme"], to: "accounts")
        #expect(try await live.next()?.rows.map(\.value) == [[4]])
    }

    @Test(arguments: [
        ("select 1", nil), ("select 'TABLE_1'", nil), ("select TABLE_1_0 from (select 1 as TABLE_1_0)", nil),
        ("select count(*)\nfrom soup_attrs, {contacts}", Place(line: 2, column: 6, excerpt: "soup_attrs, {contacts}")),
        (#"select 1 from "Sqlite_Master""#, Place(line: 1, column: 15, excerpt: #""Sqlite_Master""#)),
    ])
    func `What cannot be listened to is refused`(_ sql: String, _ place: Place?) async throws {
        let world = try await World(.sqlite)
        var live = world.store.live(.smart(sql)).makeAsyncIterator()
        let error = await #expect(throws: SoupError.self) { try await live.next() }
        #expect(error?.code == .badQuerySpec && error?.place == place)
    }

    @Test(arguments: StoreKind.allCases) func `A look that fails is no end`(_ kind: StoreKind) async throws {
        let world = try await World(kind)
        var live = world.store.live(.all("contacts")).makeAsyncIterator()
        _ = try await live.next()
        try await world.store.removeSoup("contacts")
        let error = await #expect(throws: SoupError.self) { try await live.next() }
        #expect(error?.code == .unknownSoup)
        try await world.store.registerSoup("contacts", [IndexSpec("Name", .string)])
        try await world.add(["Corell"])
        #expect(names(try await live.next()) == ["Corell"])
    }

    @Test(arguments: StoreKind.allCases) func `It ends with the store and with the task`(_ kind: StoreKind) async throws
    {
        let world = try await World(kind)
        let live = world.store.live(.all("contacts"))
        let first = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var count = 0
            for try await _ in live {
                count += 1
                first.continuation.yield()
            }
            return count
        }
        var signals = first.stream.makeAsyncIterator()
        await signals.next()
        task.cancel()
        #expect(try await task.value == 1)

        var closing = live.makeAsyncIterator()
        _ = try await closing.next()
        try await world.store.close()
        #expect(try await closing.next() == nil)
        var late = live.makeAsyncIterator()
        #expect(try await late.next() == nil)
    }

    /// The first look of all, and one after a write.
    @Test(arguments: StoreKind.allCases, [true, false])
    func `A task that is cancelled during a look ends it`(_ kind: StoreKind, isFirst: Bool) async throws {
        let world = try await World(kind)
        let task = Task {
            var live = world.store.live(.all("contacts")).makeAsyncIterator()
            if !isFirst {
                _ = try await live.next()
                try await world.add(["Corell"])
            }
            world.backend.beforeNextRead { withUnsafeCurrentTask { $0?.cancel() } }
            let found = [try await live.next(), try await live.next()]
            return found.compactMap { $0 }
        }
        #expect(try await task.value == [])
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func `A store that is closed during a look ends it`(_ kind: StoreKind, isFirst: Bool) async throws {
        let world = try await World(kind)
        var live = world.store.live(.all("contacts")).makeAsyncIterator()
        if !isFirst {
            _ = try await live.next()
            try await world.add(["Corell"])
        }
        world.backend.beforeNextRead { [store = world.store] in try? await store.close() }
        #expect(try await live.next() == nil)
        #expect(try await live.next() == nil)
    }
}
