// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SQLiteStore
import SmartStore
import SoupCore
import Synchronization
import Testing

@Suite struct LiveQueryTests {
    let folder: TemporaryFolder
    let backend: CountingStore
    let store: SmartStore

    init() async throws {
        folder = try TemporaryFolder()
        let clock = TickingClock()
        backend = CountingStore(try await SQLiteStore.open(.init(path: folder.path + "/s.sqlite"), clock: clock))
        store = SmartStore(backend, clock: clock)
        for soup in ["contacts", "accounts"] as [SoupName] {
            try await store.registerSoup(soup, [IndexSpec("Name", .string)])
        }
        try await add(["Adler", "Brandt"])
    }

    private func add(_ names: [String], to soup: SoupName = "contacts") async throws {
        try await store.upsert(try names.map { try JSONText(["Name": .string($0)]) }, into: soup)
    }

    private func names(_ page: QueryPage?) -> [String]? {
        page?.entries.compactMap { $0["Name"]?.stringValue }
    }

    @Test func givesTheResultAndThenEachChangeOfIt() async throws {
        var live = store.live(.all("contacts", orderedBy: "Name")).makeAsyncIterator()
        #expect(names(try await live.next()) == ["Adler", "Brandt"])
        try await add(["Aster"])
        #expect(names(try await live.next()) == ["Adler", "Aster", "Brandt"])
        try await store.delete([1], from: "contacts")
        #expect(names(try await live.next()) == ["Aster", "Brandt"])
    }

    @Test func whatLeavesThePageAsItWasIsNotTold() async throws {
        let spec = QuerySpec.exact("contacts", "Name", "Adler")
        var live = store.live(spec).makeAsyncIterator()
        _ = try await live.next()
        try await add(["Zander"])
        try await add(["Adler"])
        #expect(names(try await live.next()) == ["Adler", "Adler"])
    }

    @Test func writesToOtherSoupsCostNothing() async throws {
        var live = store.live(.all("contacts")).makeAsyncIterator()
        _ = try await live.next()
        let before = backend.reads
        for number in 0..<20 { try await add(["\(number)"], to: "accounts") }
        try await add(["Corell"])
        #expect(names(try await live.next()) == ["Adler", "Brandt", "Corell"])
        #expect(backend.reads - before == 1)
    }

    @Test func writesThatNobodyTookComeAsOne() async throws {
        var live = store.live(.all("contacts", pageSize: 100)).makeAsyncIterator()
        _ = try await live.next()
        for number in 0..<20 { try await add(["\(number)"]) }
        var seen: [Int] = []
        while seen.last != 22, let page = try await live.next() { seen.append(page.count) }
        #expect(seen == seen.sorted() && seen.last == 22)
    }

    @Test func smartQueriesListenToEverySoupThatTheyName() async throws {
        let sql =
            "select count(*) from (select {contacts:Name} from {contacts} union all select {accounts:Name} from {accounts})"
        var live = store.live(.smart(sql)).makeAsyncIterator()
        #expect(try await live.next()?.rows.map(\.value) == [[2]])
        try await add(["Acme"], to: "accounts")
        #expect(try await live.next()?.rows.map(\.value) == [[3]])
        try await add(["Corell"])
        #expect(try await live.next()?.rows.map(\.value) == [[4]])
    }

    @Test func aQueryWithoutSoupsIsRefused() async throws {
        var live = store.live(.smart("select 1")).makeAsyncIterator()
        await #expect(throws: SoupError.self) { try await live.next() }
    }

    @Test func itEndsWithTheStoreAndWithTheTask() async throws {
        let live = store.live(.all("contacts"))
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
        try await store.close()
        #expect(try await closing.next() == nil)
    }
}

/// A store that counts how often it is read.
final class CountingStore: StoreBackend {
    typealias Configuration = SQLiteStore.Configuration
    static let name: PluginName = "counting"

    private let store: SQLiteStore
    private let count = Mutex(0)

    var reads: Int { count.withLock { $0 } }
    var capabilities: Set<StoreCapability> { store.capabilities }

    init(_ store: SQLiteStore) { self.store = store }

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> CountingStore {
        CountingStore(try await SQLiteStore.open(configuration, in: context))
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await store.write(body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        count.withLock { $0 += 1 }
        return try await store.read(body)
    }

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { store.changes(in: soups) }
    func close() async throws { try await store.close() }
}
