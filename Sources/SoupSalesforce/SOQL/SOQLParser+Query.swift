// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The clauses of a query, in the order in which they are written.
enum SOQLClause: Int, Sendable, Hashable, CaseIterable {
    case select
    case from
    case scope
    case condition
    case with
    case grouping
    case having
    case order
    case limit
    case offset
    case allRows
    case purposes
    case tracking

    /// The words that begin the clause.
    var keyword: String {
        switch self {
        case .select: "select"
        case .from: "from"
        case .scope: "using scope"
        case .condition: "where"
        case .with: "with"
        case .grouping: "group by"
        case .having: "having"
        case .order: "order by"
        case .limit: "limit"
        case .offset: "offset"
        case .allRows: "all rows"
        case .purposes: "for"
        case .tracking: "update"
        }
    }
}

extension SOQLParser {
    mutating func query() throws -> Parsed {
        try nested(as: Self.levelsOfQuery) { parser in
            var clauses: [SOQLClause: Range<Int>] = [:]
            try parser.expect("SELECT")
            let start = parser.index
            let items = try parser.list { try $0.selectItem() }
            clauses[.select] = parser.span(from: start)
            try parser.expect("FROM")
            let from = parser.index
            var sources = try parser.list { try $0.sourceItem() }
            clauses[.from] = parser.span(from: from)
            var query = SOQLQuery(items, from: sources.removeFirst())
            query.joins = sources
            try parser.filterClauses(&query, &clauses)
            try parser.orderClauses(&query, &clauses)
            return Parsed(query: query, clauses: clauses)
        }
    }

    /// The scopes that servers support.
    private static let scopes: Set<String> = [
        "DELEGATED", "EVERYTHING", "MINE", "MINE_AND_MY_GROUPS", "MY_TERRITORY", "MY_TEAM_TERRITORY", "SCOPINGRULE",
        "TEAM",
    ]

    private mutating func filterClauses(_ query: inout SOQLQuery, _ clauses: inout [SOQLClause: Range<Int>]) throws {
        if take("USING", "SCOPE") {
            let start = index
            if !allowsMixedConditions, !Self.scopes.contains(keyword()) { throw unexpected() }
            query.scope = try identifier()
            clauses[.scope] = span(from: start)
        }
        if take("WHERE") {
            let start = index
            query.condition = try condition()
            clauses[.condition] = span(from: start)
        }
        if take("WITH") {
            let start = index
            while token.kind != .end, !isSymbol(")"), !beginsClause() { advance() }
            guard index > start else { throw unexpected() }
            clauses[.with] = span(from: start)
            query.withPosition = SOQLPosition(tokens[start].range.lowerBound)
            query.with = String(decoding: source[span(from: start)], as: UTF8.self)
        }
        if take("GROUP", "BY") {
            let start = index
            query.grouping = try groupingClause()
            clauses[.grouping] = span(from: start)
        }
        if !allowsMixedConditions, query.grouping == nil, keyword() == "HAVING" { throw unexpected() }
        if take("HAVING") {
            let start = index
            query.having = try condition()
            clauses[.having] = span(from: start)
        }
    }

    private mutating func orderClauses(_ query: inout SOQLQuery, _ clauses: inout [SOQLClause: Range<Int>]) throws {
        if take("ORDER", "BY") {
            let start = index
            query.order = try list { try $0.sortKey() }
            clauses[.order] = span(from: start)
        }
        if take("LIMIT") {
            clauses[.limit] = token.range
            query.limit = try wholeNumber()
        }
        if take("OFFSET") {
            clauses[.offset] = token.range
            query.offset = try wholeNumber()
        }
        if take("ALL", "ROWS") {
            clauses[.allRows] = token.range.lowerBound..<token.range.lowerBound
            query.allRows = true
        }
        var start = index + 1
        while take("FOR") {
            guard let purpose = SOQLPurpose(rawValue: keyword().lowercased()) else { throw unexpected() }
            advance()
            query.purposes.append(purpose)
            clauses[.purposes] = span(from: start)
        }
        start = index + 1
        if take("UPDATE") {
            query.tracking = try list { parser in
                guard ["TRACKING", "VIEWSTAT"].contains(parser.keyword()) else { throw parser.unexpected() }
                return try parser.identifier()
            }
            clauses[.tracking] = span(from: start)
        }
    }

    /// Returns whether a clause after WHERE begins here.
    private func beginsClause() -> Bool {
        switch keyword() {
        case "GROUP", "ORDER": keyword(ahead: 1) == "BY"
        case "HAVING", "LIMIT", "OFFSET", "FOR", "UPDATE": true
        case "ALL": keyword(ahead: 1) == "ROWS"
        default: false
        }
    }

    private mutating func sourceItem() throws -> SOQLSource {
        let path = try path()
        let reserved: Set<String> = [
            "", "USING", "WHERE", "WITH", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "ALL", "FOR", "UPDATE", "AS",
        ]
        return SOQLSource(path, alias: reserved.contains(keyword()) ? nil : try identifier())
    }

    private mutating func groupingClause() throws -> SOQLGrouping {
        for kind in [SOQLGrouping.Kind.rollup, .cube] where keyword() == kind.rawValue.uppercased() {
            guard isSymbol("(", ahead: 1) else { continue }
            index += 2
            let keys = try list { try $0.operand() }
            try expectSymbol(")")
            return SOQLGrouping(kind, keys)
        }
        return SOQLGrouping(.plain, try list { try $0.operand() })
    }

    mutating func sortKey() throws -> SOQLSortKey {
        var key = SOQLSortKey(try operand())
        if take("DESC") {
            key.descending = true
        } else {
            _ = take("ASC")
        }
        if take("NULLS", "FIRST") {
            key.nulls = .first
        } else if take("NULLS", "LAST") {
            key.nulls = .last
        }
        return key
    }

    mutating func wholeNumber() throws -> Int {
        guard token.kind == .number, let number = Int(text(token)), number >= 0, !text(token).hasPrefix("+") else {
            throw unexpected(wanted: "a whole number")
        }
        advance()
        return number
    }
}
