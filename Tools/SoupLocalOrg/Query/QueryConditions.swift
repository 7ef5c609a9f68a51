// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Compiles conditions to SQL.
///
/// SOQL has no third truth value: a comparison with a missing value is false, and its negation is true. Only
/// ``isNotTrue`` and ``unequal(_:_:)`` implement this.
struct QueryConditions {
    let scope: QueryScope
    let caller: QueryCaller
    /// Compiles calls; nil for calls that are not expressions of a row.
    var call: (SOQLCall) throws -> QueryScope.Column?
    /// Compiles fields.
    var path: (SOQLPath) throws -> QueryScope.Column
    /// Whether semi-joins are allowed.
    var allowsSemiJoins = true
    /// The columns of `OLD.`, for validation rules.
    var old: (String) -> CellValue? = { _ in nil }

    /// A comparison, or several in parentheses, to which ``isNotTrue`` can be appended.
    var sql = ""
    var values: [CellValue] = []
    var semiJoins = 0
    /// The maximum nesting of parentheses in ``sql``.
    private var nesting = 0

    /// The suffix that negates an SQL condition.
    static let isNotTrue = " IS NOT 1"

    init(
        _ scope: QueryScope, caller: QueryCaller,
        call: @escaping (SOQLCall) throws -> QueryScope.Column? = { _ in nil }
    ) {
        self.scope = scope
        self.caller = caller
        self.call = call
        path = scope.column
    }

    var source: QuerySource { scope.source }

    /// Appends a condition.
    mutating func add(_ condition: SOQLCondition) throws {
        switch condition {
        case .and(let terms): try add(terms, " AND ")
        case .or(let terms):
            if let mixed = terms.first(where: { if case .and = $0 { true } else { false } }) {
                throw source.failure("MALFORMED_QUERY", "unexpected token: 'OR'", at: Self.position(mixed))
            }
            if let place = terms.lazy.compactMap(Self.semiJoin).first {
                throw source.failure(
                    "MALFORMED_QUERY", "Semi join sub-selects are not allowed with the 'OR' operator", at: place)
            }
            try add(terms, " OR ")
        case .group(let inner):
            try add(inner)
        case .not(let inner):
            // A double negation has no effect.
            if case .not(let innermost) = inner.ungrouped { return try add(innermost) }
            try add(inner)
            sql += Self.isNotTrue
        case .comparison(let comparison): try add(comparison)
        }
    }

    /// A separately compiled condition.
    private struct Piece {
        var sql: String
        var values: [CellValue]
        var nesting = 0
    }

    /// Adds terms, the most deeply nested first: SQLite's parser keeps the terms before an open parenthesis on its
    /// stack, which is small.
    private mutating func add(_ terms: [SOQLCondition], _ separator: String) throws {
        var pieces = try terms.map { try piece($0) }
        if let deepest = pieces.indices.max(by: { pieces[$0].nesting < pieces[$1].nesting }),
            pieces[deepest].nesting > 0
        {
            pieces.insert(pieces.remove(at: deepest), at: 0)
        }
        append(pieces[...], separator)
        nesting = (pieces.first?.nesting ?? 0) + 1
    }

    private mutating func piece(_ condition: SOQLCondition) throws -> Piece {
        let before = (sql, values)
        defer { (sql, values) = before }
        (sql, values, nesting) = ("", [], 0)
        try add(condition)
        return Piece(sql: sql, values: values, nesting: nesting)
    }

    /// Appends pieces as a balanced tree: SQLite accepts long expressions, but not deep ones.
    private mutating func append(_ pieces: ArraySlice<Piece>, _ separator: String) {
        if pieces.count == 1, let only = pieces.first {
            sql += only.sql
            values += only.values
            return
        }
        let middle = pieces.startIndex + pieces.count / 2
        sql += "("
        append(pieces[..<middle], separator)
        sql += separator
        append(pieces[middle...], separator)
        sql += ")"
    }

    /// Returns the position of a sub-select in a condition; nil if it has none.
    private static func semiJoin(_ condition: SOQLCondition) -> SOQLPosition? {
        switch condition {
        case .and(let terms), .or(let terms): return terms.lazy.compactMap(semiJoin).first
        case .not(let inner), .group(let inner): return semiJoin(inner)
        case .comparison(let comparison):
            if case .isInQuery = comparison.test { return comparison.operand.position }
            return nil
        }
    }

