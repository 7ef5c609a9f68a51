// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// Returns a page of a query's result, counted from 0; a page after the last one is empty.
    ///
    /// - Parameter arguments: replace each `?` of smart queries, and only there.
    public func query(_ spec: QuerySpec, page: Int = 0, arguments: [JSONValue] = []) async throws -> QueryPage {
        try await backend.quickRead { try $0.query(spec, page: page, arguments: arguments) }
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
        try await query(.smart(smartSQL, pageSize: Int(Int32.max)), arguments: arguments).rows
    }

    /// Returns the page after a position, or the first page for nil.
    ///
    /// If an index covers the order path, the cost of a page does not depend on the number of pages before it.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` for a position from another query or another backend.
    public func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue] = []
    ) async throws -> PositionedPage {
        try await backend.quickRead { try $0.query(spec, after: position, arguments: arguments) }
    }

    /// Returns all pages of a query, fetched on demand; see ``QueryPages``.
    public func pages(of spec: QuerySpec, arguments: [JSONValue] = []) -> QueryPages {
        QueryPages(store: self, spec: spec, arguments: arguments)
    }

    /// Returns the entries that a query finds, from all its pages, fetched page by page on demand.
    ///
    /// Queries that select paths, and smart queries, return no entries: iterating over them throws ``SoupError`` with
    /// `badQuerySpec`. ``QueryPages`` describes the effect of writes during the iteration.
    public func entries(matching spec: QuerySpec) -> EntrySequence { EntrySequence(store: self, spec: spec) }

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
