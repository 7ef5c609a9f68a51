// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// Returns a page of the entries that a query finds.
    ///
    /// ```swift
    /// for entry in try await store.query(.exact("contacts", "City", equals: "Paris")).entries { print(entry.json) }
    /// ```
    ///
    /// - Parameters:
    ///   - spec: a query without select paths; Smart SQL returns rows: see ``rows(matching:page:arguments:)``.
    ///   - page: counted from 0; a page after the last one is empty.
    ///   - arguments: must be empty, because only Smart SQL has arguments.
    /// - Throws: ``SoupError`` with `badQuerySpec`, before anything is read, if the query returns rows; the errors of
    ///   the store.
    public func query(_ spec: QuerySpec, page: Int = 0, arguments: [JSONValue] = []) async throws -> EntryPage {
        try await self.page(page, of: spec, arguments: arguments)
    }

    /// Returns a page of the rows that a query with select paths, or Smart SQL, finds.
    ///
    /// ```swift
    /// let names = QuerySpec.all("contacts", selecting: ["FirstName", "LastName"])
    /// for row in try await store.rows(matching: names).rows { print(row) }
    /// ```
    ///
    /// - Parameters:
    ///   - page: counted from 0; a page after the last one is empty.
    ///   - arguments: replace each `?` of smart queries, and only there.
    /// - Throws: ``SoupError`` with `badQuerySpec`, before anything is read, if the query returns entries; the errors
    ///   of the store.
    public func rows(matching spec: QuerySpec, page: Int = 0, arguments: [JSONValue] = []) async throws -> RowPage {
        try await self.page(page, of: spec, arguments: arguments)
    }

    /// Returns the number of rows that a query has on all pages.
    public func count(_ spec: QuerySpec, arguments: [JSONValue] = []) async throws -> Int {
        try await backend.quickRead { try $0.count(spec, arguments: arguments) }
    }

    /// Returns all rows of a Smart SQL query, each an array of its columns' values.
    ///
    /// ```swift
    /// let rows = try await store.rows("select {contacts:Name} from {contacts} where {contacts:City} = ?", ["Paris"])
    /// let names = rows.compactMap { $0[0]?.stringValue }
    /// ```
    public func rows(_ smartSQL: String, _ arguments: [JSONValue] = []) async throws -> [JSONValue] {
        try await rawRows(smartSQL, arguments).map(\.value)
    }

    func rawRows(_ smartSQL: String, _ arguments: [JSONValue]) async throws -> [JSONText] {
        try await rows(matching: .smart(smartSQL, pageSize: Int(Int32.max)), arguments: arguments).rows
    }

    /// Returns the page of entries after a position, or the first page for nil.
    ///
    /// If an index covers the order path, the cost of a page does not depend on the number of pages before it.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` for a query that returns rows, before anything is read, and for a
    ///   position from another query or another backend.
    public func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue] = []
    ) async throws -> PositionedPage<EntryPage> {
        try await page(of: spec, after: position, arguments: arguments)
    }

    /// Returns the page of rows after a position, or the first page for nil.
    ///
    /// Pages of Smart SQL are counted, so that a page costs more the later it is; the cost of others is that of
    /// ``query(_:after:arguments:)``.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` for a query that returns entries, before anything is read, and for
    ///   a position from another query or another backend.
    public func rows(
        matching spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue] = []
    ) async throws -> PositionedPage<RowPage> {
        try await page(of: spec, after: position, arguments: arguments)
    }

    /// Returns all pages of entries of a query, fetched on demand; see ``PageSequence``.
    public func pages(of spec: QuerySpec, arguments: [JSONValue] = []) -> PageSequence<EntryPage> {
        PageSequence(store: self, spec: spec, arguments: arguments)
    }

    /// Returns all pages of rows of a query, fetched on demand; see ``PageSequence``.
    public func rowPages(of spec: QuerySpec, arguments: [JSONValue] = []) -> PageSequence<RowPage> {
        PageSequence(store: self, spec: spec, arguments: arguments)
    }

    /// Returns the entries that a query finds, from all its pages, fetched page by page on demand.
    ///
    /// Queries that select paths, and smart queries, return no entries: iterating over them throws ``SoupError`` with
    /// `badQuerySpec`. ``PageSequence`` describes the effect of writes during the iteration.
    public func entries(matching spec: QuerySpec) -> EntrySequence { EntrySequence(pages: pages(of: spec)) }

    /// Returns the entries that a query finds, decoded to a type of the app, fetched page by page on demand.
    ///
    /// - Throws: during the iteration, `DecodingError` for an entry that cannot be decoded; the iteration ends then.
    public func values<T: Decodable & SendableMetatype>(
        matching spec: QuerySpec, as type: T.Type = T.self
    ) -> AsyncThrowingMapSequence<EntrySequence, T> {
        entries(matching: spec).map { try $0.decode(T.self) }
    }

    /// Returns the backend's plan for a query, one line a step, which shows whether it uses an index.
    ///
    /// - Parameter position: the position before the page; nil for the first page.
    /// - Throws: ``SoupError`` with `notSupported` if the backend does not report plans, and the errors of the query.
    public func plan(
        of spec: QuerySpec, after position: QueryPosition? = nil, arguments: [JSONValue] = []
    ) async throws -> [String] {
        try await backend.quickRead { reader in
            guard let position else { return try reader.plan(of: spec, arguments: arguments) }
            return try reader.plan(of: spec, after: position, arguments: arguments)
        }
    }
}

extension SmartStore {
    /// Returns a page by its number, if the query returns elements of its kind.
    func page<Page: ResultPage>(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) async throws -> Page {
        try Page.check(spec, entries: "query(_:page:arguments:)", rows: "rows(matching:page:arguments:)")
        return try Page(try await backend.quickRead { try $0.query(spec, page: number, arguments: arguments) })
    }

    /// Returns the page after a position, if the query returns elements of its kind.
    func page<Page: ResultPage>(
        of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) async throws -> PositionedPage<Page> {
        try Page.check(spec, entries: "query(_:after:arguments:)", rows: "rows(matching:after:arguments:)")
        return try await backend.quickRead { try $0.query(spec, after: position, arguments: arguments) }.typed()
    }
}
