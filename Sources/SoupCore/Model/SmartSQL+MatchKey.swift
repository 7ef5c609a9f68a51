// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SmartSQL {
    /// Returns a full-text search in which `field:` precedes every term that does not name a field.
    ///
    /// `AND`, `OR` and `NOT` in any case are unchanged, and so are terms that begin with a brace. A phrase in quotes,
    /// including parts joined with `+`, and a whole `NEAR(...)` count as one term, with or without white space before
    /// the `+` or the parenthesis, so that their meaning does not change.
    ///
    /// - Parameter field: `{soup:path}`; nil returns the key unchanged.
    public static func qualifyMatchKey(_ key: String, field: String?) -> String {
        guard let field else { return key }
        var reader = MatchKeyReader(scalars: Array(key.unicodeScalars))
        var output = ""
        var joined = false
        while let part = reader.next() {
            switch part {
            case .separator(let text): output += text
            case .term(let text):
                let isOperator = ["and", "or", "not"].contains(text.lowercased())
                let first = text.unicodeScalars.first
                if isOperator || joined || first == "{" || first == "+" || text == "*" {
                    output += text
                } else {
                    output += "\(field):\(text)"
                }
                // The next text belongs to the same phrase.
                joined = text.unicodeScalars.last == "+" || text == "^"
            }
        }
        return output
    }
}

/// A reader that splits a search text into terms and the text between them.
///
/// It works with scalars: a combining mark after a quote forms another character with it in Swift, but not in SQLite.
private struct MatchKeyReader {
    enum Part {
        case separator(String)
        case term(String)
    }

    let scalars: [Unicode.Scalar]
    var position = 0

    mutating func next() -> Part? {
        guard position < scalars.count else { return nil }
        let start = position
        if Self.separators.contains(scalars[position]) {
            position += 1
            return .separator(text(from: start))
        }
        while position < scalars.count, !Self.separators.contains(scalars[position]) {
            switch scalars[position] {
            case "\"": skip(past: "\"")
            case "{": skip(past: "}")
            default: position += 1
            }
        }
        if text(from: start) == "NEAR", let list = startOfList() {
            position = list
            while position < scalars.count, scalars[position] != ")" {
                if scalars[position] == "\"" { skip(past: "\"") } else { position += 1 }
            }
            position = min(position + 1, scalars.count)
        }
        return .term(text(from: start))
    }

    private static let blanks: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r"]
    private static let separators = blanks.union(["(", ")"])

    /// Returns the position of the next opening parenthesis; nil if another token comes first.
    private func startOfList() -> Int? {
        let next = scalars[position...].firstIndex { !Self.blanks.contains($0) }
        return next.flatMap { scalars[$0] == "(" ? $0 : nil }
    }

    private func text(from start: Int) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<position])
        return String(view)
    }

    private mutating func skip(past close: Unicode.Scalar) {
        position += 1
        while position < scalars.count, scalars[position] != close { position += 1 }
        position = min(position + 1, scalars.count)
    }
}
