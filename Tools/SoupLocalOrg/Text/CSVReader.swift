// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Reads CSV as RFC 4180 describes it, one record at a time: fields may be quoted, and then hold delimiters, line
/// breaks and doubled quotes.
///
/// A mark of the byte order at the start is passed over, and so are empty lines. Both line endings are taken; which of
/// them came is noted.
struct CSVReader {
    /// Why a text is not CSV.
    struct Failure: Error, Hashable {
        /// Counted from 1.
        var line: Int
        var message: String
    }

    let delimiter: UInt8
    /// Whether a record ended in a line feed alone, or in a carriage return and a line feed.
    private(set) var sawLF = false
    private(set) var sawCRLF = false
    /// The line that is read next, counted from 1.
    private(set) var line = 1
    private let bytes: [UInt8]
    private var position = 0

    private static let quote = UInt8(ascii: "\"")

    init(_ bytes: [UInt8], delimiter: UInt8 = UInt8(ascii: ",")) {
        self.bytes = bytes
        self.delimiter = delimiter
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The next record; nil behind the last.
    ///
    /// - Throws: ``Failure`` for quotes that do not pair, and for bytes that are not UTF-8; there is no reading on
    ///   then.
    mutating func next() throws(Failure) -> [String]? {
        while position < bytes.count {
            let isQuoted = bytes[position] == Self.quote
            let fields = try record()
            if fields.count > 1 || isQuoted || !fields[0].isEmpty { return fields }
        }
        return nil
    }

    private mutating func record() throws(Failure) -> [String] {
        var fields: [String] = []
        while true {
            fields.append(try field())
            guard position < bytes.count else { return fields }
            let byte = bytes[position]
            position += 1
            if byte == delimiter { continue }
            if byte == 0x0A {
                sawLF = true
            } else {
                position += 1
                sawCRLF = true
            }
            line += 1
            return fields
        }
    }

    /// A field; what follows is a delimiter, the end of a line or of the text.
    private mutating func field() throws(Failure) -> String {
        if position < bytes.count, bytes[position] == Self.quote { return try quotedField() }
        let start = position
        while position < bytes.count, !endsField {
            guard bytes[position] != Self.quote else {
                throw Failure(line: line, message: "a quote stands in a field that is not quoted")
            }
            position += 1
        }
        return try text(bytes[start..<position])
    }

    /// Whether a field ends here: a carriage return alone is a part of it.
    private var endsField: Bool {
        let byte = bytes[position]
        return byte == delimiter || byte == 0x0A
            || (byte == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A)
    }

    private mutating func quotedField() throws(Failure) -> String {
        let firstLine = line
        var collected: [UInt8] = []
        position += 1
        var start = position
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == 0x0A { line += 1 }
            guard byte == Self.quote else { continue }
            collected += bytes[start..<position - 1]
            if position < bytes.count, bytes[position] == Self.quote {
                start = position
                position += 1
                continue
            }
            guard position == bytes.count || endsField else {
                throw Failure(line: line, message: "a character stands behind a closing quote")
            }
            return try text(collected[...])
        }
        throw Failure(line: firstLine, message: "a quote is not closed")
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(line: line, message: "the text is not UTF-8")
        }
        return text
    }
}
