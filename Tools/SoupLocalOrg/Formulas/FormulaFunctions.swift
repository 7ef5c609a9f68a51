// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The SQL functions that the columns of formulas call.
enum FormulaFunctions {
    /// `org_number(value, scale)`: a number as a field stores it, rounded; null for one that no field can store.
    static let number = "org_number"
    /// `org_number_text(value)`: a number as `TEXT` writes it, without trailing zeros.
    static let text = "org_number_text"

    /// `org_date(text)`: a day; null for one before the year 1, which no field can store.
    static let date = "org_date"
    /// `org_moment(milliseconds)`: a datetime in whole milliseconds; null outside the years 1 to 9999.
    static let moment = "org_moment"

    static func install(in db: Database) {
        db.add(
            function: DatabaseFunction(number, argumentCount: 2, pure: true) { values in
                guard let value = Double.fromDatabaseValue(values[0]), value.magnitude < 1e18 else { return nil }
                return FieldCoercion.rounded(value, scale: Int.fromDatabaseValue(values[1]) ?? 0)
            })
        db.add(
            function: DatabaseFunction(text, argumentCount: 1, pure: true) { values in
                guard let value = Double.fromDatabaseValue(values[0]), value.magnitude < 1e18 else { return nil }
                return Int64(exactly: value).map { "\($0)" } ?? "\(FieldCoercion.rounded(value, scale: 12))"
            })
        db.add(
            function: DatabaseFunction(date, argumentCount: 1, pure: true) { values in
                String.fromDatabaseValue(values[0]).flatMap { OrgDate($0)?.text }
            })
        db.add(
            function: DatabaseFunction(moment, argumentCount: 1, pure: true) { values in
                guard
                    let time = Double.fromDatabaseValue(values[0]).flatMap({ Int64(exactly: $0.rounded(.towardZero)) }),
                    OrgDate.moments.contains(time)
                else { return nil }
                return time
            })
    }
}
