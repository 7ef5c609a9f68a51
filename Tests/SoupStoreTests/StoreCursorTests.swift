// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Testing

@Suite struct StoreCursorTests {
    let folder: TemporaryFolder
    let store: SmartStore

    init() async throws {
        folder = try TemporaryFolder()
        let clock = TickingClock()
        store = SmartStore(
            try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite"), clock: clock), clock: clock)
        try await store.registerSoup(
            "things", [IndexSpec("size", .integer), IndexSpec("name", .string), IndexSpec("note", .fullText)])
        var random = SeededRandom(seed: 7)
        let records = try (0..<200).map { number in
            var record: JSONObject = [
                "name": .string("n\(Int.random(in: 0..<20, using: &random))"), "number": .int(Int64(number)),
            ]
            record["note"] = number % 3 == 0 ? "old red" : "new blue"
            if number % 5 != 0 { record["size"] = .int(Int64.random(in: -3..<3, using: &random)) }
            if number % 4 != 0 {
                record["unindexed"] = number % 2 == 0 ? .double(Double(number) / 7) : .string("x\(number % 6)")
            }
            return try JSONText(.object(record))
        }
        try await store.upsert(records, into: "things")
    }

    static let specs: [QuerySpec] = [nil, "size", "name", "unindexed", "_soupLastModifiedDate", "_soupEntryId"].flatMap
    {
        path in
        [QuerySpec.Order.ascending, .descending].flatMap { order in
            [
                QuerySpec(.all, soup: "things", orderPath: path, order: order, pageSize: 7),
                QuerySpec(
                    .range(path: "size", begin: -1, end: 2), soup: "things", orderPath: path, order: order, pageSize: 7),
                QuerySpec(
                    .like(path: "name", key: "n1%"), soup: "things", selectPaths: ["name", "number"], orderPath: path,
                    order: order, pageSize: 7),
                QuerySpec(
                    .match(path: "note", key: "red"), soup: "things", orderPath: path, order: order, pageSize: 7),
            ]
        }
    }

    /// The pages in sequence equal the whole result, in the same order.
    @Test(arguments: specs) func `The pages of a query are its whole result`(_ spec: QuerySpec) async throws {
        var whole = spec
        whole.pageSize = 1000
        let expected = try await store.read { [whole] in try $0.query(whole) }
        #expect(expected.count > 20)
        let found =
            spec.yieldsEntries
            ? try await texts(of: store.pages(of: spec)) : try await texts(of: store.rowPages(of: spec))
        // Without an order path, positions are ordered by ID, and the whole result as SQLite returns it.
        if spec.orderPath == nil {
            #expect(Set(found) == Set(expected.texts) && found.count == expected.count)
        } else {
            #expect(found == expected.texts)
        }
    }

    private func texts<Page>(of pages: PageSequence<Page>) async throws -> [JSONText] {
        var found: [JSONText] = []
        for try await page in pages {
            #expect(page.count <= 7)
            found += page.texts
        }
        return found
    }

    @Test func `Writes between pages do not move other entries`() async throws {
        var pages = store.pages(of: .all("things", orderedBy: "name", pageSize: 50)).makeAsyncIterator()
        var seen: [Int64] = []
        while let page = try await pages.next() {
            seen += page.entries.map(\.id)
            // Before the current position, where a numbered page would repeat a row.
            try await store.upsert([try JSONText(["name": "a"])], into: "things")
            try await store.remove([seen[0]], from: "things")
        }
        #expect(seen.sorted() == Array(1...200))
    }

    @Test func `A full last page has no next page`() async throws {
        var count = 0
        for try await page in store.pages(of: .all("things", pageSize: 100)) {
            count += 1
            #expect(page.count == 100)
        }
        #expect(count == 2)
    }

    @Test func `A cursor has one order for all its pages`() async throws {
        let spec = QuerySpec(.range(path: "name", begin: "n0", end: "n9"), soup: "things", pageSize: 30)
        let opened = try await store.cursor(spec, id: "1")
        var seen: [Int64] = opened.page.entries.map(\.id)
        var cursor = try await store.move(opened, toPage: 3)
        cursor = try await store.move(cursor, toPage: 0)
        #expect(cursor.page == opened.page)
        for page in 1..<opened.totalPages {
            cursor = try await store.move(page.isMultiple(of: 2) ? opened : cursor, toPage: page)
            seen += cursor.page.entries.map(\.id)
        }
        #expect(seen == seen.sorted() && Set(seen).count == opened.totalEntries && seen.count == opened.totalEntries)
    }

    @Test(arguments: StoreKind.allCases, [QuerySpec.Order.ascending, .descending])
    func `After a jump a cursor continues at the last row`(_ kind: StoreKind, _ order: QuerySpec.Order) async throws {
        let folder = try TemporaryFolder()
        let store = SmartStore(try await kind.open(in: folder, TickingClock()))
        try await store.registerSoup("things", [IndexSpec("name", .string)])
        try await store.upsert(
            try (0..<100).map { try JSONText(["name": .string("n\($0 % 7)"), "number": .int(Int64($0))]) },
            into: "things")
        let spec = QuerySpec.all("things", orderedBy: "name", order: order, pageSize: 10)
        var whole = spec
        whole.pageSize = 100
        let ids = try await store.query(whole).entries.map(\.id)
        var cursor = try await store.move(try await store.cursor(spec, id: "1"), toPage: 4)
        #expect(cursor.page.entries.map(\.id) == Array(ids[40..<50]))
        // Rows before the page are removed: by number the next page would begin five rows too late.
        try await store.remove(Array(ids[20..<25]), from: "things")
        cursor = try await store.move(cursor, toPage: 5)
        #expect(cursor.page.entries.map(\.id) == Array(ids[50..<60]))
        cursor = try await store.move(cursor, toPage: 6)
        #expect(cursor.page.entries.map(\.id) == Array(ids[60..<70]))
        // A step backwards is a jump, in the current rows.
        cursor = try await store.move(cursor, toPage: 5)
        #expect(cursor.page.entries.map(\.id) == Array(ids[55..<65]))
        try await store.upsert([try JSONText(["name": order == .ascending ? "a" : "z"])], into: "things")
        cursor = try await store.move(cursor, toPage: 6)
        #expect(cursor.page.entries.map(\.id) == Array(ids[65..<75]))
    }

    @Test func `A cursor keeps its arguments`() async throws {
        let spec = QuerySpec.smart(
            "select {things:number} from {things} where {things:number} >= ? order by 1",
            pageSize: 4)
        var cursor = try await store.rowCursor(spec, id: "1", arguments: [190])
        #expect(cursor.totalEntries == 10 && cursor.page.rows.map(\.value) == [[190], [191], [192], [193]])
        cursor = try await store.move(cursor, toPage: 2)
        #expect(cursor.page.rows.map(\.value) == [[198], [199]])
        cursor = try await store.move(cursor, toPage: 1)
        #expect(cursor.page.rows.map(\.value) == [[194], [195], [196], [197]])
        cursor = try await store.move(cursor, toPage: 2)
        #expect(cursor.page.rows.map(\.value) == [[198], [199]])
    }

    @Test func `The greatest page size is accepted`() async throws {
        let spec = QuerySpec.all("things", pageSize: .max)
        #expect(try await store.cursor(spec, id: "1").totalPages == 1)
        var count = 0
        for try await _ in store.entries(matching: spec) { count += 1 }
        #expect(count == 200)
    }

    @Test func `Smart queries are paged by number`() async throws {
        let spec = QuerySpec.smart("select {things:number} from {things} order by 1", pageSize: 90)
        var sizes: [Int] = []
        for try await page in store.rowPages(of: spec) { sizes.append(page.count) }
        #expect(sizes == [90, 90, 20])
        let second = try await store.rows(matching: spec, after: nil).next
        #expect(try await store.rows(matching: spec, after: second).page.rows.first?.value == [90])
        let afterAnEntry = QueryPosition(.entry(order: 1, id: 1), in: spec, backend: "memory")
        let error = await #expect(throws: SoupError.self) {
            _ = try await store.rows(matching: spec, after: afterAnEntry)
        }
        #expect(error?.message.contains("another query") == true)
    }

