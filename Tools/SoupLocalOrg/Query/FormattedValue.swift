// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// Values in the format of `FORMAT`: that of the United States, in the time zone of the given times.
enum FormattedValue {
    /// The name of the SQL function: a value, and the raw value of a style.
    static let function = "org_format"

    enum Style: String {
        case number, currency, percent, date, dateTime

        /// Returns the style of a type; nil for types that are not formatted.
        init?(_ type: OrgFieldType) {
            switch type {
            case .int, .double: self = .number
            case .currency: self = .currency
            case .percent: self = .percent
            case .date: self = .date
            case .datetime: self = .dateTime
            default: return nil
            }
        }
    }

    /// Registers the function on a connection.
    static func install(in db: Database) {
        db.add(
            function: DatabaseFunction(function, argumentCount: 2, pure: true) { values in
                guard let style = String.fromDatabaseValue(values[1]).flatMap(Style.init) else { return nil }
                return text(of: values[0], style)
            })
    }

    /// Returns the formatted value; nil for null, and for a value that does not match the style.
    // Separate from the closure above, which the optimizer of Swift 6.3 cannot compile otherwise.
    private static func text(of value: DatabaseValue, _ style: Style) -> String? {
        switch style {
        case .date:
            guard let date = String.fromDatabaseValue(value).flatMap({ OrgDate($0) }) else { return nil }
            return text(of: date)
        case .dateTime:
            guard let time = Int64.fromDatabaseValue(value) else { return nil }
            return text(of: time)
        case .number, .currency, .percent:
            guard let number = Double.fromDatabaseValue(value) else { return nil }
            return text(of: number, style)
        }
    }

    /// Returns a day: `1/31/2024`.
    static func text(of date: OrgDate) -> String { "\(date.month)/\(date.day)/\(date.year)" }

    /// Returns a time to the minute: `1/31/2024, 1:05 PM`.
    ///
    /// - Parameter milliseconds: since 1970.
    static func text(of milliseconds: Int64) -> String {
        let date = OrgDate(milliseconds)
        let remainder = milliseconds % 86_400_000
        let minutes = (remainder < 0 ? remainder + 86_400_000 : remainder) / 60_000
        let (hour, minute) = (minutes / 60, minutes % 60)
        let shown = "\((hour + 11) % 12 + 1):\(minute < 10 ? "0" : "")\(minute) \(hour < 12 ? "AM" : "PM")"
        return "\(text(of: date)), \(shown)"
    }

    /// Returns a number with at most two fraction digits: `1,234.5`, `$1,234.50`, `12%`.
    static func text(of number: Double, _ style: Style) -> String {
        guard number.magnitude < 1e15 else { return "\(number)" }
        let cents = UInt64((number.magnitude * 100).rounded(.toNearestOrAwayFromZero))
        var whole = String(cents / 100)
        var position = whole.utf8.count - 3
        while position > 0 {
            whole.insert(",", at: whole.index(whole.startIndex, offsetBy: position))
            position -= 3
        }
        var fraction = "." + (cents % 100 < 10 ? "0" : "") + "\(cents % 100)"
        if style != .currency {
            while let last = fraction.last, last == "0" || last == "." {
                fraction.removeLast()
                if last == "." { break }
            }
        }
        let sign = number < 0 && cents > 0 ? "-" : ""
        return sign + (style == .currency ? "$" : "") + whole + fraction + (style == .percent ? "%" : "")
    }
}
