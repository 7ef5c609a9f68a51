// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Changes a query and keeps everything else as written.
///
/// ```swift
/// let query = try SOQLRewriter("select FirstName from Contact limit 100")
///     .completed(idField: "Id", modificationDateField: "LastModifiedDate")
/// query.text // select Id,LastModifiedDate,FirstName from Contact order by LastModifiedDate limit 100
/// ```
///
/// The query is parsed first, so that texts in strings and subqueries are not mistaken for clauses. An unchanged query
/// keeps its text; a changed one has its keywords in lower case and one space around each clause.
package struct SOQLRewriter: Sendable, Hashable, CustomStringConvertible {
    /// The tree of the original query; it does not include changes.
    package let query: SOQLQuery
    /// The query with all changes.
    package private(set) var text: String
    var clauses: [SOQLClause: String] {
        didSet { text = Self.assemble(clauses) }
    }
    var selected: [SOQLSelectItem]
    var order: [SOQLSortKey]
    var conditionNeedsParentheses: Bool

    /// Parses the query.
    ///
    /// - Throws: ``SoupError`` with `soql`; its place is the line and column of the unexpected token.
    package init(_ soql: String) throws {
        var parser = try SOQLParser(soql)
        let parsed = try parser.wholeQuery()
        query = parsed.query
        text = soql
        clauses = parsed.clauses.mapValues { String(decoding: parser.source[$0], as: UTF8.self) }
        selected = parsed.query.items
        order = parsed.query.order
        conditionNeedsParentheses = if case .or = parsed.query.condition { true } else { false }
    }

    /// The same as ``text``.
    package var description: String { text }

    private static func assemble(_ clauses: [SOQLClause: String]) -> String {
        SOQLClause.allCases.compactMap { clause in
            clauses[clause].map { $0.isEmpty ? clause.keyword : "\(clause.keyword) \($0)" }
        }.joined(separator: " ")
    }
}

extension SOQLRewriter {
    /// Returns whether a field is in the select list itself, not in a subquery of it.
    ///
    /// Case is ignored, and so is the name or alias of the object before the field; `FIELDS(…)` includes all of its
    /// fields.
    package func selects(_ field: String) -> Bool {
        let field = field.lowercased()
        return selected.contains { item in
            switch item {
            case .path(let path, _): return ownName(of: path) == field
            case .call(let call, _) where call.name.lowercased() == "fields":
                switch call.onlyPath?.description.lowercased() {
                case "all": return true
                case "standard": return !field.hasSuffix("__c")
                case "custom": return field.hasSuffix("__c")
                default: return false
                }
            default: return false
            }
        }
    }

    /// Whether the query, with all changes, has its own ORDER BY; those of subqueries do not count.
    package var hasOrderBy: Bool { clauses[.order] != nil }

    /// Returns whether records come in ascending order of a field: it is the first key of ORDER BY, and other keys only
    /// break ties.
    ///
    /// Case and `asc` are ignored.
    package func isOrdered(by field: String) -> Bool {
        guard let key = order.first, !key.descending, case .path(let path) = key.key else { return false }
        return ownName(of: path) == field.lowercased()
    }

    /// Returns whether the text of ORDER BY is exactly this field, as the mobile SDKs compare it.
    package func isOrderedExactly(by field: String) -> Bool {
        clauses[.order]?.filter { $0 != " " } == field.filter { $0 != " " }
    }

    /// Returns the path without the name or alias of the object, in lower case.
    private func ownName(of path: SOQLPath) -> String {
        let names = path.names.map { $0.lowercased() }
        let own = [query.source.alias, query.source.path.last].compactMap { $0?.lowercased() }
        return (names.count > 1 && own.contains(names[0]) ? names[1...] : names[...]).joined(separator: ".")
    }
}
