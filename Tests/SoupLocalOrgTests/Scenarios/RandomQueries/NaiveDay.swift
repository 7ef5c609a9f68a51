// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce

/// Days since 1970, computed only by arithmetic.
struct NaiveDay: Hashable, Comparable {
    var number: Int

    init(_ number: Int) { self.number = number }

    /// Creates the day of an instant in milliseconds since 1970.
    init(instant: Int64) {
        var day = instant / 86_400_000
        if day * 86_400_000 > instant { day -= 1 }
        number = Int(day)
    }

    init(year: Int, month: Int, day: Int) {
        let leap = month > 2 && Self.isLeap(year) ? 1 : 0
        number = Self.years[year - Self.firstYear] + Self.daysBefore[month - 1] + leap + day - 1
    }

    /// The number of days before each month, in years without a leap day.
    private static let daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]

    init?(text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        self.init(year: parts[0], month: parts[1], day: parts[2])
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
    private static let firstYear = 1800
    /// The first days of the years.
    private static let years: [Int] = {
        var days = [0]
        for year in firstYear..<2200 { days.append(days[days.count - 1] + (isLeap(year) ? 366 : 365)) }
        let epoch = days[1970 - firstYear]
        return days.map { $0 - epoch }
    }()

    var start: Int64 { Int64(number) * 86_400_000 }
    /// The day of the week; 0 for Sunday.
    var weekday: Int { ((number + 4) % 7 + 7) % 7 }

    var parts: (year: Int, month: Int, day: Int) {
        var year = 1970 + number / 366 - 1
        while Self.years[year + 1 - Self.firstYear] <= number { year += 1 }
        var month = 1
        while month < 12, NaiveDay(year: year, month: month + 1, day: 1).number <= number { month += 1 }
        return (year, month, number - NaiveDay(year: year, month: month, day: 1).number + 1)
    }

    var text: String {
        let (year, month, day) = parts
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }

    static func < (left: NaiveDay, right: NaiveDay) -> Bool { left.number < right.number }

    /// Returns the first day of the month `count` months later.
    func month(_ count: Int) -> NaiveDay {
        let (year, month, _) = parts
        var months = year * 12 + month - 1 + count
        let years = months / 12
        months -= years * 12
        return NaiveDay(year: years, month: months + 1, day: 1)
    }

    /// Returns the days of a literal, without the last one, and whether they end at the present second.
    static func span(of literal: SOQLDateLiteral, today: NaiveDay) -> (start: NaiveDay, end: NaiveDay, endsNow: Bool) {
        let count = literal.count ?? 0
        func days(_ first: Int, _ length: Int, now: Bool = false) -> (NaiveDay, NaiveDay, Bool) {
            (NaiveDay(today.number + first), NaiveDay(today.number + first + length), now)
        }
        switch literal.name {
        case "YESTERDAY": return days(-1, 1)
        case "TODAY": return days(0, 1)
        case "TOMORROW": return days(1, 1)
        case "LAST_90_DAYS": return days(-90, 91, now: true)
        case "NEXT_90_DAYS": return days(1, 90)
        case "LAST_N_DAYS": return days(-count, count + 1, now: true)
        case "NEXT_N_DAYS": return days(1, count)
        case "N_DAYS_AGO": return days(-count, 1)
        default: break
        }
        let name = literal.name.split(separator: "_").map(String.init)
        let unit = name.first {
            ["WEEK", "WEEKS", "MONTH", "MONTHS", "QUARTER", "QUARTERS", "YEAR", "YEARS"].contains($0)
        }
        func begin(_ steps: Int) -> NaiveDay {
            switch unit?.prefix(4) {
            case "WEEK": NaiveDay(today.number - today.weekday + 7 * steps)
            case "MONT": today.month(steps)
            case "QUAR": today.month(3 * steps - (today.parts.month - 1) % 3)
            default: today.month(12 * steps - (today.parts.month - 1))
            }
        }
        switch (name[0], name[1]) {
        case ("LAST", "N"): return (begin(-count), begin(0), false)
        case ("NEXT", "N"): return (begin(1), begin(1 + count), false)
        case ("N", _): return (begin(-count), begin(-count + 1), false)
        case ("LAST", _): return (begin(-1), begin(0), false)
        case ("NEXT", _): return (begin(1), begin(2), false)
        default: return (begin(0), begin(1), false)
        }
    }
}
