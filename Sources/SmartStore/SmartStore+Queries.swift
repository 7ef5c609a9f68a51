// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// A page of a query's result, counted from 0; a page behind the last is empty.
    ///
    /// - Parameter arguments: stand for the `?` of smart queries, and only there.
    public func query(_ spec: QuerySpec, page: Int = 0, arguments: [JSONValue] = []) async throws -> QueryPage {
        try await read { try $0.query(spec, page: page, arguments: arguments) }
    }

    /// How many rows a query has on all pages.
    public func count(_ spec: QuerySpec, arguments: [JSONValue] = []) async throws -> Int {
        try await read { try $0.count(spec, arguments: arguments) }
    }

    /// All rows of a Smart SQL query, each an array of its columns' values.
    ///
    /// ```swift
    /// let rows = try await store.rows("select {contacts:Name} from {contacts} where {contacts:City} = ?", ["Paris"])
    /// let names = rows.compactMap { $0[0]?.stringValue }
    /// ```
    public func rows(_ smartSQL: String, _ arguments: [JSONValue] = []) async throws -> [JSONValue] {
        let spec = QuerySpec.smart(smartSQL, pageSize: Int(Int32.max))
        return try await query(spec, arguments: arguments).rows.map(\.value)
    }

    /// The entries that a query finds, over all its pages, fetched page by page as they are asked for.
    ///
    /// Each page is a snapshot of its own: entries that are written while somebody walks may be seen twice or not at
    /// all when that moves them in the order. Queries that select paths, and smart ones, give no entries: walking over
    /// them throws ``SoupError`` with `badQuerySpec`.
    public func entries(matching spec: QuerySpec) -> EntrySequence { EntrySequence(store: self, spec: spec) }
}

/// The entries that a query finds; see ``SmartStore/entries(matching:)``.
public struct EntrySequence: AsyncSequence, Sendable {
    /// Entries as the backend gives them, not decoded.
    public typealias Element = SoupEntry

    let store: SmartStore
    let spec: QuerySpec

    /// Begins at the first page; nothing is fetched before the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(store: store, spec: spec) }

    /// Holds one page at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let store: SmartStore
        let spec: QuerySpec
        private var page = 0
        private var entries: ArraySlice<SoupEntry> = []
        private var isLast = false

        init(store: SmartStore, spec: QuerySpec) {
            self.store = store
            self.spec = spec
        }

        /// The next entry, from the store when the page at hand is used up; nil behind the last one.
        ///
        /// - Throws: ``SoupError`` with `badQuerySpec` when the query gives rows; what the store throws, and then
        ///   the next call asks for the same page again.
        public mutating func next() async throws -> SoupEntry? {
            guard spec.yieldsEntries else {
                throw SoupError(
                    .badQuerySpec, "the query gives rows and not entries", hint: "Use query(_:page:arguments:)")
            }
            if entries.isEmpty, !isLast {
                entries = try await store.query(spec, page: page).entries[...]
                page += 1
                isLast = entries.count < spec.pageSize
            }
            return entries.popFirst()
        }
    }
}
