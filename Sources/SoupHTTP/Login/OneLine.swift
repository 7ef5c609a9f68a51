// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The text on one line, for messages that contain a text of a server.
    ///
    /// Control characters, line separators and marks that change the direction of a text are written as `\u{A}`.
    /// Otherwise a server could print lines that look like those of the program.
    package var onOneLine: String {
        guard unicodeScalars.contains(where: \.changesLines) else { return String(self) }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.changesLines {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character can end a line, change the terminal, or reorder the characters of a line.
    fileprivate var changesLines: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
