// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The builders of the developer guide; native code uses ``QuerySpec/all(_:orderedBy:order:selecting:pageSize:)`` and
/// similar methods.
///
/// Builders that return an optional in the guide do so here: they return nil for select paths that contain no path, and
/// for Smart SQL without a word. If an order path is nil or empty, the store decides the order. A page size of 0 counts
/// as 1.
extension QuerySpec {
    /// Returns a query for all entries of a soup.
    public static func buildAllQuerySpec(
        soupName: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        native(.all, soup: soupName, orderPath: orderPath, order: order, pageSize: pageSize)
    }

    /// Returns a query for values of all entries of a soup, or for whole entries without select paths.
    public static func buildAllQuerySpec(
        soupName: String, selectPaths: [String]?, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec? {
        native(
            .all, soup: soupName, selecting: selectPaths, orderPath: orderPath, order: order, pageSize: pageSize)
    }

    /// Returns a query for the entries whose value at `path` is `matchKey`.
    public static func buildExactQuerySpec(
        soupName: String, path: String, matchKey: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        let kind = Kind.exact(path: JSONPath(path), key: .string(matchKey))
        return native(kind, soup: soupName, orderPath: orderPath, order: order, pageSize: pageSize)
    }

    /// Returns a query for values of the entries whose value at `path` is `matchKey`.
    public static func buildExactQuerySpec(
        soupName: String, selectPaths: [String]?, path: String, matchKey: String, orderPath: String?, order: Order,
        pageSize: UInt
    ) -> QuerySpec? {
        let kind = Kind.exact(path: JSONPath(path), key: .string(matchKey))
        return native(
            kind, soup: soupName, selecting: selectPaths, orderPath: orderPath, order: order, pageSize: pageSize)
    }

    /// Returns a query for the entries whose value at `path` is in the inclusive range; nil means no limit.
    public static func buildRangeQuerySpec(
        soupName: String, path: String, beginKey: String?, endKey: String?, orderPath: String?, order: Order,
        pageSize: UInt
    ) -> QuerySpec {
        native(
            rangeKind(of: path, from: beginKey, to: endKey), soup: soupName, orderPath: orderPath, order: order,
            pageSize: pageSize)
    }

    /// Returns a query for values of the entries whose value at `path` is in the range; without a path, of all entries.
    public static func buildRangeQuerySpec(
        soupName: String, selectPaths: [String]?, path: String?, beginKey: String?, endKey: String?,
        orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec? {
        let kind = path.map { rangeKind(of: $0, from: beginKey, to: endKey) } ?? .all
        return native(
            kind, soup: soupName, selecting: selectPaths, orderPath: orderPath, order: order, pageSize: pageSize)
    }

    /// Returns a query for the entries whose value at `path` matches `likeKey`.
    ///
    /// `%` matches any text, `_` one character.
    public static func buildLikeQuerySpec(
        soupName: String, path: String, likeKey: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        native(
            .like(path: JSONPath(path), key: likeKey), soup: soupName, orderPath: orderPath, order: order,
            pageSize: pageSize)
    }

    /// Returns a query for values of the entries whose value at `path` matches `likeKey`.
    public static func buildLikeQuerySpec(
        soupName: String, selectPaths: [String]?, path: String, likeKey: String, orderPath: String?, order: Order,
        pageSize: UInt
    ) -> QuerySpec? {
        let kind = Kind.like(path: JSONPath(path), key: likeKey)
        return native(
            kind, soup: soupName, selecting: selectPaths, orderPath: orderPath, order: order, pageSize: pageSize)
    }

    /// Returns a query for the entries whose full text contains `matchKey`.
    ///
    /// Without a path, it searches all full-text indexes of the soup.
    public static func buildMatchQuerySpec(
        soupName: String, path: String?, matchKey: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        native(
            matchKind(of: path, key: matchKey), soup: soupName, orderPath: orderPath, order: order, pageSize: pageSize)
    }

    /// Returns a query for values of the entries whose full text contains `matchKey`.
    public static func buildMatchQuerySpec(
        soupName: String, selectPaths: [String]?, path: String?, matchKey: String, orderPath: String?, order: Order,
        pageSize: UInt
    ) -> QuerySpec? {
        native(
            matchKind(of: path, key: matchKey), soup: soupName, selecting: selectPaths, orderPath: orderPath,
            order: order, pageSize: pageSize)
    }

    /// Returns a Smart SQL query.
    public static func buildSmartQuerySpec(smartSql: String, pageSize: UInt) -> QuerySpec? {
        guard smartSql.contains(where: { !$0.isWhitespace }) else { return nil }
        return .smart(smartSql, pageSize: Int(clamping: pageSize))
    }

    private static func rangeKind(of path: String, from begin: String?, to end: String?) -> Kind {
        .range(path: JSONPath(path), begin: begin.map { .string($0) }, end: end.map { .string($0) })
    }

    private static func matchKind(of path: String?, key: String) -> Kind {
        .match(path: path.flatMap { $0.isEmpty ? nil : JSONPath($0) }, key: key)
    }

    /// Returns the native query.
    private static func native(
        _ kind: Kind, soup: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        QuerySpec(
            kind, soup: SoupName(soup), orderPath: orderPath.flatMap { $0.isEmpty ? nil : JSONPath($0) },
            order: order, pageSize: Int(clamping: pageSize))
    }

    /// Returns the native query for the values at paths; nil for an empty list of paths.
    private static func native(
        _ kind: Kind, soup: String, selecting paths: [String]?, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec? {
        if let paths, paths.isEmpty { return nil }
        var spec = native(kind, soup: soup, orderPath: orderPath, order: order, pageSize: pageSize)
        spec.selectPaths = paths?.map { JSONPath($0) }
        return spec
    }
}
