// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SmartSQL {
    /// Puts `field:` before every term of a full-text search that does not name a field (SmartStore specification 6.1).
    ///
    /// `AND`, `OR` and `NOT` in any case are left alone, as are terms that begin with a brace. A phrase in quotes, with
    /// what `+` joins to it, and a whole `NEAR(...)` count as one term, so that they mean in a field what they mean
    /// without one.
    ///
    /// - Parameter field: `{soup:path}`; nil leaves the key as it is.
    public static func qualifyMatchKey(_ key: String, field: String?) -> String {
        guard let field else { return key }
        var reader = MatchKeyReader(characters: Array(key))
        var output = ""
        var joined = false
        while let part = reader.next() {
            switch part {
            case .separator(let text): output += text
            case .term(let text):
                let isOperator = ["and", "or", "not"].contains(text.lowercased())
                if isOperator || joined || text.hasPrefix("{") || text == "+" {
                    output += text
                } else {
                    output += "\(field):\(text)"
                }
                joined = text.hasSuffix("+")
            }
        }
        return output
    }
}

/// Cuts a search text into terms and what is between them.
private struct MatchKeyReader {
    enum Part {
        case separator(String)
        case term(String)
    }

    let characters: [Character]
    var position = 0

    mutating func next() -> Part? {
        guard position < characters.count else { return nil }
        let start = position
        if "() ".contains(characters[position]) {
            position += 1
            return .separator(String(characters[start..<position]))
        }
        while position < characters.count, !"() ".contains(characters[position]) {
            switch characters[position] {
            case "\"": skip(past: "\"")
            case "{": skip(past: "}")
            default: position += 1
            }
        }
        if String(characters[start..<position]) == "NEAR", position < characters.count, characters[position] == "(" {
            while position < characters.count, characters[position] != ")" {
                if characters[position] == "\"" { skip(past: "\"") } else { position += 1 }
            }
            position = min(position + 1, characters.count)
        }
        return .term(String(characters[start..<position]))
    }

    private mutating func skip(past close: Character) {
        position += 1
        while position < characters.count, characters[position] != close { position += 1 }
        position = min(position + 1, characters.count)
    }
}
