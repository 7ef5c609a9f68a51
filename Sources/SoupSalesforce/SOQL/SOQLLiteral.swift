// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The encoding of values as SOQL literals, so that user input cannot change a query.
public enum SOQLLiteral {
    /// Returns a quoted string with all special characters escaped: `O'Neil` gives `'O\'Neil'`.
    public static func string(_ text: String) -> String {
        "'" + text.unicodeScalars.map(escaped).joined() + "'"
    }

    /// Returns a list for IN: `('a', 'b')`.
    ///
    /// - Parameter texts: at least one; servers refuse an empty list.
    public static func list(_ texts: some Sequence<String>) -> String {
        "(" + texts.map(string).joined(separator: ", ") + ")"
    }

    /// Returns a LIKE pattern for texts that begin with, end with or contain `text`, taken literally.
    public static func pattern(containing text: String, anyStart: Bool = true, anyEnd: Bool = true) -> String {
        let literal = text.unicodeScalars.map { scalar in
            scalar == "%" || scalar == "_" ? "\\\(scalar)" : escaped(scalar)
        }.joined()
        return "'" + (anyStart ? "%" : "") + literal + (anyEnd ? "%" : "") + "'"
    }

    /// Returns a datetime in UTC: `2024-01-31T10:20:30.000Z`.
    ///
    /// It needs no escape in a URL.
    public static func dateTime(_ date: Date) -> String { DateText.format(date, zone: "Z") }

    /// Returns the body of a string for a pattern whose wildcards are already escaped.
    static func pattern(kept pattern: String) -> String {
        var text = ""
        var scalars = pattern.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            if scalar == "\\", let next = scalars.popFirst() {
                text += "\\\(next)"
            } else {
                text += escaped(scalar)
            }
        }
        return text
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "'": return "\\'"
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case "\u{8}": return "\\b"
        case "\u{C}": return "\\f"
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(scalar)
        }
    }
}
