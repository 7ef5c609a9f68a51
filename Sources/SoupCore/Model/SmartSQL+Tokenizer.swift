// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// One lexical element of SQL, or a reference in braces.
struct SmartSQLToken {
    enum Kind {
        /// White space or a comment.
        case space
        /// A keyword, a plain identifier or a number.
        case word
        /// `'...'`, a doubled quote inside is one quote.
        case string
        /// `"..."`, `` `...` `` or `[...]`.
        case quotedName
        /// `?`, `?1`, `:a`, `@a`, `$a`.
        case parameter
        /// `{...}`.
        case reference
        /// `=`, `==`, `!=`, `<>`.
        case comparison
        case punctuation
    }

    var kind: Kind
    /// The position in the text, in bytes.
    var range: Range<Int>
}

/// A tokenizer that splits a Smart SQL text into tokens in one pass.
struct SmartSQLTokenizer {
    let bytes: [UInt8]
    var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func next() throws -> SmartSQLToken? {
        guard position < bytes.count else { return nil }
        let start = position
        let kind = try skip()
        return SmartSQLToken(kind: kind, range: start..<position)
    }

    private mutating func skip() throws -> SmartSQLToken.Kind {
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "'"):
            try skipQuoted(by: byte, "a literal")
            return .string
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            try skipQuoted(by: byte, "a quoted name")
            return .quotedName
        case UInt8(ascii: "["):
            try skip(past: UInt8(ascii: "]"), "a quoted name")
            return .quotedName
        case UInt8(ascii: "{"):
            try skip(past: UInt8(ascii: "}"), "a reference")
            return .reference
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"):
            position += 1
            while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
            return .parameter
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"):
            return skipComparison()
        case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
            while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            return .space
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
            try skipBlockComment()
            return .space
        case _ where Self.isSpace(byte):
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            return .space
        case _ where Self.isWord(byte):
            while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
            return .word
        default:
            position += 1
            return .punctuation
        }
    }

    private func peek(_ offset: Int) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func skipComparison() -> SmartSQLToken.Kind {
        let pair = [bytes[position], peek(1) ?? 0]
        if ["==", "!=", "<>"].contains(where: { Array($0.utf8) == pair }) {
            position += 2
            return .comparison
        }
        position += 1
        return pair[0] == UInt8(ascii: "=") ? .comparison : .punctuation
    }

    /// Skips a quoted text in which a doubled quote is a quote.
    private mutating func skipQuoted(by quote: UInt8, _ what: String) throws {
        let start = position
        position += 1
        while position < bytes.count {
            if bytes[position] == quote {
                position += 1
                guard position < bytes.count, bytes[position] == quote else { return }
            }
            position += 1
        }
        throw unclosed(what, at: start, code: .sql)
    }

    private mutating func skip(past close: UInt8, _ what: String) throws {
        let start = position
        while position < bytes.count {
            position += 1
            if bytes[position - 1] == close { return }
        }
        throw unclosed(what, at: start, code: close == UInt8(ascii: "}") ? .badReference : .sql)
    }

    /// Skips `/* ... */`; the star that opens a comment does not close it.
    private mutating func skipBlockComment() throws {
        let start = position
        position += 2
        while let byte = peek(0) {
            position += 1
            if byte == UInt8(ascii: "*"), peek(0) == UInt8(ascii: "/") {
                position += 1
                return
            }
        }
        throw unclosed("a comment", at: start, code: .sql)
    }

    private func unclosed(_ what: String, at start: Int, code: SoupError.Code) -> SmartSQLFault {
        SmartSQLFault(code: code, message: "\(what) in the Smart SQL is not closed", offset: start)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

    private static func isWord(_ byte: UInt8) -> Bool {
        (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
            || (byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z"))
            || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
