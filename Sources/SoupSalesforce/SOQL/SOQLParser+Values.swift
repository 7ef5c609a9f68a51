// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SOQLParser {
    mutating func value() throws -> SOQLValue {
        let text = text(token)
        switch token.kind {
        case .string: return .string(try string())
        case .number:
            advance()
            return .number(text)
        case .date:
            advance()
            return .date(text)
        case .time:
            advance()
            return .time(text)
        case .dateTime:
            guard let time = DateText.parse(text.uppercased()) else {
                throw SoupError.soql("'\(text)' is not a datetime", at: token.range.lowerBound, in: source)
            }
            advance()
            return .dateTime(time)
        case .word: return try wordValue()
        case .symbol where isSymbol(":"):
            throw SoupError.soql("Bind variables only allowed in Apex code", at: token.range.lowerBound, in: source)
        case .symbol, .end: throw unexpected(wanted: "a value")
        }
    }

    private mutating func wordValue() throws -> SOQLValue {
        let word = keyword()
        switch word {
        case "TRUE", "FALSE":
            advance()
            return .bool(word == "TRUE")
        case "NULL":
            advance()
            return .null
        default: break
        }
        if let takesCount = SOQLDateLiteral.takesCount(word) {
            advance()
            return .dateLiteral(SOQLDateLiteral(word, count: takesCount ? try countBehindColon() : nil))
        }
        if let currency = currency(word) {
            advance()
            guard isSymbol("."), token(ahead: 1).kind == .number, !text(token(ahead: 1)).contains(".") else {
                return .currency(code: currency.code, amount: currency.amount)
            }
            let fraction = text(token(ahead: 1))
            index += 2
            return .currency(code: currency.code, amount: "\(currency.amount).\(fraction)")
        }
        if let code = signedCurrency() {
            let amount = self.text(token(ahead: 1))
            index += 2
            return .currency(code: code, amount: amount)
        }
        guard allowsFieldValues else { throw unexpected(wanted: "a value") }
        return .field(try path())
    }

    /// Returns the code of a currency before a sign, as in `USD-5.00`: two tokens without a space between them.
    private func signedCurrency() -> String? {
        let amount = token(ahead: 1)
        guard amount.kind == .number, amount.range.lowerBound == token.range.upperBound, token.range.count == 3,
            source[token.range].allSatisfy(SOQLLexer.isLetter)
        else { return nil }
        return text(token)
    }

    private mutating func countBehindColon() throws -> Int {
        try expectSymbol(":")
        guard token.kind == .number, let count = Int(text(token)), (0...1_000_000).contains(count) else {
            throw unexpected(wanted: "a whole number")
        }
        advance()
        return count
    }

    private func currency(_ word: String) -> (code: String, amount: String)? {
        let code = word.utf8.prefix(3)
        let amount = word.utf8.dropFirst(3)
        guard code.count == 3, code.allSatisfy(SOQLLexer.isLetter), !amount.isEmpty,
            amount.allSatisfy(SOQLLexer.isDigit)
        else { return nil }
        return (String(Substring(code)), String(Substring(amount)))
    }

    /// Returns the text of a string.
    ///
    /// - Parameter keepingWildcards: true for LIKE, so that `\%`, `\_` and `\\` are not changed.
    mutating func string(keepingWildcards: Bool = false) throws -> String {
        guard token.kind == .string else { throw unexpected(wanted: "a string") }
        var text: [UInt8] = []
        var position = token.range.lowerBound + 1
        let end = token.range.upperBound - 1
        while position < end {
            guard source[position] == UInt8(ascii: "\\") else {
                text.append(source[position])
                position += 1
                continue
            }
            let code = source[position + 1]
            if keepingWildcards, [UInt8(ascii: "%"), UInt8(ascii: "_"), UInt8(ascii: "\\")].contains(code) {
                text += [UInt8(ascii: "\\"), code]
                position += 2
            } else if code | 0x20 == UInt8(ascii: "u") {
                text += Array(String(try scalar(at: position, end: end)).utf8)
                position += 6
            } else {
                guard let byte = Self.escapes[code] else {
                    throw SoupError.soql("unknown escape in a string", at: position, in: source)
                }
                text.append(byte)
                position += 2
            }
        }
        advance()
        return String(decoding: text, as: UTF8.self)
    }

    private func scalar(at position: Int, end: Int) throws -> Unicode.Scalar {
        let digits = String(decoding: source[min(position + 2, end)..<min(position + 6, end)], as: UTF8.self)
        guard digits.utf8.count == 4, !digits.hasPrefix("+"), !digits.hasPrefix("-"),
            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        else { throw SoupError.soql("unknown escape in a string", at: position, in: source) }
        return scalar
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "N"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "R"): 0x0D,
        UInt8(ascii: "t"): 0x09, UInt8(ascii: "T"): 0x09, UInt8(ascii: "b"): 0x08, UInt8(ascii: "B"): 0x08,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "F"): 0x0C, UInt8(ascii: "\""): UInt8(ascii: "\""),
        UInt8(ascii: "'"): UInt8(ascii: "'"), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    ]
}
