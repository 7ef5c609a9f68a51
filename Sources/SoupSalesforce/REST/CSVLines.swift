// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Splits CSV into lines and lines into values; only values with quotes are copied.
struct CSVLines {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the values of the next line; nil after the last.
    ///
    /// - Throws: ``SoupError`` with `json` for a missing closing quote.
    mutating func next() throws -> [ArraySlice<UInt8>]? {
        guard position < bytes.count else { return nil }
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
            default: throw Self.fault("a closing quote is followed by text")
            }
        }
    }

    private mutating func value() throws -> ArraySlice<UInt8> {
        let quote = UInt8(ascii: "\"")
        guard position < bytes.count, bytes[position] == quote else {
            let start = position
            while position < bytes.count, !Self.endsValue(bytes[position]) { position += 1 }
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
        throw Self.fault("a closing quote is missing")
    }

    private static func endsValue(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    static func fault(_ reason: String) -> SoupError {
        SoupError(.json, "the result of the bulk query cannot be read: \(reason)")
    }
}
