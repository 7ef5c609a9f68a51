// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Splits a formula into tokens.
struct FormulaScanner {
    enum Token: Hashable {
        case number(String)
        case text(String)
        case name(String)
        /// An operator, a parenthesis or a comma.
        case symbol(String)
        case end
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// Returns the next token and its position, counted from 1.
    mutating func next() throws(FormulaFailure) -> (token: Token, column: Int) {
        while let scalar = peek, scalar.properties.isWhitespace { position += 1 }
        let column = position + 1
        guard let scalar = peek else { return (.end, column) }
        switch scalar {
        case "0"..."9", ".": return (.number(try number(column)), column)
        case "\"", "'": return (.text(try text(scalar, column)), column)
        case _ where Self.isLetter(scalar):
            return (.name(taken { Self.isLetter($0) || Self.isDigit($0) || $0 == "." }), column)
        default:
            for symbol in ["<=", ">=", "<>", "!=", "==", "&&", "||"] where starts(with: symbol) {
                position += 2
                return (.symbol(symbol), column)
            }
            guard "+-*/&()<>=!,".unicodeScalars.contains(scalar) else {
                throw FormulaFailure(message: "\"\(scalar)\" means nothing here", column: column)
            }
            position += 1
            return (.symbol(String(scalar)), column)
        }
    }

    private var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func starts(with symbol: String) -> Bool {
        scalars[position...].starts(with: symbol.unicodeScalars)
    }

    private mutating func taken(while condition: (Unicode.Scalar) -> Bool) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = peek, condition(scalar) {
            text.append(scalar)
            position += 1
        }
        return String(text)
    }

    private mutating func number(_ column: Int) throws(FormulaFailure) -> String {
        let text = taken { Self.isDigit($0) || $0 == "." }
        guard text.utf8.count <= 30, let value = Double(text), value.isFinite, text.utf8.first != UInt8(ascii: "."),
            text.utf8.last != UInt8(ascii: ".")
        else { throw FormulaFailure(message: "\"\(text.prefix(40))\" is not a number", column: column) }
        return text
    }

    /// Reads a quoted text, in which a backslash escapes the next character.
    private mutating func text(_ quote: Unicode.Scalar, _ column: Int) throws(FormulaFailure) -> String {
        var text = String.UnicodeScalarView()
        position += 1
        while var scalar = peek {
            position += 1
            if scalar == quote { return String(text) }
            if scalar == "\\", let next = peek {
                scalar = next == "n" ? "\n" : next
                position += 1
            }
            // SQLite ends a statement at a NUL.
            guard scalar.value != 0 else { break }
            text.append(scalar)
        }
        throw FormulaFailure(message: "the text is not closed", column: column)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
    }
}
