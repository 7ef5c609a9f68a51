// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The Smart SQL that query specs stand for, letter by letter as the mobile SDKs write
/// it.
extension QuerySpec {
    /// The query.
    ///
    /// The `?` in it stand for ``arguments``.
    public var smartSQL: String {
        if case .smart(let text) = kind { return text }
        return selectClause + source(matching: matchLiteral) + orderClause
    }

    /// How many rows there are.
    public var countSmartSQL: String {
        if case .smart(let text) = kind { return "SELECT count(*) FROM (\(text))" }
        return "SELECT count(*) " + source(matching: matchLiteral)
    }

    /// The ids of the entries found.
    public var idsSmartSQL: String {
        if case .smart(let text) = kind { return "SELECT id FROM (\(text))" }
        return "SELECT id " + source(matching: matchLiteral) + orderClause
    }

    /// The values of the `?` of the generated texts: the keys of the query, in order.
    ///
    /// Smart queries have none of their own.
    public var arguments: [JSONValue] {
        switch kind {
        case .all, .match, .smart: []
        case .exact(_, let key): [key]
        case .like(_, let key): [.string(key)]
        case .range(_, let begin, let end): [begin, end].compactMap { $0 }
        }
    }

    /// The search text of a match query, every term qualified with the path searched; nil for other kinds.
    public var matchKey: String? {
        guard case .match(let path, let key) = kind else { return nil }
        return SmartSQL.qualifyMatchKey(key, field: path.map(reference))
    }

    /// `{soup:path}`.
    public func reference(_ path: JSONPath) -> String { "{\(soup?.rawValue ?? ""):\(path)}" }

    /// `FROM` and `WHERE`, each with a blank at its end; not for smart queries.
    ///
    /// - Parameter matchKey: what stands behind MATCH: a literal, or `?` when the caller binds ``matchKey``.
    public func source(matching matchKey: String) -> String {
        guard isRanked else { return "FROM \(table) " + whereClause(matching: matchKey) }
        return "FROM \(table) JOIN (SELECT rowid AS matched, rank AS score FROM \(table)_fts "
            + "WHERE \(table)_fts MATCH \(matchKey)) ON matched = \(reference(JSONPath(EntryField.entryId))) "
    }

    /// Whether the best matches come first; only match queries can be ordered so.
    public var isRanked: Bool {
        if case .match = kind { orderPath?.rawValue == EntryField.rank } else { false }
    }

    private func whereClause(matching matchKey: String) -> String {
        switch kind {
        case .all, .smart: ""
        case .exact(let path, _): "WHERE \(reference(path)) = ? "
        case .like(let path, _): "WHERE \(reference(path)) LIKE ? "
        case .range(let path, let begin, let end):
            switch (begin, end) {
            case (nil, nil): ""
            case (_?, nil): "WHERE \(reference(path)) >= ? "
            case (nil, _?): "WHERE \(reference(path)) <= ? "
            case (_?, _?): "WHERE \(reference(path)) >= ? AND \(reference(path)) <= ? "
            }
        case .match:
            "WHERE \(reference(JSONPath(EntryField.entryId))) IN "
                + "(SELECT rowid FROM \(table)_fts WHERE \(table)_fts MATCH \(matchKey)) "
        }
    }

    /// `SELECT` with the paths selected, or with the whole entry, and a blank; not for smart queries.
    public var selectClause: String {
        let paths = selectPaths ?? [JSONPath(EntryField.whole)]
        return "SELECT \(paths.map(reference).joined(separator: ", ")) "
    }

    /// `ORDER BY` with a blank at its end; empty without an ``orderPath``.
    public var orderClause: String {
        orderPath.map { "ORDER BY \(isRanked ? "score" : reference($0)) \(direction) " } ?? ""
    }

    /// ``orderClause`` with the id behind the order path, so that entries with the same value have an order too.
    public var wholeOrderClause: String {
        orderPath == nil ? "" : orderClause.dropLast() + ", \(reference(JSONPath(EntryField.entryId))) \(direction) "
    }

    /// `ASC` or `DESC`.
    public var direction: String { order == .ascending ? "ASC" : "DESC" }

    private var table: String { "{\(soup?.rawValue ?? "")}" }

    private var matchLiteral: String { SmartSQL.literal(matchKey ?? "") }
}
