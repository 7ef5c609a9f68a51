// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A query over a soup, or a Smart SQL query over several.
///
/// Results come in pages of ``pageSize``, counted from 0.
public struct QuerySpec: Sendable, Hashable {
    /// The six kinds of queries.
    public enum Kind: Sendable, Hashable {
        case all
        case exact(path: JSONPath, key: JSONValue)
        /// A range that includes both ends; nil means no limit.
        case range(path: JSONPath, begin: JSONValue?, end: JSONValue?)
        /// A pattern in which `%` matches any text and `_` one character; ASCII letters match either case.
        case like(path: JSONPath, key: String)
        /// A full-text search; nil searches all full-text paths of the soup.
        case match(path: JSONPath?, key: String)
        case smart(String)
    }

    /// The direction of ``orderPath``; the raw value is that of the JavaScript API.
    public enum Order: String, Sendable, Hashable, Codable {
        case ascending
        case descending
    }

    /// The kind of the query, with its keys.
    public var kind: Kind
    /// The soup; nil for smart queries, whose text names their soups.
    public var soup: SoupName?
    /// The selected paths, of which a row is an array of values; if nil, a row is the whole entry.
    public var selectPaths: [JSONPath]?
    /// The path by whose value the rows are sorted; if nil, the backend decides the order.
    public var orderPath: JSONPath?
    /// The direction; used only with an ``orderPath``.
    public var order: Order
    /// The number of rows on a page, at least 1.
    public var pageSize: Int {
        didSet { pageSize = max(1, pageSize) }
    }

    /// Creates a spec without checks; a page size below 1 becomes 1.
    ///
    /// The backend refuses invalid combinations.
    ///
    /// - Parameters:
    ///   - soup: nil for smart queries, and only for them.
    ///   - selectPaths: nil, or at least one path.
    public init(
        _ kind: Kind, soup: SoupName?, selectPaths: [JSONPath]? = nil, orderPath: JSONPath? = nil,
        order: Order = .ascending, pageSize: Int = 10
    ) {
        self.kind = kind
        self.soup = soup
        self.selectPaths = selectPaths
        self.orderPath = orderPath
        self.order = order
        self.pageSize = max(1, pageSize)
    }

    /// Returns a query for all entries of a soup.
    public static func all(
        _ soup: SoupName, orderedBy orderPath: JSONPath? = nil, order: Order = .ascending,
        selecting selectPaths: [JSONPath]? = nil, pageSize: Int = 10
    ) -> QuerySpec {
        QuerySpec(
            .all, soup: soup, selectPaths: selectPaths, orderPath: orderPath, order: order, pageSize: pageSize)
    }

    /// Returns a query for the entries whose value at `path` equals `key`.
    public static func exact(
        _ soup: SoupName, _ path: JSONPath, equals key: JSONValue, orderedBy orderPath: JSONPath? = nil,
        order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil, pageSize: Int = 10
    ) -> QuerySpec {
        QuerySpec(
            .exact(path: path, key: key), soup: soup, selectPaths: selectPaths, orderPath: orderPath, order: order,
            pageSize: pageSize)
    }

    /// Returns a Smart SQL query.
    public static func smart(_ sql: String, pageSize: Int = 10) -> QuerySpec {
        QuerySpec(.smart(sql), soup: nil, pageSize: pageSize)
    }

    /// Whether the query is Smart SQL.
    public var isSmart: Bool { if case .smart = kind { true } else { false } }

    /// Whether a row of the result is an entry; otherwise it is an array of values.
    public var yieldsEntries: Bool {
        if case .smart = kind { false } else { selectPaths == nil }
    }
}
