// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// JSON text of a response, written directly from the columns of rows.
struct JSONOutput {
    private(set) var bytes: [UInt8] = []
    /// The day of the last written datetime, as text: most datetimes are of the same day as the previous one.
    private var lastDay: (number: Int64, text: [UInt8]) = (.min, [])

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }
    mutating func append(_ byte: UInt8) { bytes.append(byte) }
    mutating func append(_ text: [UInt8]) { bytes.append(contentsOf: text) }
    mutating func append(_ text: ArraySlice<UInt8>) { bytes.append(contentsOf: text) }
    mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }
    mutating func append(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }
    mutating func append(json value: JSONValue) {
        if let text = try? JSONText(value) { bytes.append(contentsOf: text.bytes) }
    }

    /// Appends an array of JSON values.
    mutating func append(array values: some Sequence<ArraySlice<UInt8>>) {
        append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(value)
        }
        append(UInt8(ascii: "]"))
    }

    /// Appends a string; ranges without escapes are copied at once.
    mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for index in 0..<text.count {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: text[start..<index])
            appendEscape(of: byte)
            start = index + 1
        }
        bytes.append(contentsOf: text[start..<text.count])
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }

    /// Appends the value of a column in the form of a field's type.
    mutating func append(_ row: OrgStatement, column: Int, type: OrgFieldType) {
        append(row, column: column, storage: type.storage)
    }

    /// Appends the value of a column in the form of a kind of storage.
    mutating func append(_ row: OrgStatement, column: Int, storage: OrgFieldType.Storage) {
        if row.isNull(column) {
            append("null")
            return
        }
        switch storage {
        case .text, .id, .date, .time, .blob, .none: row.withBytes(column) { appendQuoted($0) }
        case .boolean: append(row.int(column) != 0 ? "true" : "false")
        case .int: bytes.append(contentsOf: String(row.int(column)).utf8)
        case .real: append(row.double(column))
        case .dateTime: appendDateTime(row.int(column))
        }
    }

    /// Appends a number, always with a fraction: `300.0`.
    mutating func append(_ number: Double) {
        guard let whole = Int64(exactly: number), whole.magnitude < 1 << 53 else {
            bytes.append(contentsOf: (number.isFinite ? number : 0).description.utf8)
            return
        }
        if number.sign == .minus { bytes.append(UInt8(ascii: "-")) }
        appendDigits(whole.magnitude)
        append(".0")
    }

    /// Appends a datetime: `"2024-01-31T10:20:30.000+0000"`.
    mutating func appendDateTime(_ milliseconds: Int64) {
        let remainder = milliseconds % 86_400_000
        let day = milliseconds / 86_400_000 - (remainder < 0 ? 1 : 0)
        if lastDay.number != day { lastDay = (day, Array("\"\(OrgDate(milliseconds).text)T".utf8)) }
        // Computed from the remainder and not from midnight, because the midnight of the first representable day
        // overflows.
        let inDay = UInt64(remainder < 0 ? remainder + 86_400_000 : remainder)
        bytes.append(contentsOf: lastDay.text)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 12) { time in
            time.initialize(repeating: UInt8(ascii: ":"))
            Self.fill(time, 0..<2, with: inDay / 3_600_000)
            Self.fill(time, 3..<5, with: inDay / 60_000 % 60)
            Self.fill(time, 6..<8, with: inDay / 1000 % 60)
            time[8] = UInt8(ascii: ".")
            Self.fill(time, 9..<12, with: inDay % 1000)
            bytes.append(contentsOf: time)
        }
        append("+0000\"")
    }

    private mutating func appendDigits(_ number: UInt64) {
        var (count, rest) = (1, number)
        while rest >= 10 { (count, rest) = (count + 1, rest / 10) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { digits in
            digits.initialize(repeating: 0)
            Self.fill(digits, 0..<count, with: number)
            bytes.append(contentsOf: digits)
        }
    }

    /// Writes the last digits of a number to a range and fills it.
    private static func fill(_ text: UnsafeMutableBufferPointer<UInt8>, _ range: Range<Int>, with number: UInt64) {
        var (index, rest) = (range.upperBound, number)
        while index > range.lowerBound {
            index -= 1
            text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }
}
