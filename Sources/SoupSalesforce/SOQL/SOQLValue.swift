// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A literal of a query.
package enum SOQLValue: Sendable, Hashable {
    /// The text with its escapes resolved.
    case string(String)
    /// The number as written, so that digits are not rounded.
    case number(String)
    /// `USD5000.00`
    case currency(code: String, amount: String)
    case bool(Bool)
    case null
    /// `2024-01-31`
    case date(String)
    /// `2024-01-31T10:20:30.000Z`
    case dateTime(Date)
    /// `10:20:30.000Z`, as written.
    case time(String)
    /// `TODAY`, `LAST_N_DAYS:30`
    case dateLiteral(SOQLDateLiteral)
    /// Another field. This is not SOQL; the rules of a local org use it to compare with the row before the change.
    case field(SOQLPath)
}

/// A period of days relative to today.
package struct SOQLDateLiteral: Sendable, Hashable {
    /// The name in upper case, without the number: `LAST_N_DAYS`.
    package var name: String
    /// The number after the colon.
    package var count: Int?

    /// Creates a literal; whether the name exists and takes a number is not checked.
    package init(_ name: String, count: Int? = nil) {
        self.name = name
        self.count = count
    }

    /// Returns whether a date literal takes a number; nil if the word, in upper case, is not a date literal.
    static func takesCount(_ word: String) -> Bool? {
        if simple.contains(word) { return false }
        for unit in units {
            if ["LAST_N_\(unit)S", "NEXT_N_\(unit)S", "N_\(unit)S_AGO"].contains(word) { return true }
            if unit != "DAY", ["LAST_\(unit)", "THIS_\(unit)", "NEXT_\(unit)"].contains(word) { return false }
        }
        return nil
    }

    private static let simple: Set<String> = ["YESTERDAY", "TODAY", "TOMORROW", "LAST_90_DAYS", "NEXT_90_DAYS"]
    private static let units = ["DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "FISCAL_QUARTER", "FISCAL_YEAR"]
}
