// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupStore
import SoupCore
import SoupTestStores
import SoupTesting
import Testing

@Suite struct LiveQueryTests {
    /// A store with two soups, and two contacts.
    private struct TestStore: Sendable {
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

    private func names(_ page: EntryPage?) -> [String]? {
        page?.entries.compactMap { $0["Name"]?.stringValue }
    }

    @Test(arguments: StoreKind.allCases) func `A live query delivers the result and each change`(_ kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        var live = test.store.live(.all("contacts", orderedBy: "Name")).makeAsyncIterator()
        #expect(names(try await live.next()) == ["Adler", "Brandt"])
        try await test.add(["Aster"])
        #expect(names(try await live.next()) == ["Adler", "Aster", "Brandt"])
        try await test.store.remove([1], from: "contacts")
        #expect(names(try await live.next()) == ["Aster", "Brandt"])
    }

    @Test(arguments: StoreKind.allCases) func `A write that does not change the rows is not delivered`(
        _ kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind)
        let spec = QuerySpec(.exact(path: "Name", key: "Adler"), soup: "contacts", selectPaths: ["Name"])
        var live = test.store.liveRows(spec).makeAsyncIterator()
        #expect(try await live.next()?.rows.map(\.value) == [["Adler"]])
        let adler = try #require(try await test.store.retrieve([1], from: "contacts").first)
        let before = test.backend.reads
        // Another entry, and another field of the found one.
        try await test.add(["Zander"])
        try await test.store.replace(adler, with: ["Name": "Adler", "City": "Bonn"], in: "contacts")
        await test.backend.waitForRequests(3)
        test.backend.afterNextRead { try? await test.add(["Adler"]) }
        #expect(try await live.next()?.rows.map(\.value) == [["Adler"], ["Adler"]])
        #expect(test.backend.reads - before == 2)
    }

    @Test(arguments: StoreKind.allCases) func `Writes to other soups run no query`(_ kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        var live = test.store.live(.all("contacts")).makeAsyncIterator()
        _ = try await live.next()
        let before = test.backend.reads
        for number in 0..<20 { try await test.add(["\(number)"], to: "accounts") }
        #expect(test.backend.reads == before)
        try await test.add(["Corell"])
        #expect(names(try await live.next()) == ["Adler", "Brandt", "Corell"])
        #expect(test.backend.reads - before == 1)
    }

    @Test(arguments: StoreKind.allCases) func `Pending writes are combined into one page`(_ kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        var live = test.store.live(.all("contacts", pageSize: 100)).makeAsyncIterator()
        _ = try await live.next()
        for number in 0..<20 { try await test.add(["\(number)"]) }
        await test.backend.waitForRequests(21)
        let before = test.backend.reads
        #expect(try await live.next()?.count == 22)
        #expect(test.backend.reads - before == 1)
        // No change is left to deliver.
        try await test.store.close()
        #expect(try await live.next() == nil)
        #expect(test.backend.reads - before == 1)
    }

    /// The store of another process is the file itself, also behind a store that composes others.
    @Test(.timeLimit(.minutes(1)), arguments: StoreKind.withSQL)
    func `Writes of another process are delivered`(_ kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let file = "\(test.folder.path)/\(kind == .routed ? "second" : "s").sqlite"
        let other = SmartStore(try await SQLiteStore.open(.test(path: file)), clock: TickingClock())
        var live = test.store.live(.all("contacts", orderedBy: "Name")).makeAsyncIterator()
        #expect(names(try await live.next()) == ["Adler", "Brandt"])
        for round in 1...3 {
            try await other.upsert([try JSONText(["Name": .string("C\(round)")])], into: "contacts")
            let expected = ["Adler", "Brandt"] + (1...round).map { "C\($0)" }
            #expect(names(try await live.next()) == expected)
        }
        try await test.add(["Aster"])
        #expect(names(try await live.next()) == ["Adler", "Aster", "Brandt", "C1", "C2", "C3"])
        try await other.close()
    }

