// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The SQL of operators.
///
/// Every part can be an operand: it is a name, a literal, a call, a `CASE`, or in parentheses.
extension FormulaCompiler {
    /// SQLite rejects expressions whose tree is more than 1,000 deep.
    private static let deepest = 900
    private static let longest = 20_000

    static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    func expect(_ type: FormulaType, _ part: Part, at column: Int) throws(FormulaFailure) {
        guard part.type != type, part.type != .blank else { return }
        throw FormulaFailure(
            message: "a \(type.rawValue) is needed here, and this is a \(part.type.rawValue)", column: column)
    }

    /// Returns a part composed of others.
    func made(
        _ sql: String, type: FormulaType, from parts: [Part], isCertain: Bool = false, row: Row? = nil, at column: Int
    ) throws(FormulaFailure) -> Part {
        let depth = (parts.map(\.depth).max() ?? 0) + 2
        guard depth <= Self.deepest, sql.utf8.count <= Self.longest else {
            throw FormulaFailure(message: "the formula is too large", column: column)
        }
        return Part(sql: sql, type: type, depth: depth, isCertain: isCertain, row: row)
    }

    /// Returns the terms of a part that is a chain of this kind, else the part as the only term.
    private static func terms(_ part: Part, _ kind: Row.Kind, orElse missing: String) -> String {
        if let row = part.row, row.kind == kind { return row.terms }
        return part.isCertain ? part.sql : "ifnull(\(part.sql), \(missing))"
    }

    func negated(_ part: Part, _ column: Int) throws(FormulaFailure) -> Part {
        try made("(\(part.sql) IS NOT 1)", type: .boolean, from: [part], isCertain: true, at: column)
    }

    func logical(_ left: Part, _ kind: Row.Kind, with right: Part, at column: Int) throws(FormulaFailure) -> Part {
        try expect(.boolean, left, at: column)
        try expect(.boolean, right, at: column)
        let first = Self.terms(left, kind, orElse: "0")
        let terms = "\(first) \(kind == .or ? "OR" : "AND") \(Self.terms(right, kind, orElse: "0"))"
        return try made(
            "(\(terms))", type: .boolean, from: [left, right], isCertain: true, row: Row(kind: kind, terms: terms),
            at: column)
    }

    func joined(_ left: Part, _ right: Part, at column: Int) throws(FormulaFailure) -> Part {
        try expect(.text, left, at: column)
        try expect(.text, right, at: column)
        let terms = "\(Self.terms(left, .text, orElse: "''")) || \(Self.terms(right, .text, orElse: "''"))"
        return try made(
            "(\(terms))", type: .text, from: [left, right], isCertain: true, row: Row(kind: .text, terms: terms),
            at: column)
    }

    /// Returns an arithmetic operation on two numbers; chains are evaluated from left to right.
    func calculated(
        _ left: Part, _ sign: String, with right: Part, kind: Row.Kind, at column: Int
    ) throws(FormulaFailure) -> Part {
        let terms = "\(left.row?.kind == kind ? left.row?.terms ?? left.sql : left.sql) \(sign) \(right.sql)"
        return try made(
            "(\(terms))", type: .number, from: [left, right], row: Row(kind: kind, terms: terms), at: column)
    }

    /// Returns the first of two values if a condition is true, else the other, which may be another choice.
    func chosen(
        if condition: Part, _ first: Part, else other: Part, type: FormulaType, at column: Int
    ) throws(FormulaFailure) -> Part {
        let rest = other.row?.kind == .cases ? other.row?.terms : nil
        let terms = "WHEN \(condition.sql) THEN \(first.sql) \(rest ?? "ELSE \(other.sql)")"
        return try made(
            "CASE \(terms) END", type: type, from: [condition, first, other],
            isCertain: first.isCertain && other.isCertain,
            row: Row(kind: .cases, terms: terms), at: column)
    }

    /// Returns the first of two values unless it is missing, else the other, which may be another such choice.
    func filled(_ first: Part, or other: Part, type: FormulaType, at column: Int) throws(FormulaFailure) -> Part {
        let value = first.type == .text ? "nullif(\(first.sql), '')" : first.sql
        let terms = "\(value), \(other.row?.kind == .choice ? other.row?.terms ?? other.sql : other.sql)"
        return try made(
            "coalesce(\(terms))", type: type, from: [first, other], isCertain: other.isCertain,
            row: Row(kind: .choice, terms: terms), at: column)
    }

    func compared(
        _ left: Part, _ symbol: String, with right: Part, at column: Int
    ) throws(FormulaFailure) -> Part {
        guard left.type == right.type || left.type == .blank || right.type == .blank else {
            throw FormulaFailure(
                message: "a \(left.type.rawValue) cannot be compared with a \(right.type.rawValue)", column: column)
        }
        // Comparisons in formulas are case-sensitive, regardless of the column's collation.
        let isText = left.type == .text || right.type == .text
        let (first, second) =
            isText
            ? ("ifnull(\(left.sql), '') COLLATE BINARY", "ifnull(\(right.sql), '')") : (left.sql, right.sql)
        let sql =
            switch symbol {
            case "=", "==": "(\(first) IS \(second))"
            case "<>", "!=": "(\(first) IS NOT \(second))"
            default: "ifnull(\(first) \(symbol) \(second), 0)"
            }
        return try made(sql, type: .boolean, from: [left, right], isCertain: true, at: column)
    }

    func added(
        _ left: Part, _ symbol: String, with right: Part, at column: Int
    ) throws(FormulaFailure) -> Part {
        let parts = [left, right]
        func result(_ sql: String, _ type: FormulaType) throws(FormulaFailure) -> Part {
            try made(sql, type: type, from: parts, at: column)
        }
        switch (left.type, symbol, right.type) {
        case (.date, "-", .date): return try result("(julianday(\(left.sql)) - julianday(\(right.sql)))", .number)
        case (.dateTime, "-", .dateTime): return try result("((\(left.sql) - \(right.sql)) / 86400000.0)", .number)
        case (.date, _, .number), (.date, _, .blank):
            let days = "CAST(\(symbol)\(right.sql) AS INTEGER) || ' days'"
            return try result("\(FormulaFunctions.date)(date(\(left.sql), \(days)))", .date)
        case (.number, "+", .date):
            let days = "CAST(\(left.sql) AS INTEGER) || ' days'"
            return try result("\(FormulaFunctions.date)(date(\(right.sql), \(days)))", .date)
        case (.dateTime, _, .number), (.dateTime, _, .blank):
            let moment = "\(left.sql) \(symbol) \(right.sql) * 86400000.0"
            return try result("\(FormulaFunctions.moment)(\(moment))", .dateTime)
        default:
            try expect(.number, left, at: column)
            try expect(.number, right, at: column)
            return try calculated(left, symbol, with: right, kind: .sum, at: column)
        }
    }
}
