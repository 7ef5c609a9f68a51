// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A calendar day in UTC.
struct OrgDate: Sendable, Hashable, Comparable {
    var year: Int
    var month: Int
    var day: Int

    /// The times of the years 1 to 9999, in milliseconds since 1970.
    static let moments: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// Parses `2024-01-31`; nil for other texts and for days that do not exist.
    init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, let time = DateText.milliseconds(bytes + Array("T00:00:00Z".utf8)) else { return nil }
        self.init(time)
        guard self.text.utf8.elementsEqual(bytes) else { return nil }
    }

    /// The day of a time in milliseconds since 1970, within the years 1 to 9999.
    init(_ milliseconds: Int64) {
        let known = min(max(milliseconds, Self.moments.lowerBound), Self.moments.upperBound)
        let parts = DateText.format(known).prefix(10).split(separator: "-").compactMap { Int($0) }
        self.init(year: parts[0], month: parts[1], day: parts[2])
    }

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    var text: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
    }

    /// Midnight, in milliseconds since 1970.
    var start: Int64 { DateText.milliseconds(text + "T00:00:00Z") ?? 0 }

    /// 0 for Sunday.
    var weekday: Int { Int(((start / 86_400_000 + 4) % 7 + 7) % 7) }

    func adding(days: Int) -> OrgDate { OrgDate(start + Int64(min(max(days, -4_000_000), 4_000_000)) * 86_400_000) }

    /// Returns the first day of the month that is a number of months away.
    func firstOfMonth(adding months: Int = 0) -> OrgDate {
        let index = min(max(year * 12 + month - 1 + months, 12), 9999 * 12 + 11)
        return OrgDate(year: index / 12, month: index % 12 + 1, day: 1)
    }

    static func < (left: OrgDate, right: OrgDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
