// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The functions that the columns of formulas call.
enum FormulaFunctions {
    /// `org_number(value, scale)`: a number as a field keeps it, rounded; nothing for one that no field can hold.
    static let number = "org_number"
    /// `org_number_text(value)`: a number as `TEXT` writes it, without zeros that say nothing.
    static let text = "org_number_text"

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
    }
}
