// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The expression of a formula field, compiled to SQL over the columns of its row.
struct Formula: Sendable, Hashable {
    /// The text of the formula.
    var text: String
    /// The expression of the column, which SQLite computes when a row is read.
    var sql: String
}

/// The type of a part of a formula.
enum FormulaType: String {
    case number, text, boolean, date
    case dateTime = "datetime"
    case time
    /// `NULL`, which is compatible with every type.
    case blank

    /// The type of a field's values; nil for fields without values.
    init?(_ field: OrgField) {
        switch field.type.storage {
        case .text, .id: self = .text
        case .boolean: self = .boolean
        case .int, .real: self = .number
        case .date: self = .date
        case .dateTime: self = .dateTime
        case .time: self = .time
        case .blob, .none: return nil
        }
    }
}

/// The reason why a formula cannot be used.
struct FormulaFailure: Error {
    var message: String
    /// The position in characters, counted from 1.
    var column: Int
    /// The message of the used formula that has the failure, without its name; nil for a failure of the formula itself.
    var cause: String?
}
