// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A position between two pages of a query's result, where the next page starts.
///
/// Backends create and interpret it. It stays valid while the soup changes, and after the store is reopened. It is
/// valid only for its own query and backend; any other refuses it.
public struct QueryPosition: Sendable, Hashable {
    /// The data with which a backend finds the position again.
    public enum Anchor: Sendable, Hashable {
        /// After an entry, identified by its value at the order path and by its ID.
        ///
        /// The next page costs as much as any other. Entries that are written meanwhile cause no other entry to be
        /// skipped or repeated.
        case entry(order: JSONValue, id: Int64)
        /// Before a page, counted from 0: the rows before it are read again.
        case page(Int)
    }

    /// The anchor, for messages; a backend reads it with ``anchor(in:arguments:backend:)``.
    public let anchor: Anchor
    private let query: Query
    private let backend: PluginName?

    /// The part of a query that determines its rows and their order.
    ///
    /// The selected paths and the page size may change between pages, unless pages are counted.
    private struct Query: Sendable, Hashable {
        let kind: QuerySpec.Kind
        let soup: SoupName?
        let orderPath: JSONPath?
        let order: QuerySpec.Order
        let arguments: [JSONValue]
        let pageSize: Int?

        init(_ spec: QuerySpec, arguments: [JSONValue], anchor: Anchor) {
            kind = spec.kind
            soup = spec.soup
            orderPath = spec.orderPath
            order = spec.orderPath == nil ? .ascending : spec.order
            self.arguments = arguments
            if case .page = anchor { pageSize = spec.pageSize } else { pageSize = nil }
        }
    }

    /// Creates a position; for backends.
    ///
    /// - Parameter backend: the name of the backend; nil for anchors that any backend finds by counting.
    public init(_ anchor: Anchor, in spec: QuerySpec, arguments: [JSONValue] = [], backend: PluginName?) {
        self.anchor = anchor
        self.backend = backend
        query = Query(spec, arguments: arguments, anchor: anchor)
    }

    /// Returns the anchor for the query that continues there.
    ///
    /// Other selected paths and, after an entry, another page size are allowed.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` and the difference, if the position belongs to another query or
    ///   another backend.
    public func anchor(in spec: QuerySpec, arguments: [JSONValue], backend: PluginName?) throws -> Anchor {
        let other = Query(spec, arguments: arguments, anchor: anchor)
        guard query == other, self.backend == backend else {
            throw SoupError(
                .badQuerySpec, "the position belongs to another query: \(difference(from: other, backend: backend))",
                hint: "Start again at the first page.")
        }
        return anchor
    }

    private func difference(from other: Query, backend: PluginName?) -> String {
        if self.backend != backend { return "another backend created it" }
        if query.soup != other.soup { return "the soup is different" }
        if query.kind != other.kind { return "the kind of query or its keys are different" }
        if query.orderPath != other.orderPath || query.order != other.order { return "the order is different" }
        return query.arguments != other.arguments ? "the arguments are different" : "the page size is different"
    }
}

/// A page, and the position of the next one.
///
/// A backend returns pages of the type ``QueryPage``. A store converts them to pages of entries, or of rows.
public struct PositionedPage<Page: Sendable & Hashable>: Sendable, Hashable {
    /// The page.
    public var page: Page
    /// The position to pass to ``StoreReader/query(_:after:arguments:)`` for the next page; nil after the last one.
    public var next: QueryPosition?

    /// Creates a page; for backends.
    public init(_ page: Page, next: QueryPosition?) {
        self.page = page
        self.next = next
    }
}
