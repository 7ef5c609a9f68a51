// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SOQLQuery {
    /// Parses a query.
    ///
    /// - Parameters:
    ///   - mixedConditions: whether `AND` and `OR` may be side by side without parentheses; servers refuse that.
    ///   - maximumDepth: the maximum nesting of conditions and calls; a query counts as 8 levels. Each level needs up
    ///     to 4 KB of stack in a debug build; the default fits in 256 KiB.
    /// - Throws: ``SoupError`` with `soql`; its place is the line and column of the unexpected token.
    package init(
        parsing text: String, mixedConditions: Bool = true, maximumDepth: Int = SOQLQuery.standardDepth
    ) throws {
        var parser = try SOQLParser(text)
        parser.allowedDepth = maximumDepth
        parser.allowsMixedConditions = mixedConditions
        self = try parser.wholeQuery().query
    }

    /// The default maximum nesting, so that no text can exhaust a stack of 256 KiB.
    package static let standardDepth = SOQLParser.maximumDepth
}

extension SOQLCondition {
    /// Parses the condition of a WHERE clause.
    ///
    /// - Parameters:
    ///   - fieldValues: whether fields may be compared with fields (`Version__c <= OLD.Version__c`), which SOQL does
    ///     not support.
    ///   - mixedConditions: whether `AND` and `OR` may be side by side without parentheses; servers refuse that.
    ///   - maximumDepth: as for a query.
    /// - Throws: ``SoupError`` with `soql`.
    package init(
        parsing text: String, fieldValues: Bool = false, mixedConditions: Bool = true,
        maximumDepth: Int = SOQLQuery.standardDepth
    ) throws {
        var parser = try SOQLParser(text)
        parser.allowedDepth = maximumDepth
        parser.allowsFieldValues = fieldValues
        parser.allowsMixedConditions = mixedConditions
        self = try parser.condition()
        try parser.expectEnd()
    }
}

/// A recursive descent parser: one method for each production of the grammar, in the extensions in separate files.
struct SOQLParser {
    let source: [UInt8]
    let tokens: [SOQLToken]
    var index = 0
    var allowsFieldValues = false
    var allowsMixedConditions = true
    /// The maximum nesting for this parser.
    var allowedDepth = SOQLParser.maximumDepth
    private var depth = 0

    /// The maximum nesting of conditions and calls, including the query around them, so that no text can exhaust a
    /// stack of 256 KiB.
    static let maximumDepth = 72
    /// The number of levels that a query counts as, because parsing one needs as much stack.
    static let levelsOfQuery = 8

    /// - Parameter start: the byte offset at which parsing begins.
    init(_ text: String, from start: Int = 0) throws {
        source = Array(text.utf8)
        tokens = try SOQLLexer.tokens(of: source, from: start)
    }

    /// A query with the ranges of its clauses in the text.
    struct Parsed {
        var query: SOQLQuery
        var clauses: [SOQLClause: Range<Int>]
    }

    mutating func wholeQuery() throws -> Parsed {
        let parsed = try query()
        try expectEnd()
        return parsed
    }

    mutating func expectEnd() throws {
        if token.kind != .end { throw unexpected() }
    }

    // MARK: Tokens

    var token: SOQLToken { tokens[index] }

    func token(ahead: Int) -> SOQLToken { tokens[min(index + ahead, tokens.count - 1)] }

    func text(_ token: SOQLToken) -> String { String(decoding: source[token.range], as: UTF8.self) }

    /// Returns the word at the token in upper case; empty for other tokens.
    func keyword(ahead: Int = 0) -> String {
        let token = token(ahead: ahead)
        return token.kind == .word ? text(token).uppercased() : ""
    }

    func isSymbol(_ symbol: String, ahead: Int = 0) -> Bool {
        let token = token(ahead: ahead)
        return token.kind == .symbol && source[token.range].elementsEqual(symbol.utf8)
    }

    mutating func advance() {
        if token.kind != .end { index += 1 }
    }

    /// Consumes words if all of them are next; returns whether they are.
    mutating func take(_ words: String...) -> Bool {
        guard words.indices.allSatisfy({ keyword(ahead: $0) == words[$0] }) else { return false }
        index += words.count
        return true
    }

    mutating func takeSymbol(_ symbol: String) -> Bool {
        guard isSymbol(symbol) else { return false }
        index += 1
        return true
    }

    mutating func expect(_ word: String) throws {
        guard take(word) else { throw unexpected(wanted: word) }
    }

    mutating func expectSymbol(_ symbol: String) throws {
        guard takeSymbol(symbol) else { throw unexpected(wanted: symbol) }
    }

    func unexpected(wanted: String? = nil) -> SoupError {
        let found = token.kind == .end ? "<EOF>" : text(token)
        return .soql(
            "unexpected token: '\(found)'", at: token.range.lowerBound, in: source,
            hint: wanted.map { "Write \($0) here." })
    }

    /// Parses a production that may contain itself.
    ///
    /// - Parameter levels: the number of levels that it counts as.
    mutating func nested<T>(as levels: Int = 1, _ production: (inout SOQLParser) throws -> T) throws -> T {
        depth += levels
        defer { depth -= levels }
        guard depth <= allowedDepth else {
            throw SoupError.soql(
                "nested more than \(allowedDepth) levels deep", at: token.range.lowerBound, in: source,
                hint: "Reduce the nesting; a nested query counts as \(Self.levelsOfQuery) levels.")
        }
        return try production(&self)
    }

    /// Parses one or more elements, separated by commas.
    mutating func list<T>(_ element: (inout SOQLParser) throws -> T) throws -> [T] {
        var elements = [try element(&self)]
        while takeSymbol(",") { elements.append(try element(&self)) }
        return elements
    }

    /// Returns the bytes from a token to the end of the last consumed token.
    func span(from start: Int) -> Range<Int> {
        let lower = tokens[start].range.lowerBound
        return index > start ? lower..<tokens[index - 1].range.upperBound : lower..<lower
    }
}
