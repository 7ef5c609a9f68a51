// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What a search looks for: words, phrases, and how they go together.
public indirect enum SOSLTerm: Sendable, Hashable {
    /// A word, perhaps with wildcards.
    case word([Piece])
    /// Words in quotes, which must follow each other.
    case phrase(String)
    /// Two or more, all of which must be there.
    case and([SOSLTerm])
    /// Two or more, one of which must be there.
    case or([SOSLTerm])
    /// What must not be there; only inside of ``and(_:)``, and not in front.
    case not(SOSLTerm)

    /// A part of a word.
    public enum Piece: Sendable, Hashable {
        /// Characters as they are; never empty.
        case text(String)
        /// `*`: any characters, or none.
        case anyRun
        /// `?`: one character, whichever.
        case anyCharacter
    }
}

extension SOSLTerm: CustomStringConvertible {
    /// The term as it stands between the braces, reserved characters escaped and operators in upper case.
    public var description: String {
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
        // A word that looks like an operator is told from one by an escape.
        return SOSLTermLexer.operators[text.uppercased()] != nil ? "\\\(text)" : text
    }

    /// A text of which no character means anything.
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
    public var description: String {
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
    /// The object as it stands behind `returning`; without fields its other clauses have no place and are left out.
    public var description: String {
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
