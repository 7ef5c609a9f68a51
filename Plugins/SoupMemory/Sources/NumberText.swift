// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Reads and writes numbers in texts as SQLite does.
enum NumberText {
    /// Returns the number that a text contains, with optional white space around it; nil if it contains none.
    static func number(in text: [UInt8]) -> StorageValue? {
        var rest = text[...]
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        rest = rest.drop(while: isSpace)
        var digits = ""
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            if sign == UInt8(ascii: "-") { digits = "-" }
            rest.removeFirst()
        }
        let whole = takeDigits(&rest)
        var fraction = ""
        var isReal = false
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            isReal = true
            fraction = takeDigits(&rest)
        }
        guard !(whole + fraction).isEmpty else { return nil }
        digits += whole.isEmpty ? "0" : whole
        if !isReal, rest.isEmpty, let number = Int64(digits) { return .integer(number) }
        if !fraction.isEmpty { digits += "." + fraction }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            digits += "e"
            if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                digits += sign == UInt8(ascii: "-") ? "-" : ""
                rest.removeFirst()
            }
            let exponent = takeDigits(&rest)
            guard !exponent.isEmpty else { return nil }
            digits += exponent
        }
        guard rest.isEmpty else { return nil }
        return Double(digits).map { .real($0) }
    }

    /// Returns the text of a real with up to 15 digits, at least one of them after the point: `3.7`, `42.0`, `1.0e+21`.
    static func text(of number: Double) -> String {
        guard number.isFinite else { return number < 0 ? "-Inf" : "Inf" }
        guard number != 0 else { return "0.0" }
        var (digits, exponent) = decimal(number.magnitude)
        let sign = number < 0 ? "-" : ""
        if exponent < -4 || exponent > 14 {
            let mantissa = point(digits, after: 1)
            let size = abs(exponent)
            return sign + mantissa + "e" + (exponent < 0 ? "-" : "+") + (size < 10 ? "0" : "") + String(size)
        }
        if exponent < 0 {
            digits = Array(repeating: 0, count: -exponent) + digits
            exponent = 0
        }
        return sign + point(digits, after: exponent + 1)
    }

    /// Returns the digits with a decimal point, padded with zeros.
    private static func point(_ digits: [Int], after count: Int) -> String {
        let padded = digits + Array(repeating: 0, count: max(0, count + 1 - digits.count))
        return padded[..<count].map(String.init).joined() + "." + padded[count...].map(String.init).joined()
    }

    /// Returns the digits of a positive number, at most 15 and without trailing zeros, and the exponent of the first
    /// one.
    private static func decimal(_ number: Double) -> (digits: [Int], exponent: Int) {
        let parts = String(format: "%.14e", number).split(separator: "e")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        var digits = parts[0].compactMap(\.wholeNumberValue)
        while digits.count > 1, digits.last == 0 { digits.removeLast() }
        return (digits, exponent)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

    private static func takeDigits(_ text: inout ArraySlice<UInt8>) -> String {
        let digits = text.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        text = text[digits.endIndex...]
        return String(decoding: digits, as: UTF8.self)
    }
}
