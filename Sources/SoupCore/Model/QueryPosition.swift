// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A place between two pages of a query's result, from which the next page goes on.
///
/// Backends make it and read it. It stays good while the soup changes, and after the store was opened again; it leads
/// on in its own query on its own backend only, and any other refuses it.
public struct QueryPosition: Sendable, Hashable {
    /// How a backend finds the place again.
    public enum Place: Sendable, Hashable {
        /// Behind an entry, told by its value at the order path and by its id: the page that follows costs as much as
        /// any other, and entries written meanwhile neither push others out of the walk nor bring them in twice.
        case entry(order: JSONValue, id: Int64)
        /// Before a page, counted from 0: what is in front of it is gone through again.
        case page(Int)
    }

    /// The place, for messages; a backend takes it by ``place(in:arguments:backend:)``.
    public let place: Place
    private let query: Query
    private let backend: PluginName?

    /// Which rows there are, and in which order.
    ///
    /// What is selected of them, and how many make a page, may change on the way, unless pages are counted.
    private struct Query: Sendable, Hashable {
        let kind: QuerySpec.Kind
        let soup: SoupName?
        let orderPath: JSONPath?
        let order: QuerySpec.Order
        let arguments: [JSONValue]
        let pageSize: Int?

        init(_ spec: QuerySpec, _ arguments: [JSONValue], _ place: Place) {
            kind = spec.kind
            soup = spec.soup
            orderPath = spec.orderPath
            order = spec.orderPath == nil ? .ascending : spec.order
            self.arguments = arguments
            if case .page = place { pageSize = spec.pageSize } else { pageSize = nil }
        }
    }

    /// Made by backends.
    ///
    /// - Parameter backend: the name of the backend; nil for places that any backend finds by counting.
    public init(_ place: Place, in spec: QuerySpec, arguments: [JSONValue] = [], backend: PluginName?) {
        self.place = place
        self.backend = backend
        query = Query(spec, arguments, place)
    }

    /// The place, for the query that goes on there; other selected paths and, behind an entry, another page size make
    /// no other query.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec`, saying what differs, when the position is of another query or of
    ///   another backend.
    public func place(in spec: QuerySpec, arguments: [JSONValue], backend: PluginName?) throws -> Place {
        let asked = Query(spec, arguments, place)
        guard query == asked, self.backend == backend else {
            throw SoupError(
                .badQuerySpec, "the position is of another query: \(difference(from: asked, backend))",
                hint: "Begin at the first page again")
        }
        return place
    }

    private func difference(from asked: Query, _ backend: PluginName?) -> String {
        if self.backend != backend { return "another backend made it" }
        if query.soup != asked.soup { return "its soup is another" }
        if query.kind != asked.kind { return "it looks for something else" }
        if query.orderPath != asked.orderPath || query.order != asked.order { return "its order is another" }
        return query.arguments != asked.arguments ? "its arguments are others" : "its pages have another size"
    }
}

/// A page, and where the next one begins.
public struct PositionedPage: Sendable, Hashable {
    /// The rows.
    public var page: QueryPage
    /// What to give to ``StoreReader/query(_:after:arguments:)`` for the page that follows; nil behind the last one.
    public var next: QueryPosition?

    /// Made by backends.
    public init(_ page: QueryPage, next: QueryPosition?) {
        self.page = page
        self.next = next
    }
}
