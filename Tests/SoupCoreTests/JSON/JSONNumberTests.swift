// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

/// Numbers that are read into a tree and written again.
@Suite struct JSONNumberTests {
    static let texts = [
        "0", "-0", "1", "-1", "1E2", "1e+2", "1.0", "1.50", "100", "0.1", "18446744073709551615", "9223372036854775807",
        "9223372036854775808", "-9223372036854775809", "0.12345678901234567890123", "1e400", "-1e400", "1e-400", "0e5",
        "-0.0", "1e16", "1e+16", "5.0E8", "123456789012345678901234567890", "1e99999999999999999999", "0.00", "0.10e-3",
    ]

    @Test(arguments: texts) func `A number is written as it was read`(_ text: String) throws {
        let record = #"{"n":\#(text),"a":[\#(text)]}"#
        #expect(try JSONText(JSONValue(parsing: record)).description == record)
        #expect(try JSONText(record).value.jsonText().description == record)
    }

    /// The case of a number, and its values.
    @Test func `The case of a number depends on its text`() throws {
        func read(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }
        guard case .int(12) = try read("12"), case .double(0.5) = try read("0.5"), case .double = try read("1e+16"),
            case .number(let large) = try read("18446744073709551615"), case .number(let zero) = try read("-0"),
            case .number(let hundred) = try read("1E2"), case .number(let price) = try read("1.50")
        else {
            Issue.record("a number has another case")
            return
        }
        #expect([large.text, zero.text, hundred.text, price.text] == ["18446744073709551615", "-0", "1E2", "1.50"])
        #expect(try read("1E2").intValue == 100 && read("-0").intValue == 0 && read("1.50").intValue == nil)
        #expect(try read("18446744073709551615").intValue == nil && read("1e18").intValue == 1_000_000_000_000_000_000)
        #expect(try read("1e19").intValue == nil && read("-9.223372036854775808E18").intValue == .min)
        #expect(try read("1.50").doubleValue == 1.5 && read("1e400").doubleValue == .greatestFiniteMagnitude)
        #expect(try read("18446744073709551615").idText == "18446744073709551615" && read("1E2").idText == "100")
        #expect(try read("1e400").idText == nil)
        #expect(try read("12e9999999999").intValue == nil && read("12e-9999999999").intValue == nil)
        #expect(try read("0E5").intValue == 0 && read("-0").intValue == 0)
    }

    @Test(arguments: [
        ("1E2", "100"), ("-0", "0"), ("1.50", "1.5"), ("0.1e1", "1"), ("100e-2", "1.0"), ("1e400", "10E399"),
        ("9223372036854775807", "9.223372036854775807e18"), ("0e7", "0"),
        ("1e099999999999999999999", "1E+99999999999999999999"), ("0E5", "-0.0"),
        // Exponents beyond 32 bits, the size of Int on watchOS.
        ("12e9999999999", "1.2e10000000000"), ("0.012e-9999999999", "12e-10000000002"),
        ("12e2147483647", "1.2e2147483648"), ("12e999999999999999998", "120e999999999999999997"),
        ("12e999999999999999999", "12e+0999999999999999999"),
    ])
    func `Numbers with the same value are equal`(_ left: String, _ right: String) throws {
        let (left, right) = (try JSONValue(parsing: left), try JSONValue(parsing: right))
        #expect(left == right && right == left)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(arguments: [
        ("18446744073709551615", "18446744073709551616"), ("0.12345678901234567890123", "0.12345678901234567890124"),
        ("1e400", "1e401"), ("1e400", "-1e400"), ("1E2", "101"), ("9223372036854775808", "9223372036854775807"),
        ("1e99999999999999999999", "1e99999999999999999998"), ("1.50", "1.51"), ("10", "1"), ("1E2", "1E3"),
        ("12e9999999999", "12e9999999998"), ("12e9999999999", "12e-9999999999"),
    ])
    func `Numbers with different values are not equal`(_ left: String, _ right: String) throws {
        #expect(try JSONValue(parsing: left) != JSONValue(parsing: right))
    }

    /// Through Foundation's coders a number keeps up to 38 digits.
    @Test(arguments: ["18446744073709551615", "12345678901234567890.0123456789", "0.1", "-5", "1.5", "2e30"])
    func `Foundation's coders keep 38 digits`(_ text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(try JSONText(encoding: [value]).value == [value])
        #expect(try JSONText("[\(text)]").decode([JSONValue].self) == [value])
    }

    @Test(arguments: ["", "01", "1.", ".5", "+1", "1e", "NaN", "1 ", " 1", "0x1", "1,5", "--1"])
    func `A text that is not one JSON number is refused`(_ text: String) { #expect(JSONNumber(text) == nil) }
}