    /// Returns the position of a condition's first field.
    static func position(_ condition: SOQLCondition) -> SOQLPosition {
        switch condition {
        case .and(let terms), .or(let terms): terms.first.map(position) ?? SOQLPosition()
        case .not(let inner), .group(let inner): position(inner)
        case .comparison(let comparison): comparison.operand.position
        }
    }

    private mutating func add(_ comparison: SOQLComparison) throws {
        let operand = Operand(
            column: try column(comparison.operand), name: Self.name(comparison.operand),
            position: comparison.operand.position)
        if let field = operand.column.field, !field.isFilterable {
            throw source.failure(
                "INVALID_FIELD", "field '\(field.name)' can not be filtered in a query call", at: operand.position)
        }
        switch comparison.test {
        case .compare(let comparator, let value): try compare(operand, comparator, to: value)
        case .like(let pattern): try like(operand, pattern)
        case .isIn(let list, let negated): try isIn(operand, list, negated: negated)
        case .isInQuery(let query, let negated):
            try isIn(operand.column, query, negated: negated, operand: comparison.operand)
        case .includes(let list, let negated): try includes(operand, list, negated: negated)
        }
    }

    /// The left side of a comparison.
    struct Operand {
        var column: QueryScope.Column
        /// The name in error messages.
        var name: String
        var position: SOQLPosition
    }

    private func column(_ operand: SOQLOperand) throws -> QueryScope.Column {
        switch operand {
        case .path(let field):
            var column = try path(field)
            // A missing parent has false for a boolean.
            if column.type == .boolean { column.sql = "ifnull(\(column.sql), 0)" }
            return column
        case .call(let expression):
            guard let column = try call(expression) else {
                throw source.failure(
                    "MALFORMED_QUERY", "unexpected token: '\(expression.name)'", at: expression.position)
            }
            return column
        }
    }

    static func name(_ operand: SOQLOperand) -> String {
        switch operand {
        case .path(let path): path.last
        case .call(let call): call.description
        }
    }

    private mutating func append(_ text: String, _ value: CellValue) {
        sql += text
        values.append(value)
    }

    // MARK: Tests

    private mutating func compare(
        _ operand: Operand, _ comparator: SOQLOperator, to value: SOQLValue
    ) throws {
        let (column, position) = (operand.column, operand.position)
        if case .dateLiteral(let literal) = value, [.date, .datetime].contains(column.type) {
            return compare(column, comparator, toDays: DateSpan(literal, today: caller.today))
        }
        if case .string("") = value, column.type.storage == .text, comparator != .equal, comparator != .notEqual {
            return append("\(column.sql) \(comparator.rawValue) ?", .text(""))
        }
        let cell = try operandValue(value, for: operand)
        if cell.isNull {
            guard comparator == .equal || comparator == .notEqual else {
                if case .field = value {
                    sql += "0"
                    return
                }
                throw source.failure(
                    "INVALID_QUERY_FILTER_OPERATOR", "null is not comparable with \(comparator.rawValue)", at: position)
            }
            if column.type == .boolean {
                sql += "\(column.sql) \(comparator == .equal ? "=" : "<>") 0"
            } else {
                sql += "\(column.sql) IS \(comparator == .equal ? "" : "NOT ")NULL"
            }
            return
        }
        if column.type == .boolean, comparator != .equal, comparator != .notEqual {
            throw source.failure(
                "INVALID_QUERY_FILTER_OPERATOR", "operator \(comparator.rawValue) is not valid for '\(operand.name)'",
                at: position)
        }
        if comparator == .notEqual {
            unequal(column, cell)
        } else if [.greater, .greaterOrEqual].contains(comparator),
            Self.datesOfChange.contains(operand.name.lowercased())
        {
            // SQLite assumes that a range contains a quarter of the rows, and then reads all of them in the requested
            // order. Queries of syncs ask for the few latest changes.
            append("likelihood(\(column.sql) \(comparator.rawValue) ?, 0.001)", cell)
        } else {
            append("\(column.sql) \(comparator.rawValue) ?", cell)
        }
    }

    private static let datesOfChange: Set<String> = ["lastmodifieddate", "systemmodstamp"]

    private mutating func unequal(_ column: QueryScope.Column, _ cell: CellValue) {
        append("\(column.sql) IS NOT ?", cell)
    }

