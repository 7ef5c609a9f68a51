// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// The result of a bulk query as records: JSON objects in the form of the REST API.
///
/// CSV contains only text, and an empty value means null, so the object's description must define the type of each
/// column. The pieces of a result are added one after the other, so that each piece is held in memory only while it is
/// read.
package struct CSVRecords: Sendable {
    /// The type of a column.
    package enum Kind: String, Sendable, Hashable, Codable {
        /// Text, IDs, dates: everything that JSON writes in quotes.
        case text = "t"
        /// `true` or `false`.
        case boolean = "b"
        /// A number, copied unchanged.
        case number = "n"
        /// A date with a time: the REST API ends it with `+0000`, a bulk result may end it with `Z`.
        case dateTime = "d"
    }

    /// The result of adding one piece.
    package struct Piece: Sendable, Hashable {
        /// The number of records of the piece, including those that were not added.
        package internal(set) var count = 0
        /// The ID of its first record; nil if there is no record, or no column `Id`.
        package internal(set) var firstId: String?
        /// Whether the record that ends the piece was found.
        package internal(set) var isAtEnd = false
    }

    private let kinds: [String: (name: String, kind: Kind)]
    /// The beginning of a record, up to its ID.
    private let head: (withId: [UInt8], withoutId: [UInt8])
    private var output: [UInt8] = []
    private var ranges: [Range<Int>] = []

    /// Creates a value without records.
    ///
    /// - Parameters:
    ///   - kinds: the types of the columns, by name.
    ///   - object: the name of the records' object, and the server path of its records; for `attributes`.
    package init(kinds: [String: Kind], object: (name: String, path: String)) {
        self.kinds = Dictionary(
            kinds.map { ($0.key.lowercased(), (name: $0.key, kind: $0.value)) }, uniquingKeysWith: { $1 })
        let type = Array("{\"attributes\":{\"type\":".utf8) + JSONText.string(object.name).bytes
        let path = Array(JSONText.string(object.path).bytes.dropLast())
        head = (withId: type + Array(",\"url\":".utf8) + path, withoutId: type)
    }

    /// Reserves memory for a number of bytes of CSV, of all pieces together.
    package mutating func reserve(_ bytes: Int) { output.reserveCapacity(bytes * 2) }

    /// The records that were added, in their order.
    package var batch: RecordBatch { RecordBatch(bytes: output, ranges: ranges) }

    /// Adds the records of a piece.
    ///
    /// - Parameters:
    ///   - bytes: CSV with a header; empty for no records.
    ///   - end: the ID of the first record after the piece; it and the records after it are not added.
    /// - Throws: ``SoupError`` with `json` for an unknown column, a line with more or fewer values than the header, a
    ///   value that does not match its column's type, and a missing closing quote.
    package mutating func add(_ bytes: [UInt8], until end: String? = nil) throws -> Piece {
        var piece = Piece()
        var lines = CSVLines(bytes)
        guard let header = try lines.next() else { return piece }
        let columns = try header.map { name in
            let name = String(decoding: name, as: UTF8.self)
            guard let known = kinds[name.lowercased()] else {
                throw CSVLines.fault("it has the unknown column \"\(name)\"")
            }
            return (key: [UInt8(ascii: ",")] + JSONText.string(known.name).bytes + [UInt8(ascii: ":")], known)
        }
        let idColumn = columns.firstIndex { $0.1.name == "Id" }
        let end = end.map { Array($0.utf8) }
        while let values = try lines.next() {
            guard values.count == columns.count else {
                throw CSVLines.fault("a line has \(values.count) values, the header has \(columns.count)")
            }
            let id = idColumn.map { values[$0] }
            if piece.count == 0 { piece.firstId = id.map { String(decoding: $0, as: UTF8.self) } }
            piece.count += 1
            if let id, let end, id.elementsEqual(end) { piece.isAtEnd = true }
            if piece.isAtEnd { continue }
            let start = output.count
            if let id {
                output += head.withId
                appendInQuotes(id)
            } else {
                output += head.withoutId
            }
            output.append(UInt8(ascii: "}"))
            for (column, value) in zip(columns, values) {
                output += column.key
                try append(value, column.1.kind)
            }
            output.append(UInt8(ascii: "}"))
            ranges.append(start..<output.count)
        }
        return piece
    }

    private mutating func append(_ value: ArraySlice<UInt8>, _ kind: Kind) throws {
        guard !value.isEmpty else { return output += "null".utf8 }
        switch kind {
        case .text: appendString(value)
        case .boolean:
            guard value.elementsEqual("true".utf8) || value.elementsEqual("false".utf8) else {
                throw CSVLines.fault(
                    "\"\(String(decoding: value.prefix(50), as: UTF8.self))\" is neither true nor false")
            }
            output += value
        case .number:
            guard (try? JSONValue(parsing: Array(value)))?.doubleValue != nil else {
                throw CSVLines.fault("\"\(String(decoding: value.prefix(50), as: UTF8.self))\" is not a number")
            }
            output += value
        case .dateTime:
            appendString(value.last == UInt8(ascii: "Z") ? value.dropLast() + Array("+0000".utf8) : value)
        }
    }

    private mutating func appendString(_ value: ArraySlice<UInt8>) {
        output.append(UInt8(ascii: "\""))
        appendInQuotes(value)
    }

    /// Writes the rest of a string, and the quote that closes it.
    private mutating func appendInQuotes(_ value: ArraySlice<UInt8>) {
        if value.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            output += value
            output.append(UInt8(ascii: "\""))
        } else {
            output += JSONText.string(String(decoding: value, as: UTF8.self)).bytes.dropFirst()
        }
    }
}
