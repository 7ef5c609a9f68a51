// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The term of a search: words, phrases, and operators between them.
package indirect enum SOSLTerm: Sendable, Hashable {
    /// A word, with optional wildcards.
    case word([Piece])
    /// Words in quotes, which must follow each other.
    case phrase(String)
    /// Two or more terms, all of which must match.
    case and([SOSLTerm])
    /// Two or more terms, one of which must match.
    case or([SOSLTerm])
    /// A term that must not match; only inside ``and(_:)``, and not as its first element.
    case not(SOSLTerm)

    /// A part of a word.
    package enum Piece: Sendable, Hashable {
        /// Literal characters; never empty.
        case text(String)
        /// `*`: any characters, or none.
        case anyRun
        /// `?`: any one character.
        case anyCharacter
    }
}

extension SOSLTerm: CustomStringConvertible {
    /// The term as written between the braces, with reserved characters escaped and operators in upper case.
    package var description: String {
        switch self {
        case .word(let pieces): Self.text(of: pieces)
        case .phrase(let text): "\"\(Self.escaped(text, spaces: false))\""
        case .and(let terms): terms.map { $0.part(isAlternative: false) }.joined(separator: " AND ")
        case .or(let terms): terms.map { $0.part(isAlternative: true) }.joined(separator: " OR ")
        case .not(let term): "NOT \(term.part(isAlternative: false))"
        }
    }

    private func part(isAlternative: Bool) -> String {
        switch self {
        case .or: "(\(self))"
        case .and where !isAlternative: "(\(self))"
        default: description
        }
    }

    private static func text(of pieces: [Piece]) -> String {
        let text = pieces.map { piece in
            switch piece {
            case .text(let text): escaped(text)
            case .anyRun: "*"
            case .anyCharacter: "?"
            }
        }.joined()
        // An escape distinguishes a word that looks like an operator from the operator.
        return SOSLTermLexer.operators[text.uppercased()] != nil ? "\\\(text)" : text
    }

    /// Returns the text with all reserved characters escaped.
    ///
    /// - Parameter spaces: whether white space is escaped too, so that it does not end a word.
    private static func escaped(_ text: String, spaces: Bool = true) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if SOSLTermLexer.reserved.contains(scalar) || (spaces && scalar.properties.isWhitespace) {
                escaped.append("\\")
            }
            escaped.append(scalar)
        }
        return String(escaped)
    }
}

extension SOSLQuery: CustomStringConvertible {
    /// The search in its shortest form, keywords in lower case.
    package var description: String {
        var text = "find {\(term)}"
        if let group { text += " in \(group.rawValue.lowercased()) fields" }
        if !returning.isEmpty { text += " returning " + returning.map(\.description).joined(separator: ", ") }
        for clause in with { text += " with \(clause)" }
        if let limit { text += " limit \(limit)" }
        if !tracking.isEmpty { text += " update " + tracking.joined(separator: ", ") }
        return text
    }
}

extension SOSLObject: CustomStringConvertible {
    /// The object as written after `returning`; without fields, its other clauses are omitted.
    package var description: String {
        guard !items.isEmpty else { return name }
        var text = "\(name)(" + items.map(\.description).joined(separator: ", ")
        if let using { text += " using \(using)" }
        if let condition { text += " where \(condition)" }
        if let with { text += " with \(with)" }
        if !order.isEmpty { text += " order by " + order.map(\.description).joined(separator: ", ") }
        if let limit { text += " limit \(limit)" }
        if let offset { text += " offset \(offset)" }
        return text + ")"
    }
}
