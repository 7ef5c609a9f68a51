// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A lexer that splits the term of a search into words, phrases and operators, up to the closing brace.
///
/// It reads scalars: the server treats a brace as a brace even if a combining mark follows.
struct SOSLTermLexer {
    enum Token: Hashable {
        case word([SOSLTerm.Piece])
        case phrase(String)
        case and
        case or
        case not
        case open
        case close
        case end
    }

    /// The characters that have a meaning unless a backslash precedes them.
    static let reserved: Set<Unicode.Scalar> = Set("&|!(){}[]^\"~*?:\\'+-".unicodeScalars)
    /// The words that are operators, in upper case.
    static let operators: [String: Token] = ["AND": .and, "OR": .or, "NOT": .not]
    private static let signs: [Unicode.Scalar: Token] = ["(": .open, ")": .close, "&": .and, "|": .or, "!": .not]

    /// The tokens so far, each with the offset of its first byte.
    private(set) var tokens: [(token: Token, offset: Int)] = []
    /// The byte offset of the next scalar.
    private(set) var offset: Int
    private let source: [UInt8]
    private var scalars: Substring.UnicodeScalarView
    private var word = Word()

    /// A word while it is being read.
    private struct Word {
        var pieces: [SOSLTerm.Piece] = []
        var text = String.UnicodeScalarView()
        var start = 0
        var hasEscape = false

        mutating func finishText() {
            if !text.isEmpty { pieces.append(.text(String(text))) }
            text = String.UnicodeScalarView()
        }
    }

    /// - Parameter start: the offset of the first byte of the term.
    init(_ source: [UInt8], from start: Int) {
        self.source = source
        offset = start
        scalars = String(decoding: source[start...], as: UTF8.self).unicodeScalars[...]
    }

    /// Reads up to the closing brace.
    ///
    /// - Throws: ``SoupError`` with `sosl` if there is none.
    mutating func run() throws {
        while true {
            let place = offset
            switch try next() {
            case "\\":
                append(try next(), at: place)
                word.hasEscape = true
            case "*": append(.anyRun, at: place)
            case "?": append(.anyCharacter, at: place)
            case "\"":
                finishWord()
                tokens.append((.phrase(try phrase(at: place)), place))
            case "}":
                finishWord()
                tokens.append((.end, place))
                return
            case let scalar where scalar.properties.isWhitespace: finishWord()
            case let scalar:
                guard let sign = Self.signs[scalar] else {
                    append(scalar, at: place)
                    continue
                }
                finishWord()
                // These operators may be written twice: && and ||.
                let isSecond = [.and, .or].contains(sign) && tokens.last.map { $0 == (sign, place - 1) } ?? false
                if !isSecond { tokens.append((sign, place)) }
            }
        }
    }

    private mutating func next() throws -> Unicode.Scalar {
        guard let scalar = scalars.popFirst() else { throw SoupError.missingTerm }
        offset += UTF8.width(scalar)
        return scalar
    }

    private mutating func append(_ scalar: Unicode.Scalar, at place: Int) {
        if word.pieces.isEmpty && word.text.isEmpty { word.start = place }
        word.text.append(scalar)
    }

    private mutating func append(_ wildcard: SOSLTerm.Piece, at place: Int) {
        if word.pieces.isEmpty && word.text.isEmpty { word.start = place }
        word.finishText()
        word.pieces.append(wildcard)
    }

    private mutating func finishWord() {
        word.finishText()
        guard !word.pieces.isEmpty else { return }
        var token = Token.word(word.pieces)
        if !word.hasEscape, word.pieces.count == 1, case .text(let text) = word.pieces[0],
            let known = Self.operators[text.uppercased()]
        {
            token = known
        }
        tokens.append((token, word.start))
        word = Word()
    }

    /// Returns the text up to the closing quote.
    private mutating func phrase(at place: Int) throws -> String {
        var text = String.UnicodeScalarView()
        while true {
            switch try next() {
            case "\"": return String(text)
            case "}": throw SoupError.sosl("the phrase that begins here has no closing quote", at: place, in: source)
            case "\\": text.append(try next())
            case let scalar: text.append(scalar)
            }
        }
    }
}
