// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Reads a formula and writes the SQL of it, in one pass, with the type of each part.
///
/// A missing value counts as an empty text, makes arithmetic missing, and makes a comparison false. There is no third
/// truth value: conditions are 0 or 1.
struct FormulaCompiler {
    /// A part that has been read.
    struct Part {
        var sql: String
        var type: FormulaType
        /// How deeply the SQL is nested.
        var depth = 1
    }

    private var scanner: FormulaScanner
    private(set) var token: FormulaScanner.Token = .end
    private(set) var column = 1
    private var nesting = 0
    /// Gives the part of a field of the row.
    private let field: (String) throws(FormulaFailureReason) -> Part

    /// A failure without its place.
    struct FormulaFailureReason: Error { var message: String }

    /// SQLite refuses expressions that are nested more than 1,000 deep.
    private static let deepest = 200
    private static let longest = 20_000

    private init(_ text: String, field: @escaping (String) throws(FormulaFailureReason) -> Part) throws(FormulaFailure)
    {
        scanner = FormulaScanner(text)
        self.field = field
        try advance()
    }

    /// - Parameter field: gives the part of a field of the row by its name.
    static func compile(
        _ text: String, field: @escaping (String) throws(FormulaFailureReason) -> Part
    ) throws(FormulaFailure) -> Part {
        var compiler = try FormulaCompiler(text, field: field)
        let part = try compiler.expression()
        guard compiler.token == .end else { throw compiler.failure("the formula should end here") }
        return part
    }

    func failure(_ message: String) -> FormulaFailure { FormulaFailure(message: message, column: column) }

    mutating func advance() throws(FormulaFailure) { (token, column) = try scanner.next() }

    /// Takes one of these symbols, if it is the next token.
    mutating func take(_ symbols: String...) throws(FormulaFailure) -> String? {
        guard case .symbol(let symbol) = token, symbols.contains(symbol) else { return nil }
        try advance()
        return symbol
    }

    // MARK: From the loosest operator to the tightest

    mutating func expression() throws(FormulaFailure) -> Part {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting < 60 else { throw failure("the formula is nested too deeply") }
        var left = try conjunction()
        while let (_, at) = try operation("||") {
            left = try logical(left, "OR", try conjunction(), at)
        }
        return left
    }

    private mutating func conjunction() throws(FormulaFailure) -> Part {
        var left = try comparison()
        while let (_, at) = try operation("&&") { left = try logical(left, "AND", try comparison(), at) }
        return left
    }

    private mutating func comparison() throws(FormulaFailure) -> Part {
        var left = try joining()
        while let (symbol, at) = try operation("=", "==", "<>", "!=", "<=", ">=", "<", ">") {
            left = try compared(left, symbol, try joining(), at)
        }
        return left
    }

    private mutating func joining() throws(FormulaFailure) -> Part {
        var left = try sum()
        while let (_, at) = try operation("&") { left = try joined(left, try sum(), at) }
        return left
    }

    private mutating func sum() throws(FormulaFailure) -> Part {
        var left = try product()
        while let (symbol, at) = try operation("+", "-") {
            let right = try product()
            left =
                symbol == "+" && (left.type == .text || right.type == .text)
                ? try joined(left, right, at) : try added(left, symbol, right, at)
        }
        return left
    }

    private mutating func product() throws(FormulaFailure) -> Part {
        var left = try factor()
        while let (symbol, at) = try operation("*", "/") {
            let right = try factor()
            try expect(.number, left, at)
            try expect(.number, right, at)
            left = try made("(\(left.sql) \(symbol) \(right.sql))", .number, [left, right], at)
        }
        return left
    }

