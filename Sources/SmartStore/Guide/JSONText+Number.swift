// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupCore

extension JSONText {
    /// The number that the text spells, in the first of these types that has all its digits: `Int`, `UInt64`, `Double`,
    /// `Decimal`.
    ///
    /// When none has, the nearest `Double`, and of those beyond it the greatest that is finite.
    var number: any Sendable {
        let text = description
        let isNegativeZero = text == "-0"
        if !isNegativeZero, let whole = Int64(text) { return Int(exactly: whole) ?? whole }
        if let whole = UInt64(text), !isNegativeZero { return whole }
        let greatest = Double.greatestFiniteMagnitude
        let real = min(max(Double(text) ?? 0, -greatest), greatest)
        let digits = DecimalDigits(text)
        if digits == DecimalDigits("\(real)") { return real }
        // More digits than 38 it would drop.
        guard digits.digits.count <= 38, let decimal = Decimal(string: text, locale: nil),
            DecimalDigits(decimal.description) == digits
        else { return real }
        return decimal
    }
}

/// The digits of a number, however it is spelled: `1.50e1` and `15` have the same.
private struct DecimalDigits: Equatable {
    var isNegative = false
    /// Without zeros at the ends.
    var digits: [UInt8] = []
    /// How many tens the first digit stands before, or behind, the point.
    var exponent = 0

    /// - Parameter text: a JSON number.
    init(_ text: String) {
        var isFraction = false
        let parts = text.split(maxSplits: 1, whereSeparator: { $0 == "e" || $0 == "E" })
        for byte in parts.first?.utf8 ?? Substring().utf8 {
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
        if parts.count > 1 {
            // An exponent beyond all bounds is that of no type.
            exponent = exponent.addingReportingOverflow(Int(parts[1]) ?? Int.max / 2).partialValue
        }
        if digits.isEmpty { exponent = 0 }
    }
}
