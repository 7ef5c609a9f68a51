// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The result of a bulk query as records: JSON objects as the REST API would have sent them.
///
/// Everything in CSV is text, and an empty value is none: what a column holds must be told by the object's description.
public struct CSVRecords {
    /// What a column holds.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Text, ids, dates: whatever JSON writes in quotes.
        case text = "t"
        /// `true` or `false`.
        case boolean = "b"
        /// A number, copied as it is.
        case number = "n"
        /// A date with a time: the REST API ends it with `+0000`, where a bulk result may have `Z`.
        case dateTime = "d"
    }

    private let bytes: [UInt8]
    private var position = 0
    private var output: [UInt8] = []
    private var ranges: [Range<Int>] = []

    /// Makes the records of a page of a result.
    ///
    /// - Parameters:
    ///   - kinds: of the columns, by their names.
    ///   - object: the name of the records' object, and the path below which the server has them; for `attributes`.
    /// - Throws: ``SoupError`` with `json` for a column that is not known, a line with more or fewer values than the
    ///   header, a value that is not of its column's kind, and quotes that do not close.
    public static func batch(
        _ bytes: [UInt8], kinds: [String: Kind], object: (name: String, path: String)
    ) throws -> RecordBatch {
        var reader = CSVRecords(bytes)
        try reader.read(kinds, object)
        return RecordBatch(bytes: reader.output, ranges: reader.ranges)
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        output.reserveCapacity(min(bytes.count, 1 << 24) * 2)
    }

    private mutating func read(_ kinds: [String: Kind], _ object: (name: String, path: String)) throws {
        guard position < bytes.count else { return }
        let known = Dictionary(kinds.map { ($0.key.lowercased(), ($0.key, $0.value)) }, uniquingKeysWith: { $1 })
        var columns: [(key: [UInt8], kind: Kind)] = []
        var idColumn: Int?
        for name in try line() {
            let name = String(decoding: name, as: UTF8.self)
            guard let (name, kind) = known[name.lowercased()] else {
                throw Self.broken("it has the unknown column \"\(name)\"")
            }
            if name == "Id" { idColumn = columns.count }
            columns.append((Array(JSONText.string(name).bytes) + [UInt8(ascii: ":")], kind))
        }
        let type = JSONText.string(object.name)
        while position < bytes.count {
            let values = try line()
            guard values.count == columns.count else {
                throw Self.broken("a line has \(values.count) values, the header \(columns.count)")
            }
            let start = output.count
            output += Array("{\"attributes\":{\"type\":".utf8)
            output += type.bytes
            if let idColumn {
                output += Array(",\"url\":".utf8)
                output += JSONText.string(object.path + String(decoding: values[idColumn], as: UTF8.self)).bytes
            }
            output.append(UInt8(ascii: "}"))
            for (column, value) in zip(columns, values) {
                output.append(UInt8(ascii: ","))
                output += column.key
                try append(value, column.kind)
            }
            output.append(UInt8(ascii: "}"))
            ranges.append(start..<output.count)
        }
    }

    private mutating func append(_ value: ArraySlice<UInt8>, _ kind: Kind) throws {
        guard !value.isEmpty else { return output += Array("null".utf8) }
        switch kind {
        case .text: output += JSONText.string(String(decoding: value, as: UTF8.self)).bytes
        case .boolean:
            guard value.elementsEqual("true".utf8) || value.elementsEqual("false".utf8) else {
                throw Self.broken("\"\(String(decoding: value.prefix(50), as: UTF8.self))\" is neither true nor false")
            }
            output += value
        case .number:
            guard (try? JSONValue(parsing: Array(value)))?.doubleValue != nil else {
                throw Self.broken("\"\(String(decoding: value.prefix(50), as: UTF8.self))\" is no number")
            }
            output += value
        case .dateTime:
            let text = value.last == UInt8(ascii: "Z") ? value.dropLast() + Array("+0000".utf8)[...] : value
            output += JSONText.string(String(decoding: text, as: UTF8.self)).bytes
        }
    }

    // MARK: Lines

    /// The values of a line; the position is behind its end then.
    private mutating func line() throws -> [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        while true {
            values.append(try value())
            guard position < bytes.count else { return values }
            let separator = bytes[position]
            position += 1
            switch separator {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "\n"): return values
            case UInt8(ascii: "\r"):
                if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
                return values
            default: throw Self.broken("something stands behind a closing quote")
            }
        }
    }

    private mutating func value() throws -> ArraySlice<UInt8> {
        let quote = UInt8(ascii: "\"")
        guard position < bytes.count, bytes[position] == quote else {
            let start = position
            while position < bytes.count, !Self.ends.contains(bytes[position]) { position += 1 }
            return bytes[start..<position]
        }
        position += 1
        let start = position
        var unquoted: [UInt8] = []
        var from = position
        while position < bytes.count {
            guard bytes[position] == quote else {
                position += 1
                continue
            }
            if position + 1 < bytes.count, bytes[position + 1] == quote {
                unquoted += bytes[from...position]
                position += 2
                from = position
                continue
            }
            let end = position
            position += 1
            if from == start { return bytes[start..<end] }
            return (unquoted + bytes[from..<end])[...]
        }
        throw Self.broken("a quote is not closed")
    }

    private static let ends: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r")]

    private static func broken(_ what: String) -> SoupError {
        SoupError(.json, "the result of the bulk query is broken: \(what)")
    }
}