    /// Appends a comparison with a span of days: inside it, before it, or after it.
    private mutating func compare(_ column: QueryScope.Column, _ comparator: SOQLOperator, toDays span: DateSpan) {
        func edge(_ date: OrgDate) -> CellValue {
            if column.type == .date { return .text(date.text) }
            return .int(span.endsNow && date == span.end ? caller.now.plus(1) : caller.zone.start(of: date))
        }
        switch comparator {
        case .equal, .notEqual:
            append("(\(column.sql) >= ?", edge(span.start))
            append(" AND \(column.sql) < ?)", edge(span.end))
            if comparator == .notEqual { sql += Self.isNotTrue }
        case .less: append("\(column.sql) < ?", edge(span.start))
        case .greaterOrEqual: append("\(column.sql) >= ?", edge(span.start))
        case .greater: append("\(column.sql) >= ?", edge(span.end))
        case .lessOrEqual: append("\(column.sql) < ?", edge(span.end))
        }
    }

    private mutating func like(_ operand: Operand, _ pattern: String) throws {
        let column = operand.column
        guard column.type.storage == .text, column.type != .multipicklist else {
            throw source.failure(
                "INVALID_QUERY_FILTER_OPERATOR", "operator LIKE is not valid for '\(operand.name)'",
                at: operand.position)
        }
        if column.isExact {
            append("\(column.sql) GLOB ?", .text(Self.glob(pattern)))
        } else if pattern.utf8.allSatisfy({ $0 < 0x80 }) {
            // SQLite folds ASCII itself. Other characters may become ASCII when they are folded, such as "ß".
            let (text, folded) = (column.sql, "\(TextOrder.foldFunction)(\(column.sql))")
            let isASCII = "length(\(text)) = length(CAST(\(text) AS BLOB))"
            append(
                "CASE WHEN \(isASCII) THEN \(text) ELSE \(folded) END LIKE ? ESCAPE '\\'", .text(pattern.uppercased()))
        } else {
            append("\(TextOrder.foldFunction)(\(column.sql)) LIKE ? ESCAPE '\\'", .text(pattern.uppercased()))
        }
    }

    /// Returns the pattern as a GLOB pattern, the only form that SQLite matches case-sensitively.
    private static func glob(_ pattern: String) -> String {
        var glob = ""
        var scalars = pattern.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "%": glob += "*"
            case "_": glob += "?"
            default:
                let literal = scalar == "\\" ? scalars.popFirst() ?? scalar : scalar
                glob += "*?[".unicodeScalars.contains(literal) ? "[\(literal)]" : String(literal)
            }
        }
        return glob
    }

    private mutating func isIn(_ operand: Operand, _ list: [SOQLValue], negated: Bool) throws {
        var cells: [CellValue] = []
        for value in list {
            if case .dateLiteral = value {
                throw source.failure("MALFORMED_QUERY", "date literals cannot be used in a list", at: operand.position)
            }
            let cell = try operandValue(value, for: operand)
            if !cell.isNull { cells.append(cell) }
        }
        sql += "\(operand.column.sql) IN ("
        if cells.count <= 16 {
            for (index, cell) in cells.enumerated() { append(index == 0 ? "?" : ", ?", cell) }
        } else {
            append("SELECT value FROM json_each(?)", .text(Self.json(cells)))
        }
        sql += negated ? ")\(Self.isNotTrue)" : ")"
    }

    static func json(_ cells: [CellValue]) -> String {
        var output = JSONOutput()
        for (index, cell) in cells.enumerated() {
            output.append(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
            switch cell {
            case .null: output.append("null")
            case .int(let value): output.append(Int(value))
            case .real(let value): output.append(json: .double(value))
            case .text(let text): output.append(json: .string(text))
            }
        }
        output.append(cells.isEmpty ? "[]" : "]")
        return String(decoding: output.bytes, as: UTF8.self)
    }

    private mutating func includes(_ operand: Operand, _ list: [String], negated: Bool) throws {
        let column = operand.column
        guard column.type == .multipicklist else {
            throw source.failure(
                "INVALID_QUERY_FILTER_OPERATOR", "operator INCLUDES is not valid for '\(operand.name)'",
                at: operand.position)
        }
        let text = "instr(';' || \(TextOrder.foldFunction)(\(column.sql)) || ';', ?) > 0"
        let alternatives = list.map { alternative in
            var all = self
            (all.sql, all.values) = ("", [])
            let pieces = alternative.split(separator: ";").map { value in
                Piece(sql: text, values: [.text(";\(value.uppercased());")])
            }
            all.append(pieces.isEmpty ? [Piece(sql: "0", values: [])] : pieces[...], " AND ")
            return Piece(sql: all.sql, values: all.values)
        }
        append(alternatives[...], " OR ")
        if negated { sql += Self.isNotTrue }
    }
}
