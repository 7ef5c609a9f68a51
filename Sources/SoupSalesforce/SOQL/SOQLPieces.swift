// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The pieces of a text at its top level: runs of white space, words, groups in parentheses and strings.
///
/// Only quotes and parentheses are interpreted, so that any text is accepted, SOQL or not. The concatenated pieces are
/// the text, except that `order` and `by`, and `group` and `by`, form one piece with one space between them.
package enum SOQLPieces {
    /// Splits a text into its pieces, none of them empty.
    ///
    /// It never fails: a missing closing quote or parenthesis extends its piece to the end of the text.
    package static func split(_ text: String) -> [String] {
        var pieces: [String] = []
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first {
            let piece = scalars.prefix(length(of: scalars, first))
            scalars = scalars.dropFirst(piece.count)
            pieces.append(String(String.UnicodeScalarView(piece)))
        }
        return fusingKeywords(pieces)
    }

    private static func length(of text: Substring.UnicodeScalarView, _ first: Unicode.Scalar) -> Int {
        switch first {
        case "'": return stringLength(text)
        case "(":
            var depth = 0
            var rest = text
            while let scalar = rest.first {
                if scalar == "'" {
                    rest = rest.dropFirst(stringLength(rest))
                    continue
                }
                rest = rest.dropFirst()
                if scalar == "(" { depth += 1 }
                if scalar == ")" { depth -= 1 }
                if depth == 0 { break }
            }
            return text.count - rest.count
        case _ where first.properties.isWhitespace: return text.prefix { $0.properties.isWhitespace }.count
        default:
            return text.prefix { $0 != "'" && $0 != "(" && !$0.properties.isWhitespace }.count
        }
    }

    /// Returns the length of a string with its quotes; if it is not closed, up to the end of the text.
    private static func stringLength(_ text: Substring.UnicodeScalarView) -> Int {
        var escaped = false
        for (index, scalar) in text.enumerated().dropFirst() {
            if scalar == "'" && !escaped { return index + 1 }
            escaped = scalar == "\\" && !escaped
        }
        return text.count
    }

    private static func fusingKeywords(_ pieces: [String]) -> [String] {
        var fused: [String] = []
        for piece in pieces {
            if piece.lowercased() == "by", fused.count >= 2, fused[fused.count - 1].allSatisfy(\.isWhitespace),
                ["order", "group"].contains(fused[fused.count - 2].lowercased())
            {
                fused.removeLast()
                fused[fused.count - 1] += " \(piece)"
            } else {
                fused.append(piece)
            }
        }
        return fused
    }
}
