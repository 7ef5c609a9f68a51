// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SoupError.Code {
    /// A text that is not SOSL: the place is the position of the unexpected text, which the message names.
    public static let sosl: Self = "sosl"
}

extension SoupError {
    /// Returns the error for a fault at a byte offset of a search.
    static func sosl(_ message: String, at offset: Int, in source: [UInt8]) -> SoupError {
        SoupError(.sosl, message, place: SoupError.Place(offset: min(offset, source.count), in: source))
    }

    /// The error for a search without a term, which has no place.
    static var missingTerm: SoupError {
        SoupError(.sosl, "No search term found. The search term must be enclosed in braces.")
    }
}

extension SOSLQuery {
    /// Parses a search.
    ///
    /// - Parameter mixedConditions: whether `AND` and `OR` may be side by side in a `WHERE` without parentheses;
    ///   servers refuse that.
    /// - Throws: ``SoupError`` with `sosl`; its place is the line and column of the unexpected text. The error for a
    ///   search without a term in braces has no place.
    package init(parsing text: String, mixedConditions: Bool = true) throws {
        let source = Array(text.utf8)
        let start = try Self.beginning(of: source)
        let (term, end) = try SOSLTermParser.term(in: source, at: start)
        self.init(term)
        do {
            var parser = try SOQLParser(text, from: end)
            parser.allowsMixedConditions = mixedConditions
            try parser.clauses(of: &self)
        } catch let error as SoupError where error.code == .soql {
            throw SoupError(.sosl, error.message, place: error.place, hint: error.hint)
        }
    }

    /// Parses a term in the form that it has between the braces of a search, without the braces.
    ///
    /// - Throws: ``SoupError`` with `sosl`.
    package static func term(parsing text: String) throws -> SOSLTerm {
        try SOSLTermParser.term(in: Array((text + "}").utf8), at: 0).term
    }

    /// Returns the offset after `FIND {`.
    private static func beginning(of source: [UInt8]) throws -> Int {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let start = source.firstIndex { !isSpace($0) } ?? source.count
        let keyword = source[start...].prefix(4)
        guard String(decoding: keyword, as: UTF8.self).uppercased() == "FIND" else {
            let word = source[start...].prefix { !isSpace($0) }
            let found = word.isEmpty ? "<EOF>" : String(decoding: word, as: UTF8.self)
            throw SoupError.sosl("unexpected token: '\(found)'", at: start, in: source)
        }
        let brace = source[keyword.endIndex...].firstIndex { !isSpace($0) } ?? source.count
        guard brace < source.count, source[brace] == UInt8(ascii: "{") else { throw SoupError.missingTerm }
        return brace + 1
    }
}

extension SOQLParser {
    /// Parses the clauses after the term of a search.
    fileprivate mutating func clauses(of search: inout SOSLQuery) throws {
        if take("IN") {
            guard let group = SOSLQuery.FieldGroup(rawValue: keyword()) else { throw unexpected(wanted: "ALL") }
            advance()
            try expect("FIELDS")
            search.group = group
        }
        if take("RETURNING") { search.returning = try list { try $0.searchedObject() } }
        while take("WITH") { search.with.append(try rawClause()) }
        if take("LIMIT") { search.limit = try wholeNumber() }
        if take("UPDATE") {
            search.tracking = try list { parser in
                guard ["TRACKING", "VIEWSTAT"].contains(parser.keyword()) else { throw parser.unexpected() }
                return try parser.identifier()
            }
        }
        try expectEnd()
    }

    private mutating func searchedObject() throws -> SOSLObject {
        let position = SOQLPosition(token.range.lowerBound)
        var object = SOSLObject(try identifier(), at: position)
        guard takeSymbol("(") else { return object }
        object.items = try list { try $0.searchedItem() }
        if take("USING") { object.using = try rawClause() }
        if take("WHERE") { object.condition = try condition() }
        if take("WITH") { object.with = try rawClause() }
        if take("ORDER", "BY") { object.order = try list { try $0.sortKey() } }
        if take("LIMIT") { object.limit = try wholeNumber() }
        if take("OFFSET") { object.offset = try wholeNumber() }
        try expectSymbol(")")
        return object
    }

    /// Parses a field or a function; the clause after the list is not mistaken for an alias.
    private mutating func searchedItem() throws -> SOQLSelectItem {
        guard token.kind == .word, isSymbol("(", ahead: 1) else { return .path(try path(), alias: nil) }
        let call = try call()
        if take("AS") { return .call(call, alias: try identifier()) }
        let hasAlias = token.kind == .word && keyword() != "ORDER" && !Self.searchKeywords.contains(keyword())
        return .call(call, alias: hasAlias ? try identifier() : nil)
    }

    /// Returns the text up to the next clause.
    private mutating func rawClause() throws -> String {
        let start = index
        var depth = 0
        while token.kind != .end {
            if isSymbol("(") { depth += 1 }
            if isSymbol(")") { depth -= 1 }
            if depth < 0 || (depth == 0 && index > start && endsRawClause()) { break }
            advance()
        }
        guard index > start else { throw unexpected() }
        return String(decoding: source[span(from: start)], as: UTF8.self)
    }

    private func endsRawClause() -> Bool {
        keyword() == "ORDER" ? keyword(ahead: 1) == "BY" : Self.searchKeywords.contains(keyword())
    }

    private static let searchKeywords: Set<String> = ["USING", "WHERE", "WITH", "LIMIT", "OFFSET", "UPDATE"]
}
