// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A text as searches see it: words without case, cut at everything that is neither letter nor digit.
enum SearchWords {
    typealias Word = [Unicode.Scalar]

    /// The words of a text, in order.
    ///
    /// Characters of scripts that put no spaces between words are a word each.
    static func words(of text: String) -> [Word] { patterns(of: [.text(text)]).map { $0.compactMap(\.scalar) } }

    /// A character to be found, or what stands for any.
    enum Symbol: Hashable {
        case scalar(Unicode.Scalar)
        case anyRun
        case anyCharacter

        var scalar: Unicode.Scalar? { if case .scalar(let scalar) = self { scalar } else { nil } }
    }

    /// A part of a searched word.
    enum Part {
        case text(String)
        case wildcard(Symbol)
    }

    /// The words of a text with wildcards, none of them empty.
    static func patterns(of parts: [Part]) -> [[Symbol]] {
        var words: [[Symbol]] = []
        var word: [Symbol] = []
        func finish() {
            if !word.isEmpty { words.append(word) }
            word = []
        }
        for part in parts {
            switch part {
            case .wildcard(let symbol): word.append(symbol)
            case .text(let text):
                for scalar in text.uppercased().unicodeScalars {
                    if isIdeograph(scalar) {
                        finish()
                        words.append([.scalar(scalar)])
                    } else if isPartOfWord(scalar) {
                        word.append(.scalar(scalar))
                    } else {
                        finish()
                    }
                }
            }
        }
        finish()
        return words
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber: return true
        default: return scalar.properties.isAlphabetic
        }
    }

    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x3040 && (scalar.properties.isIdeographic || scalar.value <= 0x30FF)
    }

    /// Whether a word fits a pattern.
    ///
    /// A run that was taken too short is made longer from the last one on, so that it never takes more than the product
    /// of both lengths.
    static func fits(_ word: Word, _ pattern: [Symbol]) -> Bool {
        var place = 0
        var symbol = 0
        var retry: (place: Int, symbol: Int)?
        while place < word.count {
            if symbol < pattern.count, pattern[symbol] == .anyRun {
                retry = (place, symbol + 1)
                symbol += 1
            } else if symbol < pattern.count, pattern[symbol] == .anyCharacter || pattern[symbol].scalar == word[place]
            {
                place += 1
                symbol += 1
            } else if let last = retry {
                retry = (last.place + 1, last.symbol)
                place = last.place + 1
                symbol = last.symbol
            } else {
                return false
            }
        }
        return pattern[symbol...].allSatisfy { $0 == .anyRun }
    }
}
