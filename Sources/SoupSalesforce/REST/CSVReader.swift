// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A reader of CSV, one record at a time.
///
/// Fields may be quoted; then they may contain delimiters, line breaks and doubled quotes.
///
/// The client reads the results of bulk queries with it, the local org reads uploads.
package struct CSVReader {
    /// The reason why a text is not CSV.
    package struct Failure: Error, Hashable {
        /// Counted from 1.
        package var line: Int
        package var message: String

        package init(line: Int, message: String) {
            self.line = line
            self.message = message
        }
    }

    /// Whether a record ended in a line feed alone, or in a carriage return and a line feed.
    package private(set) var sawLF = false
    package private(set) var sawCRLF = false
    /// The line that is read next, counted from 1.
    package private(set) var line = 1
    private let bytes: [UInt8]
    private let delimiter: UInt8
    private let isStrict: Bool
    private var position = 0

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Creates a reader that follows RFC 4180.
    ///
    /// It skips a byte order mark at the beginning and empty lines. A carriage return alone is text, and a quote inside
    /// an unquoted field is an error.
    package init(_ bytes: [UInt8], delimiter: UInt8 = UInt8(ascii: ",")) {
        self.bytes = bytes
        self.delimiter = delimiter
        isStrict = true
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Creates a reader that accepts more than RFC 4180, with commas between fields.
    ///
    /// A carriage return alone ends a record, a quote inside an unquoted field is text, and an empty line is a record
    /// with one empty field. The line of a failure is not counted.
    package init(lenient bytes: [UInt8]) {
        self.bytes = bytes
        delimiter = UInt8(ascii: ",")
        isStrict = false
    }

    /// Returns the fields of the next record as text; nil after the last one.
    ///
    /// - Throws: ``Failure`` for quotes that do not pair and for bytes that are not UTF-8; the reader cannot be used
    ///   afterwards.
    package mutating func next() throws(Failure) -> [String]? {
        while position < bytes.count {
            let isQuoted = bytes[position] == Self.quote
            let fields = try record { bytes, line throws(Failure) in
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw Failure(line: line, message: "the text is not UTF-8")
                }
                return text
            }
            if !isStrict || fields.count > 1 || isQuoted || !fields[0].isEmpty { return fields }
        }
        return nil
    }

    /// Returns the fields of the next record as bytes; nil after the last one.
    ///
    /// Only fields with doubled quotes are copied.
    ///
    /// - Throws: ``Failure`` for quotes that do not pair; the reader cannot be used afterwards.
    package mutating func nextBytes() throws(Failure) -> [ArraySlice<UInt8>]? {
        while position < bytes.count {
            let isQuoted = bytes[position] == Self.quote
            let fields = try record { bytes, _ in bytes }
            if !isStrict || fields.count > 1 || isQuoted || !fields[0].isEmpty { return fields }
        }
        return nil
    }

    private typealias Conversion<Field> = (_ bytes: ArraySlice<UInt8>, _ line: Int) throws(Failure) -> Field

    private mutating func record<Field>(_ convert: Conversion<Field>) throws(Failure) -> [Field] {
        var fields: [Field] = []
        while true {
            fields.append(try convert(try field(), line))
            guard position < bytes.count else { return fields }
            let byte = bytes[position]
            position += 1
            if byte == delimiter { continue }
            if byte == Self.lineFeed {
                sawLF = true
            } else if position < bytes.count, bytes[position] == Self.lineFeed {
                position += 1
                sawCRLF = true
            }
            line += 1
            return fields
        }
    }

    /// Reads a field; after it there is a delimiter, or the end of the line or of the text.
    private mutating func field() throws(Failure) -> ArraySlice<UInt8> {
        if position < bytes.count, bytes[position] == Self.quote { return try quotedField() }
        let start = position
        while position < bytes.count, !endsField(at: position) {
            guard !isStrict || bytes[position] != Self.quote else {
                throw Failure(line: line, message: "a quote in a field that is not quoted")
            }
            position += 1
        }
        return bytes[start..<position]
    }

    private func endsField(at position: Int) -> Bool {
        let byte = bytes[position]
        if byte == delimiter || byte == Self.lineFeed { return true }
        guard byte == Self.carriageReturn else { return false }
        return !isStrict || (position + 1 < bytes.count && bytes[position + 1] == Self.lineFeed)
    }

    private mutating func quotedField() throws(Failure) -> ArraySlice<UInt8> {
        let firstLine = line
        position += 1
        let start = position
        var from = start
        var collected: [UInt8] = []
        while let end = bytes[position...].firstIndex(of: Self.quote) {
            if isStrict { line += bytes[position..<end].count { $0 == Self.lineFeed } }
            position = end + 1
            if position < bytes.count, bytes[position] == Self.quote {
                collected += bytes[from...end]
                position += 1
                from = position
                continue
            }
            guard position == bytes.count || endsField(at: position) else {
                throw Failure(line: line, message: "a character behind a closing quote")
            }
            return from == start ? bytes[start..<end] : (collected + bytes[from..<end])[...]
        }
        throw Failure(line: firstLine, message: "a quote is not closed")
    }
}