    /// Every kind of order path, and every kind of value that a position can have there.
    @Test(
        arguments: ["text", "whole", "real", "json", "_soupEntryId", "_soupLastModifiedDate", nil],
        [QuerySpec.Order.ascending, .descending])
    func `The index is used for every page`(_ path: JSONPath?, _ order: QuerySpec.Order) async throws {
        try await store.registerSoup(
            "indexed",
            [
                IndexSpec("text", .string), IndexSpec("whole", .integer), IndexSpec("real", .floating),
                IndexSpec("json", .json1),
            ])
        let records = try (0..<40).map { number in
            guard number % 4 != 0 else { return try JSONText(["other": 1]) }
            let value = Int64(number % 3)
            return try JSONText([
                "text": .string("t\(value)"), "whole": .int(value), "real": .double(Double(value) / 2),
                "json": .int(value),
            ])
        }
        try await store.upsert(records, into: "indexed")
        let spec = QuerySpec(.all, soup: "indexed", orderPath: path, order: order, pageSize: 3)
        var position: QueryPosition?
        var pages = 0
        repeat {
            let plan = try await store.plan(of: spec, after: position)
            // Without a position the index determines the order; after one it also finds the row.
            #expect(!plan.isEmpty && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
            if position != nil {
                #expect(
                    plan.allSatisfy {
                        $0.hasPrefix("SEARCH TABLE_2 USING INDEX")
                            || $0.hasPrefix("SEARCH TABLE_2 USING INTEGER PRIMARY KEY")
                    }, "\(plan)")
            }
            position = try await store.query(spec, after: position).next
            pages += 1
        } while position != nil
        #expect(pages == 14)
    }

    @Test func `The best matches come first`() async throws {
        let texts = ["red", "red and a lot of words that have nothing to do with it", "red red red"]
        try await store.upsert(try texts.map { try JSONText(["note": .string($0)]) }, into: "things")
        func notes(_ order: QuerySpec.Order) async throws -> [String] {
            let spec = QuerySpec(
                .match(path: nil, key: "red NOT old"), soup: "things", orderPath: JSONPath(EntryField.rank),
                order: order)
            #expect(try await store.count(spec) == 3)
            return try await store.query(spec).entries.compactMap { $0["note"]?.stringValue }
        }
        #expect(try await notes(.ascending) == [texts[2], texts[0], texts[1]])
        #expect(try await notes(.descending) == [texts[1], texts[0], texts[2]])
        await #expect(throws: SoupError.self) {
            _ = try await store.query(.all("things", orderedBy: JSONPath(EntryField.rank)))
        }
    }

    @Test func `Replacing an entry that changed since is refused`() async throws {
        let entry = try #require(try await store.retrieve([1], from: "things").first)
        let mine = try await store.replace(entry, with: ["name": "mine"], in: "things")
        #expect(mine["name"] == "mine" && mine.lastModified > entry.lastModified)
        await #expect { try await store.replace(entry, with: ["name": "theirs"], in: "things") } throws: { error in
            (error as? SoupError)?.code == .entryChanged
        }
        #expect(try await store.retrieve([1], from: "things") == [mine])
        try await store.remove([1], from: "things")
        await #expect { try await store.replace(mine, with: ["name": "back"], in: "things") } throws: { error in
            (error as? SoupError)?.code == .entryNotFound
        }
    }

    @Test func `Compacting frees the unused space`() async throws {
        let before = try await store.statistics()
        #expect(before.soups == [.init(name: "things", entries: 200, dirty: 0)])
        let text = String(repeating: "x", count: 2000)
        try await store.upsert(try (0..<500).map { _ in try JSONText(["name": .string(text)]) }, into: "things")
        let full = try await store.databaseSize()
        #expect(full > before.databaseSize + 500 * 2000)
        try await store.clearSoup("things")
        #expect(try await store.statistics().freeSize > 500 * 2000)
        try await store.compact()
        let after = try await store.statistics()
        #expect(after.databaseSize < full / 4 && after.freeSize == 0 && after.logSize == 0)
        #expect(after.soups == [.init(name: "things", entries: 0, dirty: 0)])
    }

    struct Thing: Decodable, Sendable, Equatable {
        var name: String
        var number: Int
    }

    @Test func `Entries are decoded to types of the app`() async throws {
        var things: [Thing] = []
        for try await thing in store.values(
            matching: .exact("things", "name", equals: "n3", pageSize: 2), as: Thing.self)
        {
            things.append(thing)
        }
        #expect(things.count > 2 && things.allSatisfy { $0.name == "n3" })
        #expect(things.map(\.number) == things.map(\.number).sorted())
        let rows = try await store.rows(
            "select {things:name}, count(*) from {things} group by 1 having count(*) > ? order by 1", [5])
        #expect(rows.allSatisfy { ($0[1]?.intValue ?? 0) > 5 } && !rows.isEmpty)
    }
}
