// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupTesting
import Testing

@Suite struct ResultPageTests {
    private let entries = QuerySpec.all("cities", orderedBy: "name", pageSize: 2)
    private let rows = QuerySpec.all("cities", orderedBy: "name", selecting: ["name"], pageSize: 2)
    private let smart = QuerySpec.smart("select {cities:name} from {cities} order by 1", pageSize: 2)

    /// A store with three cities.
    private func cities(_ kind: StoreKind, in folder: TemporaryFolder) async throws -> SmartStore {
        let store = SmartStore(try await kind.open(in: folder, TickingClock()))
        try await store.registerSoup("cities", [IndexSpec("name", .string)])
        for name in ["Bonn", "Rome", "Oslo"] { try await store.upsert(["name": .string(name)], into: "cities") }
        return store
    }

    @Test(arguments: StoreKind.allCases) func `Each kind of query has its page type`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = try await cities(kind, in: folder)
        let found: EntryPage = try await store.query(entries)
        #expect(found.entries.map { $0["name"] } == ["Bonn", "Oslo"])
        #expect(found.count == 2 && found.texts == found.entries.map(\.json))
        let values: RowPage = try await store.rows(matching: rows)
        #expect(values.rows.map(\.value) == [["Bonn"], ["Oslo"]])
        #expect(values.count == 2 && values.texts == values.rows)
        #expect(try await store.rows(matching: rows, page: 1).rows.map(\.value) == [["Rome"]])
        #expect(try await store.query(entries, page: 2).count == 0)
    }

    @Test(arguments: StoreKind.allCases) func `Positions continue pages of either kind`(_ kind: StoreKind) async throws
    {
        let folder = try TemporaryFolder()
        let store = try await cities(kind, in: folder)
        let first = try await store.query(entries, after: nil)
        #expect(first.page.entries.map(\.id) == [1, 3])
        let second = try await store.query(entries, after: first.next)
        #expect(second.page.entries.map(\.id) == [2] && second.next == nil)
        // The selected paths may change between pages.
        let names = try await store.rows(matching: rows, after: first.next)
        #expect(names.page.rows.map(\.value) == [["Rome"]] && names.next == nil)
    }

    /// The store has no soup: reading it would throw another error.
    @Test func `A query of the other kind is refused unread`() async throws {
        let folder = try TemporaryFolder()
        let store = SmartStore(try await StoreKind.sqlite.open(in: folder, TickingClock()))
        for spec in [rows, smart] {
            await refused("rows(matching:page:arguments:)") { _ = try await store.query(spec) }
            await refused("rows(matching:after:arguments:)") { _ = try await store.query(spec, after: nil) }
            await refused("rowPages(of:arguments:)") { for try await _ in store.pages(of: spec) {} }
            await refused("rowPages(of:arguments:)") { for try await _ in store.entries(matching: spec) {} }
            await refused("liveRows(_:page:arguments:)") { for try await _ in store.live(spec) {} }
            await refused("rowCursor(_:id:arguments:)") { _ = try await store.cursor(spec, id: "1") }
        }
        let spec = entries
        await refused("query(_:page:arguments:)") { _ = try await store.rows(matching: spec) }
        await refused("query(_:after:arguments:)") { _ = try await store.rows(matching: spec, after: nil) }
        await refused("pages(of:arguments:)") { for try await _ in store.rowPages(of: spec) {} }
        await refused("live(_:page:arguments:)") { for try await _ in store.liveRows(spec) {} }
        await refused("cursor(_:id:arguments:)") { _ = try await store.rowCursor(spec, id: "1") }
    }

    /// Checks that a call is refused with a hint that names the method for the query.
    private func refused(
        _ method: String, at location: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
    ) async {
        let error = await #expect(throws: SoupError.self, sourceLocation: location) { try await call() }
        #expect(error?.code == .badQuerySpec && error?.hint == "Use \(method).", sourceLocation: location)
    }

    @Test(arguments: StoreKind.allCases) func `A reader's page is converted to its own type`(_ kind: StoreKind)
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await cities(kind, in: folder)
        let (found, values) = try await store.read { [entries, rows] in (try $0.query(entries), try $0.query(rows)) }
        #expect(try EntryPage(found).entries == found.entries && EntryPage(found).count == 2)
        #expect(try RowPage(values).rows == values.rows && RowPage(values).count == 2)
        #expect(throws: SoupError.self) { try EntryPage(values) }
        #expect(throws: SoupError.self) { try RowPage(found) }
    }
}
