// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Testing

@Suite struct SmartStoreTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func open() async throws -> SmartStore {
        SmartStore(try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite"), clock: FixedClock(now: 1000)))
    }

    struct Person: Codable, Equatable {
        var name: String
        var age: Int
    }

    @Test func `Soups are set up, listed and removed`() async throws {
        let store = try await open()
        let specs = [IndexSpec("k", .string)]
        #expect(try await store.setUp(soups: [("b", specs), ("a", specs)]) == ["b", "a"])
        #expect(try await store.setUp(soups: [("a", [IndexSpec("x", .json1)]), ("c", specs)]) == ["c"])
        #expect(try await store.soupNames() == ["a", "b", "c"])
        #expect(try await store.indexSpecs(of: "a") == specs)
        try await store.removeSoup("b")
        #expect(try await store.soupExists("b") == false)
        #expect(try await store.soupExists("a"))
        await #expect(throws: SoupError.self) { try await store.setUp(soups: [("d", specs), ("e", [])]) }
        #expect(try await store.soupNames() == ["a", "c"])
    }

    @Test func `Entries of the app's own types are stored`() async throws {
        let store = try await open()
        try await store.registerSoup("p", [IndexSpec("name", .string), IndexSpec("age", .integer)])
        let people = [Person(name: "Eva", age: 30), Person(name: "Ali", age: 40), Person(name: "Eva", age: 31)]
        let entries = try await store.upsert(encoding: people, into: "p", externalIdPath: "name")
        #expect(entries.map(\.id) == [1, 2, 1])
        #expect(try entries.map { try $0.decode(Person.self) } == [people[2], people[1], people[2]])
        let one = try await store.upsert(["name": "Zoë", "age": 5], into: "p")
        #expect(try await store.retrieve([one.id, 99, 2], from: "p").map(\.id) == [2, 3])
        #expect(try await store.lookup("Ali", at: "name", in: "p") == 2)
        #expect(try await store.count(.all("p")) == 3)
        #expect(try await store.rows("select sum({p:age}) from {p} where {p:name} != ?", ["Ali"]) == [[36]])
        #expect(try await store.remove([1, 99], from: "p") == [1])
        #expect(try await store.remove(matching: .exact("p", "name", equals: "Ali"), from: "p") == 1)
        #expect(try await store.query(.all("p")).entries.map(\.id) == [3])
        try await store.clearSoup("p")
        #expect(try await store.count(.all("p")) == 0)
        await #expect(throws: SoupError.self) { try await store.upsert(encoding: [5], into: "p") }
    }

    @Test(arguments: [0, 1, 4, 5, 10, 11]) func `All pages are iterated`(_ count: Int) async throws {
        let store = try await open()
        try await store.registerSoup("s", [IndexSpec("n", .integer)])
        try await store.upsert(try (0..<count).map { try JSONText(["n": .int(Int64(100 - $0))]) }, into: "s")
        var seen: [Int64] = []
        for try await entry in store.entries(matching: .all("s", orderedBy: "n", pageSize: 5)) { seen.append(entry.id) }
        #expect(seen == (0..<count).reversed().map { Int64($0 + 1) })
    }

    @Test func `Rows cannot be iterated as entries`() async throws {
        let store = try await open()
        var iterator = store.entries(matching: .smart("select 1")).makeAsyncIterator()
        let error = await #expect(throws: SoupError.self) { try await iterator.next() }
        #expect(error?.code == .badQuerySpec)
    }

    @Test func `A cursor moves between pages`() async throws {
        let store = try await open()
        try await store.registerSoup("s", [IndexSpec("n", .integer)])
        try await store.upsert(try (1...5).map { try JSONText(["n": .int($0)]) }, into: "s")
        let first = try await store.rowCursor(.all("s", orderedBy: "n", selecting: ["n"], pageSize: 2), id: "7")
        #expect(
            first.json.description
                == #"{"cursorId":"7","currentPageIndex":0,"pageSize":2,"totalEntries":5,"totalPages":3,"#
                + #""currentPageOrderedEntries":[[1],[2]]}"#)
        #expect(try await store.move(first, toPage: 2).page.rows.map(\.description) == ["[5]"])
        #expect(try await store.move(first, toPage: 9).pageIndex == 2)
        #expect(try await store.move(first, toPage: -1).pageIndex == 0)
        let whole = try await store.cursor(.all("s", pageSize: 1), id: "a\"b")
        #expect(
            whole.json.value["currentPageOrderedEntries"]
                == [["n": 1, "_soupEntryId": 1, "_soupLastModifiedDate": 1000]])
        #expect(whole.json.value["cursorId"] == "a\"b")
        let empty = try await store.cursor(.exact("s", "n", equals: 77), id: "1")
        #expect(empty.totalPages == 0)
        #expect(try await store.move(empty, toPage: 3).pageIndex == 0)
    }

    @Test func `Local IDs are unique and recognized`() {
        let ids = (0..<100).map { _ in LocalId.random() }
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy { LocalId.isLocal($0) && $0.utf8.count == 38 })
        #expect(!LocalId.isLocal("003local_"))
    }
}
