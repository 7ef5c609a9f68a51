// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A parser of the term of a search, the text between the braces.
struct SOSLTermParser {
    private typealias Token = SOSLTermLexer.Token

    private let source: [UInt8]
    private let tokens: [(token: Token, offset: Int)]
    private var index = 0
    private var depth = 0

    /// Parses the term whose first byte is at `start`.
    ///
    /// - Returns: the term, and the offset after the closing brace.
    /// - Throws: ``SoupError`` with `sosl`.
    static func term(in source: [UInt8], at start: Int) throws -> (term: SOSLTerm, end: Int) {
        var lexer = SOSLTermLexer(source, from: start)
        try lexer.run()
        var parser = SOSLTermParser(source, lexer.tokens)
        if parser.peek == .end { throw SoupError.sosl("the search term is empty", at: start, in: source) }
        let term = try parser.alternatives()
        guard parser.peek == .end else { throw parser.unexpected() }
        return (term, lexer.offset)
    }

    private init(_ source: [UInt8], _ tokens: [(token: Token, offset: Int)]) {
        self.source = source
        self.tokens = tokens
    }

    // MARK: Tokens

    private var peek: Token { tokens[index].token }

    private func unexpected() -> SoupError {
        let offset = tokens[index].offset
        let end = index + 1 < tokens.count ? tokens[index + 1].offset : offset + 1
        let text = String(decoding: source[offset..<max(offset, end)], as: UTF8.self)
        return .sosl(
            "unexpected token: '\(peek == .end ? "}" : text.split(separator: " ").first.map(String.init) ?? text)'",
            at: offset, in: source)
    }

    // MARK: Productions

    private mutating func alternatives() throws -> SOSLTerm {
        var terms = [try conjunction()]
        while peek == .or {
            index += 1
            terms.append(try conjunction())
        }
        return terms.count == 1 ? terms[0] : .or(terms)
    }

    private mutating func conjunction() throws -> SOSLTerm {
        var terms = [try unary()]
        while true {
            switch peek {
            case .and:
                index += 1
                if peek == .not {
                    index += 1
                    terms.append(.not(try unary()))
                } else {
                    terms.append(try unary())
                }
            case .not:
                index += 1
                terms.append(.not(try unary()))
            case .word, .phrase, .open: terms.append(try unary())
            default: return terms.count == 1 ? terms[0] : .and(terms)
            }
        }
    }

    private mutating func unary() throws -> SOSLTerm {
        switch peek {
        case .word(let pieces):
            index += 1
            return .word(pieces)
        case .phrase(let text):
            index += 1
            return .phrase(text)
        case .open:
            depth += 1
            defer { depth -= 1 }
            guard depth <= SOQLParser.maximumDepth else {
                throw SoupError.sosl(
                    "nested more than \(SOQLParser.maximumDepth) levels deep", at: tokens[index].offset, in: source)
            }
            index += 1
            let inner = try alternatives()
            guard peek == .close else { throw unexpected() }
            index += 1
            return inner
        default: throw unexpected()
        }
    }
}
