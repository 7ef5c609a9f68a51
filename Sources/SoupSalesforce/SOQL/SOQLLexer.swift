// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A lexer that splits a query into tokens.
///
/// Everything between tokens is white space, of any kind in Unicode.
struct SOQLLexer {
    private let source: [UInt8]
    private var position: Int

    private init(_ source: [UInt8], _ position: Int) {
        self.source = source
        self.position = position
    }

    /// Returns all tokens after a byte offset, with one of kind `end` after the last.
    ///
    /// - Throws: ``SoupError`` with `soql` for an unterminated string and for characters that begin no token.
    static func tokens(of source: [UInt8], from start: Int = 0) throws -> [SOQLToken] {
        var lexer = SOQLLexer(source, start)
        var tokens: [SOQLToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func next() throws -> SOQLToken {
        skipWhitespace()
        let start = position
        guard let byte = byte(0) else { return SOQLToken(kind: .end, range: start..<start) }
        let kind: SOQLToken.Kind
        switch byte {
        case UInt8(ascii: "'"):
            try skipString()
            kind = .string
        case _ where Self.isLetter(byte) || byte == UInt8(ascii: "_"):
            while let byte = self.byte(0), Self.isLetter(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "_") {
                position += 1
            }
            kind = .word
        case _ where Self.isDigit(byte): kind = try numberOrTime()
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard let digit = self.byte(1), Self.isDigit(digit) else { throw unexpected(at: start) }
            position += 1
            skipNumber()
            kind = .number
        default:
            try skipSymbol(byte)
            kind = .symbol
        }
        return SOQLToken(kind: kind, range: start..<position)
    }

    private func byte(_ ahead: Int) -> UInt8? {
        position + ahead < source.count ? source[position + ahead] : nil
    }

    private func unexpected(at offset: Int) -> SoupError {
        let rest = String(decoding: source[offset...].prefix(4), as: UTF8.self)
        return .soql("unexpected token: '\(rest.prefix(1))'", at: offset, in: source)
    }

    private mutating func skipWhitespace() {
        while let byte = byte(0) {
            if byte < 0x80 {
                guard byte == 0x20 || (0x09...0x0D).contains(byte) else { return }
                position += 1
            } else {
                let character = String(decoding: source[position...].prefix(4), as: UTF8.self).unicodeScalars.first
                guard let character, character.properties.isWhitespace || character.value == 0xFEFF else { return }
                position += String(character).utf8.count
            }
        }
    }

    /// Skips a string; its escapes are checked when its text is read.
    private mutating func skipString() throws {
        let start = position
        position += 1
        while let byte = byte(0) {
            switch byte {
            case UInt8(ascii: "\\"): position += 2
            case UInt8(ascii: "'"):
                position += 1
                return
            default: position += 1
            }
        }
        position = source.count
        throw SoupError.soql("the string that begins here has no closing quote", at: start, in: source)
    }

    private mutating func skipSymbol(_ byte: UInt8) throws {
        switch (byte, self.byte(1)) {
        case (UInt8(ascii: "!"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")),
            (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: ">"), UInt8(ascii: "=")):
            position += 2
        case (UInt8(ascii: "("), _), (UInt8(ascii: ")"), _), (UInt8(ascii: ","), _), (UInt8(ascii: "."), _),
            (UInt8(ascii: ":"), _), (UInt8(ascii: "="), _), (UInt8(ascii: "<"), _), (UInt8(ascii: ">"), _):
            position += 1
        default: throw unexpected(at: position)
        }
    }

    private mutating func skipDigits() {
        while let byte = byte(0), Self.isDigit(byte) { position += 1 }
    }

    private mutating func skipNumber() {
        skipDigits()
        if byte(0) == UInt8(ascii: "."), let digit = byte(1), Self.isDigit(digit) {
            position += 1
            skipDigits()
        }
    }

    /// Reads a token that begins with a digit: a number, `2024-01-31`, `2024-01-31T10:20:30.000Z` or `10:20:30Z`.
    private mutating func numberOrTime() throws -> SOQLToken.Kind {
        if matches("dddd-dd-dd") {
            position += 10
            guard byte(0).map({ $0 | 0x20 }) == UInt8(ascii: "t") else { return .date }
            let start = position - 10
            position += 1
            guard skipTime(), skipZone() else {
                throw SoupError.soql(
                    "this is not a datetime", at: start, in: source, hint: "Write it as 2024-01-31T10:20:30.000Z.")
            }
            return .dateTime
        }
        if matches("dd:dd:dd") {
            _ = skipTime()
            _ = skipZone()
            return .time
        }
        skipNumber()
        return .number
    }

    private mutating func skipTime() -> Bool {
        guard matches("dd:dd:dd") else { return false }
        position += 8
        if byte(0) == UInt8(ascii: "."), let digit = byte(1), Self.isDigit(digit) {
            position += 1
            skipDigits()
        }
        return true
    }

    private mutating func skipZone() -> Bool {
        if byte(0).map({ $0 | 0x20 }) == UInt8(ascii: "z") {
            position += 1
            return true
        }
        guard byte(0) == UInt8(ascii: "+") || byte(0) == UInt8(ascii: "-") else { return false }
        let width = matches("dd:dd", ahead: 1) ? 6 : matches("dddd", ahead: 1) ? 5 : 0
        position += width
        return width > 0
    }

    /// Returns whether the next bytes match a shape: `d` matches a digit, any other byte matches itself.
    private func matches(_ shape: StaticString, ahead: Int = 0) -> Bool {
        shape.withUTF8Buffer { shape in
            shape.enumerated().allSatisfy { offset, expected in
                guard let byte = byte(ahead + offset) else { return false }
                return expected == UInt8(ascii: "d") ? Self.isDigit(byte) : byte == expected
            }
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
