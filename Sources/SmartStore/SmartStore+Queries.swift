// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// A page of a query's result, counted from 0; a page behind the last is empty.
    ///
    /// - Parameter arguments: stand for the `?` of smart queries, and only there.
    public func query(_ spec: QuerySpec, page: Int = 0, arguments: [JSONValue] = []) async throws -> QueryPage {
        try await backend.quickRead { try $0.query(spec, page: page, arguments: arguments) }
    }

    /// How many rows a query has on all pages.
    public func count(_ spec: QuerySpec, arguments: [JSONValue] = []) async throws -> Int {
        try await backend.quickRead { try $0.count(spec, arguments: arguments) }
    }

    /// All rows of a Smart SQL query, each an array of its columns' values.
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

    /// The page behind a position, or the first page for nil.
    ///
    /// Behind an entry a page costs the same however far the walk has come, as long as an index serves the order path.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` for a position that came from another query or another backend.
    public func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue] = []
    ) async throws -> PositionedPage {
        try await backend.quickRead { try $0.query(spec, after: position, arguments: arguments) }
    }

    /// All pages of a query, fetched as they are asked for; see ``QueryPages``.
    public func pages(of spec: QuerySpec, arguments: [JSONValue] = []) -> QueryPages {
        QueryPages(store: self, spec: spec, arguments: arguments)
    }

    /// The entries that a query finds, over all its pages, fetched page by page as they are asked for.
    ///
    /// Queries that select paths, and smart ones, give no entries: walking over them throws ``SoupError`` with
    /// `badQuerySpec`. What holds for entries that are written meanwhile is said at ``QueryPages``.
    public func entries(matching spec: QuerySpec) -> EntrySequence { EntrySequence(store: self, spec: spec) }

    /// The entries that a query finds, decoded to a type of the app, page by page as they are asked for.
    ///
    /// - Throws: while walking, `DecodingError` for an entry that is not of the type, and that is the end of the walk.
    public func values<T: Decodable & SendableMetatype>(
        matching spec: QuerySpec, as type: T.Type = T.self
    ) -> AsyncThrowingMapSequence<EntrySequence, T> {
        entries(matching: spec).map { try $0.decode(T.self) }
    }

    /// How the backend means to run a query, one line a step: whether an index serves it, above all.
    ///
    /// - Parameter position: the page behind it is meant; nil for the first page.
    /// - Throws: ``SoupError`` with `notSupported` when the backend does not tell, and what the query itself throws.
    public func plan(
        of spec: QuerySpec, after position: QueryPosition? = nil, arguments: [JSONValue] = []
    ) async throws -> [String] {
        try await backend.quickRead { reader in
            guard let position else { return try reader.plan(of: spec, arguments: arguments) }
            return try reader.plan(of: spec, after: position, arguments: arguments)
        }
    }
}