    private mutating func factor() throws(FormulaFailure) -> Part {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting < 60 else { throw failure("the formula is nested too deeply") }
        let at = column
        if let sign = try take("-", "+") {
            let part = try factor()
            try expect(.number, part, at)
            return sign == "-" ? try made("(-\(part.sql))", .number, [part], at) : part
        }
        if try take("!") != nil {
            let part = try factor()
            try expect(.boolean, part, at)
            return try made("(NOT ifnull(\(part.sql), 0))", .boolean, [part], at)
        }
        if try take("(") != nil {
            let part = try expression()
            guard try take(")") != nil else { throw failure("a \")\" is missing") }
            return part
        }
        switch token {
        case .number(let text):
            try advance()
            return Part(sql: text.utf8.contains(UInt8(ascii: ".")) ? text : text + ".0", type: .number)
        case .text(let text):
            try advance()
            return Part(sql: Self.literal(text), type: .text)
        case .name(let name):
            try advance()
            if try take("(") != nil { return try call(name, at) }
            switch name.uppercased() {
            case "TRUE": return Part(sql: "1", type: .boolean)
            case "FALSE": return Part(sql: "0", type: .boolean)
            case "NULL": return Part(sql: "NULL", type: .blank)
            default: break
            }
            do {
                return try field(name)
            } catch {
                throw FormulaFailure(message: error.message, column: at)
            }
        case .end: throw failure("the formula ends in the middle")
        case .symbol(let symbol): throw failure("\"\(symbol)\" stands where a value should")
        }
    }

    private mutating func operation(_ symbols: String...) throws(FormulaFailure) -> (symbol: String, column: Int)? {
        guard case .symbol(let symbol) = token, symbols.contains(symbol) else { return nil }
        let at = column
        try advance()
        return (symbol, at)
    }

    // MARK: Parts

    static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    func expect(_ type: FormulaType, _ part: Part, _ column: Int) throws(FormulaFailure) {
        guard part.type != type, part.type != .blank else { return }
        throw FormulaFailure(
            message: "a \(type.rawValue) is needed here, and this is a \(part.type.rawValue)", column: column)
    }

    /// A part made of others.
    func made(_ sql: String, _ type: FormulaType, _ parts: [Part], _ column: Int) throws(FormulaFailure) -> Part {
        let depth = (parts.map(\.depth).max() ?? 0) + 2
        guard depth <= Self.deepest, sql.utf8.count <= Self.longest else {
            throw FormulaFailure(message: "the formula is too large", column: column)
        }
        return Part(sql: sql, type: type, depth: depth)
    }

    func logical(_ left: Part, _ word: String, _ right: Part, _ column: Int) throws(FormulaFailure) -> Part {
        try expect(.boolean, left, column)
        try expect(.boolean, right, column)
        return try made("(ifnull(\(left.sql), 0) \(word) ifnull(\(right.sql), 0))", .boolean, [left, right], column)
    }

    private func joined(_ left: Part, _ right: Part, _ column: Int) throws(FormulaFailure) -> Part {
        try expect(.text, left, column)
        try expect(.text, right, column)
        return try made("(ifnull(\(left.sql), '') || ifnull(\(right.sql), ''))", .text, [left, right], column)
    }

    private func compared(
        _ left: Part, _ symbol: String, _ right: Part, _ column: Int
    ) throws(FormulaFailure) -> Part {
        guard left.type == right.type || left.type == .blank || right.type == .blank else {
            throw FormulaFailure(
                message: "a \(left.type.rawValue) cannot be compared with a \(right.type.rawValue)", column: column)
        }
        // Case counts in formulas, whatever the column says.
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
        return try made(sql, .boolean, [left, right], column)
    }

    private func added(
        _ left: Part, _ symbol: String, _ right: Part, _ column: Int
    ) throws(FormulaFailure) -> Part {
        let parts = [left, right]
        func result(_ sql: String, _ type: FormulaType) throws(FormulaFailure) -> Part {
            try made(sql, type, parts, column)
        }
        switch (left.type, symbol, right.type) {
        case (.date, "-", .date): return try result("(julianday(\(left.sql)) - julianday(\(right.sql)))", .number)
        case (.dateTime, "-", .dateTime): return try result("((\(left.sql) - \(right.sql)) / 86400000.0)", .number)
        case (.date, _, .number), (.date, _, .blank):
            return try result("date(\(left.sql), CAST(\(symbol)\(right.sql) AS INTEGER) || ' days')", .date)
        case (.number, "+", .date):
            return try result("date(\(right.sql), CAST(\(left.sql) AS INTEGER) || ' days')", .date)
        case (.dateTime, _, .number), (.dateTime, _, .blank):
            return try result("CAST(\(left.sql) \(symbol) \(right.sql) * 86400000.0 AS INTEGER)", .dateTime)
        default:
            try expect(.number, left, column)
            try expect(.number, right, column)
            return try result("(\(left.sql) \(symbol) \(right.sql))", .number)
        }
    }
}
