// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Writes CSV with every field in quotes.
struct CSVWriter: Sendable {
    let format: CSVFormat
    private(set) var bytes: [UInt8] = []
    private var isLineStart = true

    private static let quote = UInt8(ascii: "\"")

    init(_ format: CSVFormat = CSVFormat()) { self.format = format }

    /// Writes the next field of the line.
    mutating func append(_ field: some Collection<UInt8>) {
        if !isLineStart { bytes.append(format.delimiter) }
        isLineStart = false
        bytes.append(Self.quote)
        var rest = field[...]
        while let place = rest.firstIndex(of: Self.quote) {
            bytes.append(contentsOf: rest[...place])
            bytes.append(Self.quote)
            rest = rest[rest.index(after: place)...]
        }
        bytes.append(contentsOf: rest)
        bytes.append(Self.quote)
    }

    mutating func append(_ field: String) { append(field.utf8) }

    /// Ends the line.
    mutating func endLine() {
        bytes.append(contentsOf: format.lineEnding)
        isLineStart = true
    }

    /// Writes a whole line.
    mutating func line(_ fields: [String]) {
        for field in fields { append(field) }
        endLine()
    }
}
