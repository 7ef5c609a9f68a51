// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A JSON number with its digits as written.
///
/// Two numbers are equal if their values are: `1E2` equals `100`, and `-0` equals `0`. Values are compared as decimals,
/// without rounding.
public struct JSONNumber: Sendable, CustomStringConvertible {
    /// The number as written: `18446744073709551615`, `1E2`.
    public let text: String

    /// Reads a number.
    ///
    /// - Returns: nil for a text that is not exactly one JSON number.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)[...]
        var position = 0
        guard let first = bytes.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            (try? JSONGrammar.skipNumber(bytes.span, &position)) != nil, position == bytes.count
        else { return nil }
        self.text = text
    }

    /// Creates a number from a text that a scanner has recognized as one.
    init(trusted text: String) { self.text = text }

    /// Creates a whole number.
    public init(_ number: some BinaryInteger) { self.text = String(number) }

    /// The text.
    public var description: String { text }

    /// The nearest double; beyond the range of doubles, the greatest finite one.
    public var doubleValue: Double {
        let greatest = Double.greatestFiniteMagnitude
        return min(max(unboundedValue, -greatest), greatest)
    }

    /// The nearest double; beyond the range of doubles infinity, as SQLite's `json_extract` reads it.
    package var unboundedValue: Double { Double(text) ?? 0 }

    /// The number if it is whole and fits in 64 bits: 100 for `1E2`, and 0 for `-0`.
    public var int64Value: Int64? {
        if let whole = Int64(text) { return whole }
        let digits = DecimalDigits(text)
        if digits.digits.isEmpty { return 0 }
        // A whole number of 64 bits has at most 19 digits.
        guard digits.farExponent == nil, digits.exponent <= 19, digits.digits.count <= digits.exponent else {
            return nil
        }
        let zeros = repeatElement(UInt8(ascii: "0"), count: Int(digits.exponent) - digits.digits.count)
        return Int64((digits.isNegative ? "-" : "") + String(decoding: digits.digits + zeros, as: UTF8.self))
    }

    /// Whether the text has neither a point nor an exponent.
    public var isPlainInteger: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } }
}

extension JSONNumber: Hashable {
    /// Compares the values exactly.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        left.text == right.text || DecimalDigits(left.text) == DecimalDigits(right.text)
    }

    /// Hashes the nearest double, which numbers of the same value share.
    public func hash(into hasher: inout Hasher) { hasher.combine(doubleValue) }
}

/// The significant digits of a number in any spelling: `1.50e1` and `15` have the same.
private struct DecimalDigits: Equatable {
    /// Whether the number is negative; false for zero.
    var isNegative = false
    /// The digits without zeros at the ends; none for zero.
    var digits: [UInt8] = []
    /// The number of digits before the point; negative if zeros follow it.
    ///
    /// It has 64 bits on every device: 18 written digits and the length of the text cannot overflow them.
    var exponent: Int64 = 0
    /// The written exponent, without leading zeros, if it has more than 18 digits.
    var farExponent: [UInt8]?

    /// Reads the digits.
    ///
    /// - Parameter text: a JSON number.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        let mark = bytes.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? bytes.endIndex
        var isFraction = false
        for byte in bytes[..<mark] {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0") where digits.isEmpty: if isFraction { exponent -= 1 }
            default:
                digits.append(byte)
                if !isFraction { exponent += 1 }
            }
        }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty {
            (isNegative, exponent) = (false, 0)
        } else if mark < bytes.endIndex {
            var written = bytes[(mark + 1)...]
            let isBelowOne = written.first == UInt8(ascii: "-")
            if let sign = written.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                written.removeFirst()
            }
            written = written.drop { $0 == UInt8(ascii: "0") }
            if written.count > 18 {
                farExponent = (isBelowOne ? [UInt8(ascii: "-")] : []) + written
            } else {
                let shift = Int64(String(decoding: written, as: UTF8.self)) ?? 0
                exponent += isBelowOne ? -shift : shift
            }
        }
    }
}
