// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Compiles a formula to SQL in one pass, with the type of each part.
///
/// A missing value is an empty text in text operations, and makes the result of arithmetic missing. For `=` and `<>` it
/// is a value that differs from all others; every other comparison with it is false. There is no third truth value: an
/// expression that is not true is false.
struct FormulaCompiler {
    /// A compiled part.
    struct Part {
        var sql: String
        var type: FormulaType
        /// The depth of the SQL expression's tree.
        var depth = 1
        /// Whether it always has a value.
        var isCertain = false
        /// Its operands, if it is a chain to which more can be added.
        var row: Row?
        /// The recursion depth of compiling it; 0 unless it is the formula of another field.
        var nesting = 0
    }

    /// A chain of operands: nested in pairs they would exceed the depth of SQLite's parser.
    struct Row {
        enum Kind { case text, or, and, sum, product, cases, choice }

        var kind: Kind
        var terms: String
    }

    private var scanner: FormulaScanner
    private(set) var token: FormulaScanner.Token = .end
    private(set) var column = 1
    private var nesting = 0
    /// The maximum of ``nesting`` so far.
    private var deepest: Int
    /// Returns the part of a field of the row.
    private let field: (String, Int) throws(FormulaFailureReason) -> Part

    /// A failure without its position.
    struct FormulaFailureReason: Error {
        var message: String
        /// As in ``FormulaFailure``.
        var cause: String?
    }

    /// The maximum recursion depth, including the formulas that are used.
    private static let deepestNesting = 100

    private init(
        _ text: String, nesting: Int, field: @escaping (String, Int) throws(FormulaFailureReason) -> Part
    ) throws(FormulaFailure) {
        scanner = FormulaScanner(text)
        self.nesting = nesting
        deepest = nesting
        self.field = field
        try advance()
    }

    /// - Parameters:
    /// - nesting: the depth of the formula in other formulas; 0 for the outermost one.
    /// - field: returns the part of a field of the row by its name and its depth in this formula.
    /// - Returns: the part, with the ``Part/nesting`` of the whole formula.
    static func compile(
        _ text: String, nesting: Int, field: @escaping (String, Int) throws(FormulaFailureReason) -> Part
    ) throws(FormulaFailure) -> Part {
        var compiler = try FormulaCompiler(text, nesting: nesting, field: field)
        var part = try compiler.expression()
        guard compiler.token == .end else { throw compiler.failure("the formula should end here") }
        part.nesting = compiler.deepest - nesting
        return part
    }

    func failure(_ message: String) -> FormulaFailure { FormulaFailure(message: message, column: column) }

    /// Records the recursion depth.
    private mutating func goDown(to level: Int) throws(FormulaFailure) {
        guard level < Self.deepestNesting else { throw failure("the formula is nested too deeply") }
        deepest = max(deepest, level)
    }

    mutating func advance() throws(FormulaFailure) { (token, column) = try scanner.next() }

    /// Consumes the next token if it is one of these symbols.
    mutating func take(_ symbols: String...) throws(FormulaFailure) -> String? {
        guard case .symbol(let symbol) = token, symbols.contains(symbol) else { return nil }
        try advance()
        return symbol
    }

    // MARK: From the loosest operator to the tightest

    mutating func expression() throws(FormulaFailure) -> Part {
        nesting += 1
        defer { nesting -= 1 }
        try goDown(to: nesting)
        var left = try conjunction()
        while let (_, at) = try operation("||") {
            left = try logical(left, .or, with: try conjunction(), at: at)
        }
        return left
    }

    private mutating func conjunction() throws(FormulaFailure) -> Part {
        var left = try comparison()
        while let (_, at) = try operation("&&") { left = try logical(left, .and, with: try comparison(), at: at) }
        return left
    }

    private mutating func comparison() throws(FormulaFailure) -> Part {
        var left = try joining()
        while let (symbol, at) = try operation("=", "==", "<>", "!=", "<=", ">=", "<", ">") {
            left = try compared(left, symbol, with: try joining(), at: at)
        }
        return left
    }

    private mutating func joining() throws(FormulaFailure) -> Part {
        var left = try sum()
        while let (_, at) = try operation("&") { left = try joined(left, try sum(), at: at) }
        return left
    }

    private mutating func sum() throws(FormulaFailure) -> Part {
        var left = try product()
        while let (symbol, at) = try operation("+", "-") {
            let right = try product()
            left =
                symbol == "+" && (left.type == .text || right.type == .text)
                ? try joined(left, right, at: at) : try added(left, symbol, with: right, at: at)
        }
        return left
    }

    private mutating func product() throws(FormulaFailure) -> Part {
        var left = try factor()
        while let (symbol, at) = try operation("*", "/") {
            let right = try factor()
            try expect(.number, left, at: at)
            try expect(.number, right, at: at)
            left = try calculated(left, symbol, with: right, kind: .product, at: at)
        }
        return left
    }

    private mutating func factor() throws(FormulaFailure) -> Part {
        nesting += 1
        defer { nesting -= 1 }
        try goDown(to: nesting)
        let at = column
        if let sign = try take("-", "+") {
            let part = try factor()
            try expect(.number, part, at: at)
            return sign == "-" ? try made("(-\(part.sql))", type: .number, from: [part], at: at) : part
        }
        if try take("!") != nil {
            let part = try factor()
            try expect(.boolean, part, at: at)
            return try negated(part, at)
        }
        if try take("(") != nil {
            let part = try expression()
            guard try take(")") != nil else { throw failure("a \")\" is missing") }
            return part
        }
        return try value(at: at)
    }

    /// Compiles a number, a text, a constant, a field or a call.
    private mutating func value(at: Int) throws(FormulaFailure) -> Part {
        switch token {
        case .number(let text):
            try advance()
            return Part(sql: text.utf8.contains(UInt8(ascii: ".")) ? text : text + ".0", type: .number)
        case .text(let text):
            try advance()
            return Part(sql: Self.literal(text), type: .text, isCertain: true)
        case .name(let name):
            try advance()
            if try take("(") != nil { return try call(name, at) }
            if let constant = Self.constant(name) { return constant }
            return try fieldValue(name, at: at)
        case .end: throw failure("the formula is incomplete: a value is missing at its end")
        case .symbol(let symbol): throw failure("there is \"\(symbol)\" in the place of a value")
        }
    }

    private static func constant(_ name: String) -> Part? {
        switch name.uppercased() {
        case "TRUE": Part(sql: "1", type: .boolean, isCertain: true)
        case "FALSE": Part(sql: "0", type: .boolean, isCertain: true)
        case "NULL": Part(sql: "NULL", type: .blank)
        default: nil
        }
    }

    private mutating func fieldValue(_ name: String, at: Int) throws(FormulaFailure) -> Part {
        let part: Part
        do {
            part = try field(name, nesting)
        } catch {
            throw FormulaFailure(message: error.message, column: at, cause: error.cause)
        }
        try goDown(to: nesting + part.nesting)
        return part
    }

    private mutating func operation(_ symbols: String...) throws(FormulaFailure) -> (symbol: String, column: Int)? {
        guard case .symbol(let symbol) = token, symbols.contains(symbol) else { return nil }
        let at = column
        try advance()
        return (symbol, at)
    }
}
