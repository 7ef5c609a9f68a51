// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The Smart SQL of query specs, exactly as the mobile SDKs write it.
///
/// A backend uses the pieces: a reference in them is a value, so that no part of a path is ever read as SQL.
extension QuerySpec {
    /// The Smart SQL of the query.
    ///
    /// Each `?` in it is one of ``arguments``.
    public var smartSQL: String {
        if case .smart(let text) = kind { return text }
        return (selectPieces + sourcePieces(matching: matchLiteral) + orderPieces).source
    }

    /// The Smart SQL that counts the rows.
    public var countSmartSQL: String {
        if case .smart(let text) = kind { return "SELECT count(*) FROM (\(text))" }
        return "SELECT count(*) " + sourcePieces(matching: matchLiteral).source
    }

    /// The Smart SQL that selects the IDs of the entries found.
    public var idsSmartSQL: String {
        if case .smart(let text) = kind { return "SELECT id FROM (\(text))" }
        return "SELECT id " + (sourcePieces(matching: matchLiteral) + orderPieces).source
    }

    /// The values for each `?` of the generated texts: the keys of the query, in order.
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

    /// The search text of a match query, every term qualified with the searched path; nil for other kinds.
    public var matchKey: String? {
        guard case .match(let path, let key) = kind else { return nil }
        return SmartSQL.qualifyMatchKey(key, field: path.map { "{\(soup?.rawValue ?? ""):\($0)}" })
    }

    /// Returns the reference `{soup:path}`.
    public func reference(to path: JSONPath) -> SmartSQL.Piece { .reference(whole(path)) }

    /// Returns `FROM` and `WHERE`, each with a space at its end; not for smart queries.
    ///
    /// - Parameter matchKey: the text after MATCH: a literal, or `?` if the caller binds ``matchKey``.
    public func sourcePieces(matching matchKey: String) -> [SmartSQL.Piece] {
        guard isRanked else { return [.text("FROM "), table, .text(" ")] + wherePieces(matching: matchKey) }
        return [
            .text("FROM "), table, .text(" JOIN (SELECT rowid AS matched, rank AS score FROM "), table,
            .text("_fts WHERE "), table, .text("_fts MATCH \(matchKey)) ON matched = "), entryId, .text(" "),
        ]
    }

    /// Whether the best matches come first; only match queries support this order.
    public var isRanked: Bool {
        if case .match = kind { orderPath?.rawValue == EntryField.rank } else { false }
    }

    private func wherePieces(matching matchKey: String) -> [SmartSQL.Piece] {
        func comparison(of path: JSONPath, by operation: String, ordinal: Int) -> [SmartSQL.Piece] {
            [reference(to: path), .text(" \(operation) "), key(ordinal, comparedWith: path)]
        }
        switch kind {
        case .all, .smart: return []
        case .exact(let path, _): return [.text("WHERE ")] + comparison(of: path, by: "=", ordinal: 0) + [.text(" ")]
        case .like(let path, _): return [.text("WHERE "), reference(to: path), .text(" LIKE ? ")]
        case .range(let path, let begin, let end):
            let bounds = [begin == nil ? nil : ">=", end == nil ? nil : "<="].compactMap { $0 }
            return bounds.enumerated().flatMap { ordinal, operation -> [SmartSQL.Piece] in
                let condition = comparison(of: path, by: operation, ordinal: ordinal)
                return [.text(ordinal == 0 ? "WHERE " : "AND ")] + condition + [.text(" ")]
            }
        case .match:
            return [
                .text("WHERE "), entryId, .text(" IN (SELECT rowid FROM "), table, .text("_fts WHERE "), table,
                .text("_fts MATCH \(matchKey)) "),
            ]
        }
    }

    /// `SELECT` with the selected paths, or with the whole entry, and a space; not for smart queries.
    public var selectPieces: [SmartSQL.Piece] {
        let paths = selectPaths ?? [JSONPath(EntryField.whole)]
        let columns = paths.enumerated().flatMap { index, path in
            (index == 0 ? [] : [SmartSQL.Piece.text(", ")]) + [reference(to: path)]
        }
        return [.text("SELECT ")] + columns + [.text(" ")]
    }

    /// `ORDER BY` with a space at its end; empty without an ``orderPath``.
    public var orderPieces: [SmartSQL.Piece] {
        orderPath.map { [.text("ORDER BY "), isRanked ? .text("score") : reference(to: $0), .text(" \(direction) ")] }
            ?? []
    }

    /// ``orderPieces`` with the ID after the order path, so that entries with the same value have an order too.
    public var wholeOrderPieces: [SmartSQL.Piece] {
        orderPath == nil ? [] : orderPieces.dropLast() + [.text(" \(direction), "), entryId, .text(" \(direction) ")]
    }

    /// `ASC` or `DESC`.
    public var direction: String { order == .ascending ? "ASC" : "DESC" }

    private func whole(_ path: JSONPath) -> SmartSQL.Reference {
        SmartSQL.Reference(soup: soup ?? "", path: path, column: 1)
    }

    /// Returns the `?` of a key; a local flag's boolean value can have several spellings.
    private func key(_ ordinal: Int, comparedWith path: JSONPath) -> SmartSQL.Piece {
        EntryField.localFlags.contains(path.rawValue)
            ? .flagParameter("?", ordinal: ordinal, reference: whole(path)) : .text("?")
    }

    private var table: SmartSQL.Piece { .reference(SmartSQL.Reference(soup: soup ?? "", path: nil, column: 1)) }

    private var entryId: SmartSQL.Piece { reference(to: JSONPath(EntryField.entryId)) }

    private var matchLiteral: String { SmartSQL.literal(matchKey ?? "") }
}

extension [SmartSQL.Piece] {
    /// The pieces as Smart SQL text.
    fileprivate var source: String { map(\.source).joined() }
}