    @Test func `A smart query observes every soup that it names`() async throws {
        let test = try await TestStore(.sqlite)
        let sql =
            "select count(*) from (select {contacts:Name} from {contacts} union all select {accounts:Name} from {accounts})"
        var live = test.store.liveRows(.smart(sql)).makeAsyncIterator()
        #expect(try await live.next()?.rows.map(\.value) == [[2]])
        try await test.add(["Acme"], to: "accounts")
        #expect(try await live.next()?.rows.map(\.value) == [[3]])
        try await test.add(["Corell"])
        #expect(try await live.next()?.rows.map(\.value) == [[4]])
    }

    @Test(arguments: [
        "select count(*) + (select count(*) from TABLE_1) from {accounts}",
        "select count(*) from (select id from table_1 union all select id from \"TABLE_2\")",
        "select count(*) + (select count(*) from [Table_1]) from `TABLE_2`",
    ])
    func `A query that names a table observes its soup`(_ sql: String) async throws {
        let test = try await TestStore(.sqlite)
        var live = test.store.liveRows(.smart(sql)).makeAsyncIterator()
        #expect(try await live.next()?.rows.map(\.value) == [[2]])
        try await test.add(["Corell"])
        #expect(try await live.next()?.rows.map(\.value) == [[3]])
        try await test.add(["Acme"], to: "accounts")
        #expect(try await live.next()?.rows.map(\.value) == [[4]])
    }

    @Test(arguments: [
        ("select 1", nil), ("select 'TABLE_1'", nil), ("select TABLE_1_0 from (select 1 as TABLE_1_0)", nil),
        (
            "select count(*)\nfrom soup_attrs, {contacts}",
            SoupError.Place(line: 2, column: 6, excerpt: "soup_attrs, {contacts}")
        ),
        (#"select 1 from "Sqlite_Master""#, SoupError.Place(line: 1, column: 15, excerpt: #""Sqlite_Master""#)),
    ])
    func `A query that cannot be observed is refused`(_ sql: String, _ place: SoupError.Place?) async throws {
        let test = try await TestStore(.sqlite)
        var live = test.store.liveRows(.smart(sql)).makeAsyncIterator()
        let error = await #expect(throws: SoupError.self) { try await live.next() }
        #expect(error?.code == .badQuerySpec && error?.place == place)
    }

    @Test(arguments: StoreKind.allCases) func `A failed query does not end the sequence`(_ kind: StoreKind) async throws
    {
        let test = try await TestStore(kind)
        var live = test.store.live(.all("contacts")).makeAsyncIterator()
        _ = try await live.next()
        try await test.store.removeSoup("contacts")
        let error = await #expect(throws: SoupError.self) { try await live.next() }
        #expect(error?.code == .unknownSoup)
        try await test.store.registerSoup("contacts", [IndexSpec("Name", .string)])
        try await test.add(["Corell"])
        #expect(names(try await live.next()) == ["Corell"])
    }

    @Test(arguments: StoreKind.allCases) func `The sequence ends with the store and with the task`(_ kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let live = test.store.live(.all("contacts"))
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
        try await test.store.close()
        #expect(try await closing.next() == nil)
        var late = live.makeAsyncIterator()
        #expect(try await late.next() == nil)
    }

    /// The first query, and one after a write.
    @Test(arguments: StoreKind.allCases, [true, false])
    func `Cancellation during a query ends the sequence`(_ kind: StoreKind, isFirst: Bool) async throws {
        let test = try await TestStore(kind)
        let task = Task {
            var live = test.store.live(.all("contacts")).makeAsyncIterator()
            if !isFirst {
                _ = try await live.next()
                try await test.add(["Corell"])
            }
            test.backend.beforeNextRead { withUnsafeCurrentTask { $0?.cancel() } }
            let found = [try await live.next(), try await live.next()]
            return found.compactMap { $0 }
        }
        #expect(try await task.value == [])
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func `Closing the store during a query ends the sequence`(_ kind: StoreKind, isFirst: Bool) async throws {
        let test = try await TestStore(kind)
        var live = test.store.live(.all("contacts")).makeAsyncIterator()
        if !isFirst {
            _ = try await live.next()
            try await test.add(["Corell"])
        }
        test.backend.beforeNextRead { [store = test.store] in try? await store.close() }
        #expect(try await live.next() == nil)
        #expect(try await live.next() == nil)
    }
}
