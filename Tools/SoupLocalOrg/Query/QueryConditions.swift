// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Compiles conditions to SQL.
///
/// SOQL knows no third truth value: a comparison with a missing value is false, or true when it is negated. This is
/// kept in ``isNotTrue`` and ``unequal(_:_:)`` alone.
struct QueryConditions {
    let scope: QueryScope
    let caller: QueryCaller
    /// Compiles calls; nil for those that are no expression of rows.
    var call: (SOQLCall) throws -> QueryScope.Column?
    /// Compiles fields.
    var path: (SOQLPath) throws -> QueryScope.Column
    /// Whether a field may be looked for in what another query finds.
    var allowsSemiJoins = true
    /// The columns of `OLD.`, for validation rules.
    var old: (String) -> CellValue? = { _ in nil }

    /// A comparison, or several in parentheses: what may stand before ``isNotTrue``.
    var sql = ""
    var values: [CellValue] = []
    var semiJoins = 0
    /// How many parentheses are open at once in ``sql``.
    private var nesting = 0

    /// Behind a piece of SQL: its opposite.
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
                throw source.failure("MALFORMED_QUERY", "unexpected token: 'OR'", Self.position(mixed))
            }
            if let place = terms.lazy.compactMap(Self.semiJoin).first {
                throw source.failure(
                    "MALFORMED_QUERY", "Semi join sub-selects are not allowed with the 'OR' operator", place)
            }
            try add(terms, " OR ")
        case .group(let inner):
            try add(inner)
        case .not(let inner):
            // Twice not is not at all.
            if case .not(let innermost) = inner.ungrouped { return try add(innermost) }
            try add(inner)
            sql += Self.isNotTrue
        case .comparison(let comparison): try add(comparison)
        }
    }

    /// Conditions that have been compiled, each by itself.
    private struct Piece {
        var sql: String
        var values: [CellValue]
        var nesting = 0
    }

    /// Adds terms, the deepest first: SQLite's parser keeps in mind what stands before an open parenthesis, and that is
    /// not much.
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

    /// Appends pieces in halves of halves: SQLite takes expressions that are long, but not such that are deep.
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

    /// Where a condition has a sub-select; nil when it has none.
    private static func semiJoin(_ condition: SOQLCondition) -> SOQLPosition? {
        switch condition {
        case .and(let terms), .or(let terms): return terms.lazy.compactMap(semiJoin).first
        case .not(let inner), .group(let inner): return semiJoin(inner)
        case .comparison(let comparison):
            if case .isInQuery = comparison.test { return comparison.operand.position }
            return nil
        }
    }

    /// Where a condition begins, as far as its first field tells.
    static func position(_ condition: SOQLCondition) -> SOQLPosition {
        switch condition {
        case .and(let terms), .or(let terms): terms.first.map(position) ?? SOQLPosition()
        case .not(let inner), .group(let inner): position(inner)
        case .comparison(let comparison): comparison.operand.position
        }
    }

    private mutating func add(_ comparison: SOQLComparison) throws {
        let column = try column(comparison.operand)
        let name = Self.name(comparison.operand)
        let position = comparison.operand.position
        if let field = column.field, !field.isFilterable {
            throw source.failure(
                "INVALID_FIELD", "field '\(field.name)' can not be filtered in a query call", position)
        }
        switch comparison.test {
        case .compare(let comparator, let value):
            try compare(column, comparator, value, name, position)
        case .like(let pattern): try like(column, pattern, name, position)
        case .isIn(let list, let negated): try isIn(column, list, negated, name, position)
        case .isInQuery(let query, let negated): try isIn(column, query, negated, comparison.operand)
        case .includes(let list, let negated): try includes(column, list, negated, name, position)
        }
    }

    private func column(_ operand: SOQLOperand) throws -> QueryScope.Column {
        switch operand {
        case .path(let field):
            var column = try path(field)
            // A parent that is not there has a false where it would have a boolean.
            if column.type == .boolean { column.sql = "ifnull(\(column.sql), 0)" }
            return column
        case .call(let expression):
            guard let column = try call(expression) else {
                throw source.failure(
                    "MALFORMED_QUERY", "unexpected token: '\(expression.name)'", expression.position)
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
        _ column: QueryScope.Column, _ comparator: SOQLOperator, _ value: SOQLValue, _ name: String,
        _ position: SOQLPosition
    ) throws {
        if case .dateLiteral(let literal) = value, [.date, .datetime].contains(column.type) {
            return span(column, comparator, DateSpan(literal, today: caller.today))
        }
        if case .string("") = value, column.type.storage == .text, comparator != .equal, comparator != .notEqual {
            return append("\(column.sql) \(comparator.rawValue) ?", .text(""))
        }
        let cell = try operandValue(value, column, name, position)
        if cell.isNull {
            guard comparator == .equal || comparator == .notEqual else {
                if case .field = value {
                    sql += "0"
                    return
                }
                throw source.failure(
                    "INVALID_QUERY_FILTER_OPERATOR", "null is not comparable with \(comparator.rawValue)", position)
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
                "INVALID_QUERY_FILTER_OPERATOR", "operator \(comparator.rawValue) is not valid for '\(name)'", position)
        }
        if comparator == .notEqual {
            unequal(column, cell)
        } else {
            append("\(column.sql) \(comparator.rawValue) ?", cell)
        }
    }

    private mutating func unequal(_ column: QueryScope.Column, _ cell: CellValue) {
        append("\(column.sql) IS NOT ?", cell)
    }

    /// A comparison with a span of days: inside it, before it, or behind it.
    private mutating func span(_ column: QueryScope.Column, _ comparator: SOQLOperator, _ span: DateSpan) {
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

    private mutating func like(
        _ column: QueryScope.Column, _ pattern: String, _ name: String, _ position: SOQLPosition
    ) throws {
        guard column.type.storage == .text, column.type != .multipicklist else {
            throw source.failure("INVALID_QUERY_FILTER_OPERATOR", "operator LIKE is not valid for '\(name)'", position)
        }
        if column.isExact {
            append("\(column.sql) GLOB ?", .text(Self.glob(pattern)))
        } else if pattern.utf8.allSatisfy({ $0 < 0x80 }) {
            // SQLite folds ASCII, which most texts are; others may become ASCII when they are folded, such as "ß".
            let (text, folded) = (column.sql, "\(TextOrder.foldFunction)(\(column.sql))")
            let isASCII = "length(\(text)) = length(CAST(\(text) AS BLOB))"
            append(
                "CASE WHEN \(isASCII) THEN \(text) ELSE \(folded) END LIKE ? ESCAPE '\\'", .text(pattern.uppercased()))
        } else {
            append("\(TextOrder.foldFunction)(\(column.sql)) LIKE ? ESCAPE '\\'", .text(pattern.uppercased()))
        }
    }

    /// The pattern in the only form that SQLite matches by case.
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

    private mutating func isIn(
        _ column: QueryScope.Column, _ list: [SOQLValue], _ negated: Bool, _ name: String, _ position: SOQLPosition
    ) throws {
        var cells: [CellValue] = []
        for value in list {
            if case .dateLiteral = value {
                throw source.failure("MALFORMED_QUERY", "date literals cannot be used in a list", position)
            }
            let cell = try operandValue(value, column, name, position)
            if !cell.isNull { cells.append(cell) }
        }
        sql += "\(column.sql) IN ("
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

    private mutating func includes(
        _ column: QueryScope.Column, _ list: [String], _ negated: Bool, _ name: String, _ position: SOQLPosition
    ) throws {
        guard column.type == .multipicklist else {
            throw source.failure(
                "INVALID_QUERY_FILTER_OPERATOR", "operator INCLUDES is not valid for '\(name)'", position)
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
