// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The format of a CSV text: its delimiter and its line ending.
struct CSVFormat: Sendable, Hashable {
    /// The delimiter between fields: one ASCII character.
    var delimiter = UInt8(ascii: ",")
    /// Whether lines end in a carriage return and a line feed instead of a line feed alone.
    var usesCRLF = false

    /// The delimiters that jobs can ask for, by name.
    static let delimiters: [(name: String, byte: UInt8)] = [
        ("COMMA", UInt8(ascii: ",")), ("TAB", 0x09), ("PIPE", UInt8(ascii: "|")), ("SEMICOLON", UInt8(ascii: ";")),
        ("CARET", UInt8(ascii: "^")), ("BACKQUOTE", UInt8(ascii: "`")),
    ]

    var delimiterName: String { Self.delimiters.first { $0.byte == delimiter }?.name ?? "COMMA" }
    var lineEndingName: String { usesCRLF ? "CRLF" : "LF" }
    var lineEnding: [UInt8] { usesCRLF ? [0x0D, 0x0A] : [0x0A] }
}
