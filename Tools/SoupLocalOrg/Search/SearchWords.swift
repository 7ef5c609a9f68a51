// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The words of a text for searches: case-folded, separated by everything that is neither a letter nor a digit.
enum SearchWords {
    typealias Word = [Unicode.Scalar]

    /// Returns the words of a text, in order.
    ///
    /// Each character of a script without spaces between words is a word.
    static func words(of text: String) -> [Word] { patterns(of: [.text(text)]).map { $0.compactMap(\.scalar) } }

    /// A character or a wildcard.
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

    /// Returns the words of a text with wildcards, none of them empty.
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

    /// Returns whether a word matches a pattern.
    ///
    /// If a match fails, only the last wildcard run is extended, so that the number of steps is at most the product of
    /// both lengths.
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
