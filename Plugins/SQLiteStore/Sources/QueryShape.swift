// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What of a query spec decides its SQL: everything but its keys and the size of its pages.
///
/// Apps ask the same few questions with other keys, and writing the SQL of a short page takes as long as reading it.
struct QueryShape: Hashable {
    private enum Condition: Hashable {
        case none
        case equal(JSONPath)
        case like(JSONPath)
        case range(JSONPath, hasBegin: Bool, hasEnd: Bool)
    }

    private let condition: Condition
    private let soup: SoupName
    private let selectPaths: [JSONPath]?
    private let orderPath: JSONPath?
    private let isDescending: Bool
    private let use: QueryUse

    /// Nil for what is not told by a spec alone: smart queries, and searches, whose text is made from their key.
    init?(_ spec: QuerySpec, for use: QueryUse) {
        guard let soup = spec.soup else { return nil }
        switch spec.kind {
        case .all: condition = .none
        case .exact(let path, _): condition = .equal(path)
        case .like(let path, _): condition = .like(path)
        case .range(let path, let begin, let end):
            condition = .range(path, hasBegin: begin != nil, hasEnd: end != nil)
        case .match, .smart: return nil
        }
        self.soup = soup
        selectPaths = spec.selectPaths
        orderPath = spec.orderPath
        isDescending = spec.order == .descending
        self.use = use
    }
}

/// What a query is run for.
enum QueryUse: Hashable {
    case page
    case walk
    case count
    case ids
    case plan

    var isPaged: Bool { self != .count && self != .walk }

    /// The SQL around that of the query.
    func wrap(_ sql: String, isSmart: Bool) -> String {
        switch self {
        case .page, .ids: "SELECT * FROM (\(sql)\n) LIMIT ? OFFSET ?"
        case .plan: "EXPLAIN QUERY PLAN SELECT * FROM (\(sql)\n) LIMIT ? OFFSET ?"
        case .walk: isSmart ? "SELECT * FROM (\(sql)\n)" : sql
        case .count: isSmart ? "SELECT count(*) FROM (\(sql)\n)" : sql
        }
    }
}

/// The SQL of a shape, all its keys left to bind.
struct ShapedQuery: Sendable {
    let sql: String
    /// How what the keys are compared with is kept; nil without keys.
    let keyKind: IndexSpec.Kind?
    let entryColumns: Set<String>
}
