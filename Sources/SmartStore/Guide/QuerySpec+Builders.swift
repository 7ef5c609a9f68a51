// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The builders of the developer guide; native code uses ``QuerySpec/all(_:orderedBy:_:selecting:pageSize:)`` and the
/// like.
///
/// Those that the guide has as optional are so here too: they give nil for select paths without a path in them, and for
/// Smart SQL without a word in it. An order path that is nil or empty leaves the order to the store. A page size of 0
/// counts as 1.
extension QuerySpec {
    /// Every entry of a soup.
    public static func buildAllQuerySpec(
        soupName: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        guide(.all, soupName, nil, orderPath, order, pageSize)
    }

    /// Values of every entry of a soup, or the whole entries without select paths.
    public static func buildAllQuerySpec(
        soupName: String, selectPaths: [String]?, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec? {
        guide(.all, soupName, selecting: selectPaths, orderPath, order, pageSize)
    }

    /// The entries whose value at `path` is `matchKey`.
    public static func buildExactQuerySpec(
        soupName: String, path: String, matchKey: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        let kind = Kind.exact(path: JSONPath(path), key: .string(matchKey))
        return guide(kind, soupName, nil, orderPath, order, pageSize)
    }

    /// Values of the entries whose value at `path` is `matchKey`.
    public static func buildExactQuerySpec(
        soupName: String, selectPaths: [String]?, path: String, matchKey: String, orderPath: String?, order: Order,
        pageSize: UInt
    ) -> QuerySpec? {
        let kind = Kind.exact(path: JSONPath(path), key: .string(matchKey))
        return guide(kind, soupName, selecting: selectPaths, orderPath, order, pageSize)
    }

    /// The entries whose value at `path` lies between the keys, both included; nil leaves an end open.
    public static func buildRangeQuerySpec(
        soupName: String, path: String, beginKey: String?, endKey: String?, orderPath: String?, order: Order,
        pageSize: UInt
    ) -> QuerySpec {
        guide(range(path, beginKey, endKey), soupName, nil, orderPath, order, pageSize)
    }

    /// Values of the entries whose value at `path` lies between the keys; without a path, of every entry.
    public static func buildRangeQuerySpec(
        soupName: String, selectPaths: [String]?, path: String?, beginKey: String?, endKey: String?,
        orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec? {
        let kind = path.map { range($0, beginKey, endKey) } ?? .all
        return guide(kind, soupName, selecting: selectPaths, orderPath, order, pageSize)
    }

    /// The entries whose value at `path` is like `likeKey`: `%` stands for any text, `_` for one character.
    public static func buildLikeQuerySpec(
        soupName: String, path: String, likeKey: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        guide(.like(path: JSONPath(path), key: likeKey), soupName, nil, orderPath, order, pageSize)
    }

    /// Values of the entries whose value at `path` is like `likeKey`.
    public static func buildLikeQuerySpec(
        soupName: String, selectPaths: [String]?, path: String, likeKey: String, orderPath: String?, order: Order,
        pageSize: UInt
    ) -> QuerySpec? {
        let kind = Kind.like(path: JSONPath(path), key: likeKey)
        return guide(kind, soupName, selecting: selectPaths, orderPath, order, pageSize)
    }

    /// The entries in whose full text `matchKey` is found; without a path, in any full-text index of the soup.
    public static func buildMatchQuerySpec(
        soupName: String, path: String?, matchKey: String, orderPath: String?, order: Order, pageSize: UInt
    ) -> QuerySpec {
        guide(match(path, matchKey), soupName, nil, orderPath, order, pageSize)
    }

    /// Values of the entries in whose full text `matchKey` is found.
    public static func buildMatchQuerySpec(
        soupName: String, selectPaths: [String]?, path: String?, matchKey: String, orderPath: String?, order: Order,
        pageSize: UInt
    ) -> QuerySpec? {
        guide(match(path, matchKey), soupName, selecting: selectPaths, orderPath, order, pageSize)
    }

    /// A Smart SQL query.
    public static func buildSmartQuerySpec(smartSql: String, pageSize: UInt) -> QuerySpec? {
        guard smartSql.contains(where: { !$0.isWhitespace }) else { return nil }
        return .smart(smartSql, pageSize: Int(clamping: pageSize))
    }

    private static func range(_ path: String, _ begin: String?, _ end: String?) -> Kind {
        .range(path: JSONPath(path), begin: begin.map { .string($0) }, end: end.map { .string($0) })
    }

    private static func match(_ path: String?, _ key: String) -> Kind {
        .match(path: path.flatMap { $0.isEmpty ? nil : JSONPath($0) }, key: key)
    }

    private static func guide(
        _ kind: Kind, _ soup: String, _ selectPaths: [String]?, _ orderPath: String?, _ order: Order, _ pageSize: UInt
    ) -> QuerySpec {
        QuerySpec(
            kind, soup: SoupName(soup), selectPaths: selectPaths?.map { JSONPath($0) },
            orderPath: orderPath.flatMap { $0.isEmpty ? nil : JSONPath($0) }, order: order,
            pageSize: Int(clamping: pageSize))
    }

    private static func guide(
        _ kind: Kind, _ soup: String, selecting paths: [String]?, _ orderPath: String?, _ order: Order,
        _ pageSize: UInt
    ) -> QuerySpec? {
        if let paths, paths.isEmpty { return nil }
        return guide(kind, soup, paths, orderPath, order, pageSize)
    }
}
