// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The timestamps of records and HTTP, in whole milliseconds, independent of time zone and locale.
public enum DateText {
    /// Reads ISO 8601 in the forms of servers: `2015-02-05T13:12:03.956-0800`, `…+00:00`, `…Z`, fraction optional.
    ///
    /// - Returns: nil if the text has none of these forms.
    public static func parse(_ text: some StringProtocol) -> Date? {
        milliseconds(text).map { Date(millisecondsSince1970: $0) }
    }

    /// Reads the forms of ``parse(_:)`` as milliseconds since 1970.
    package static func milliseconds(_ text: some StringProtocol) -> Int64? { milliseconds(Array(text.utf8)) }

    /// Returns the form that SOQL accepts and REST returns: `2015-02-05T21:12:03.956+0000`.
    public static func format(_ date: Date) -> String { format(date.millisecondsSince1970) }

    /// Returns the same form with another spelling of UTC, such as `Z`.
    public static func format(_ date: Date, zone: String) -> String { format(date.millisecondsSince1970, zone: zone) }

    /// Returns the form of ``format(_:)`` for milliseconds since 1970.
    package static func format(_ milliseconds: Int64) -> String { format(milliseconds, zone: "+0000") }

    /// Returns the form of ``format(_:zone:)`` for milliseconds since 1970.
    package static func format(_ milliseconds: Int64, zone: String) -> String {
        let days = milliseconds.flooringDivision(by: 86_400_000)
        let inDay = milliseconds.remainder(of: 86_400_000)
        let (year, month, day) = civil(fromDays: days)
        return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(inDay / 3_600_000, 2) + ":"
            + pad(inDay / 60_000 % 60, 2) + ":" + pad(inDay / 1000 % 60, 2) + "." + pad(inDay % 1000, 3) + zone
    }

    /// Reads the date of an HTTP header: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Returns: nil if the text has another form.
    public static func parseHTTPDate(_ text: String) -> Date? {
        httpMilliseconds(text).map { Date(millisecondsSince1970: $0) }
    }

    private static func httpMilliseconds(_ text: String) -> Int64? {
        let parts = text.split(whereSeparator: { " ,:".contains($0) })
        guard parts.count == 8, parts[7] == "GMT",
            let month = months.firstIndex(of: String(parts[2])).map({ Int64($0 + 1) }),
            let day = Int64(parts[1]), let year = Int64(parts[3]), let hour = Int64(parts[4]),
            let minute = Int64(parts[5]), let second = Int64(parts[6]),
            isPossible(day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        return instant(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: 0)
    }

    /// Returns the date for an HTTP header, in whole seconds, rounded down.
    public static func formatHTTPDate(_ date: Date) -> String { formatHTTPDate(date.millisecondsSince1970) }

    /// Returns the date for an HTTP header, for milliseconds since 1970.
    package static func formatHTTPDate(_ milliseconds: Int64) -> String {
        let days = milliseconds.flooringDivision(by: 86_400_000)
        let seconds = milliseconds.remainder(of: 86_400_000) / 1000
        let (year, month, day) = civil(fromDays: days)
        let weekday = Int(((days + 3) % 7 + 7) % 7)
        return "\(weekdays[weekday]), \(pad(day, 2)) \(months[Int(month) - 1]) \(pad(year, 4)) "
            + "\(pad(seconds / 3600, 2)):\(pad(seconds / 60 % 60, 2)):\(pad(seconds % 60, 2)) GMT"
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads ISO 8601 from UTF-8 as milliseconds since 1970.
    package static func milliseconds(_ text: [UInt8]) -> Int64? { milliseconds(text[...]) }

    /// Reads ISO 8601 from UTF-8 in a part of a longer text as milliseconds since 1970.
    package static func milliseconds(_ text: ArraySlice<UInt8>) -> Int64? {
        var reader = DigitReader(text: text)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T"), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), reader.take(":"), let second = reader.number(2),
            (1...12).contains(month), isPossible(day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        let fraction = reader.take(".") ? reader.milliseconds() : 0
        guard let fraction, let offset = reader.zone() else { return nil }
        let local = instant(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: fraction)
        return local.map { $0 - offset * 60_000 }
    }

    /// Returns whether a day and a time are possible, up to 24:59:60, as used for leap seconds and by some servers.
    static func isPossible(day: Int64, hour: Int64, minute: Int64, second: Int64) -> Bool {
        (1...31).contains(day) && (0..<25).contains(hour) && (0..<60).contains(minute) && (0..<61).contains(second)
    }

    static func instant(
        year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64, millisecond: Int64
    ) -> Int64? {
        guard (0...9999).contains(year), (1...12).contains(month) else { return nil }
        let days = days(year: year, month: month, day: day)
        return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + millisecond
    }

    /// Returns the days since 1970 of a proleptic Gregorian date, by 400-year eras that begin on 1 March.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.flooringDivision(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func civil(fromDays days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = shifted.flooringDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    fileprivate func flooringDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    /// Returns the remainder of a division that rounds down; the multiple below may exceed the range of numbers.
    fileprivate func remainder(of divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
