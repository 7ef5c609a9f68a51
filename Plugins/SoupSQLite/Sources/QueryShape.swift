// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The part of a query spec that determines its SQL: everything except its keys and its page size.
///
/// Apps repeat a few queries with different keys, and generating the SQL of a short page takes as long as reading it.
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

    /// Returns nil if the spec alone does not determine the SQL: for smart queries, and for searches, whose text is
    /// built from their key.
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

/// The purpose of running a query.
enum QueryUse: Hashable {
    case page
    case walk
    case count
    case ids
    case plan

    var isPaged: Bool { self != .count && self != .walk }

    /// Returns the SQL of the query, wrapped for this use.
    func wrap(_ sql: String, isSmart: Bool) -> String {
        switch self {
        case .page, .ids: "SELECT * FROM (\(sql)\n) LIMIT ? OFFSET ?"
        case .plan: "EXPLAIN QUERY PLAN SELECT * FROM (\(sql)\n) LIMIT ? OFFSET ?"
        case .walk: isSmart ? "SELECT * FROM (\(sql)\n)" : sql
        case .count: isSmart ? "SELECT count(*) FROM (\(sql)\n)" : sql
        }
    }
}

/// The SQL of a shape, with parameters for all its keys.
struct ShapedQuery: Sendable {
    let sql: String
    /// The storage kind of the values that the keys are compared with; nil without keys.
    let keyKind: IndexSpec.Kind?
    let entryColumns: Set<String>
}
