// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SmartSQL {
    /// A name in the SQL around the references: a keyword, an identifier, a number or a quoted name.
    public struct Name: Sendable, Hashable {
        /// The name without its quotes.
        public var text: String
        /// The position of its start in the text, counted in bytes from 1 over all lines.
        public var column: Int
    }

    /// The names in the SQL around the references, in order; comments, literals and references have none.
    ///
    /// Every access scans the text again.
    public var names: [Name] {
        var tokenizer = SmartSQLTokenizer(text)
        var names: [Name] = []
        while let token = try? tokenizer.next() {
            let bytes = tokenizer.bytes[token.range]
            switch token.kind {
            case .word: names.append(Name(text: String(decoding: bytes, as: UTF8.self), column: bytes.startIndex + 1))
            case .quotedName: names.append(Name(text: Self.unquoted(bytes), column: bytes.startIndex + 1))
            case .space, .string, .parameter, .reference, .comparison, .punctuation: break
            }
        }
        return names
    }

    private static func unquoted(_ name: ArraySlice<UInt8>) -> String {
        let quote = name.last
        var output: [UInt8] = []
        var skips = false
        for byte in name.dropFirst().dropLast() {
            skips = byte == quote && !skips
            if !skips { output.append(byte) }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
