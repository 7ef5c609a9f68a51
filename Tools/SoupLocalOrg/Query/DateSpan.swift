// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// The days of a date literal of SOQL: from `start` up to, but not including, `end`.
struct DateSpan: Sendable, Hashable {
    var start: OrgDate
    var end: OrgDate
    /// Whether the last day ends at the present second for values with a time of day.
    var endsNow = false

    /// - Parameter today: the day from which relative literals count.
    init(_ literal: SOQLDateLiteral, today: OrgDate) {
        let count = literal.count ?? 0
        switch literal.name {
        case "YESTERDAY": self = Self.days(today.adding(days: -1), 1)
        case "TODAY": self = Self.days(today, 1)
        case "TOMORROW": self = Self.days(today.adding(days: 1), 1)
        case "LAST_90_DAYS": self = Self.days(today.adding(days: -90), 91)
        case "NEXT_90_DAYS": self = Self.days(today.adding(days: 1), 90)
        case "LAST_N_DAYS": self = Self.days(today.adding(days: -count), count + 1)
        case "NEXT_N_DAYS": self = Self.days(today.adding(days: 1), count)
        case "N_DAYS_AGO": self = Self.days(today.adding(days: -count), 1)
        default: self = Self.units(literal.name, count: count, today: today)
        }
        endsNow = ["LAST_90_DAYS", "LAST_N_DAYS"].contains(literal.name)
    }

    private init(_ start: OrgDate, _ end: OrgDate) {
        self.start = start
        self.end = end
    }

    private static func days(_ start: OrgDate, _ count: Int) -> DateSpan { DateSpan(start, start.adding(days: count)) }

    /// Returns the days of literals over weeks, months, quarters and years; the fiscal year is the calendar year.
    private static func units(_ name: String, count: Int, today: OrgDate) -> DateSpan {
        let unit = ["WEEK", "MONTH", "QUARTER", "YEAR"].first { name.contains($0) } ?? "MONTH"
        func start(_ offset: Int) -> OrgDate {
            switch unit {
            case "WEEK": today.adding(days: -today.weekday + offset * 7)
            case "MONTH": today.firstOfMonth(adding: offset)
            case "QUARTER": today.firstOfMonth(adding: offset * 3 - (today.month - 1) % 3)
            default: today.firstOfMonth(adding: offset * 12 - today.month + 1)
            }
        }
        if name.hasPrefix("LAST_N_") { return DateSpan(start(-count), start(0)) }
        if name.hasPrefix("NEXT_N_") { return DateSpan(start(1), start(count + 1)) }
        if name.hasPrefix("N_") { return DateSpan(start(-count), start(1 - count)) }
        let offset = name.hasPrefix("LAST_") ? -1 : name.hasPrefix("NEXT_") ? 1 : 0
        return DateSpan(start(offset), start(offset + 1))
    }
}
