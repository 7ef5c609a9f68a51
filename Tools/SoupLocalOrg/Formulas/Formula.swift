// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A formula field's expression, compiled to SQL over the columns of its row.
struct Formula: Sendable, Hashable {
    /// As its author wrote it.
    var text: String
    /// The expression of the column that SQLite computes when a row is read.
    var sql: String
}

/// What a part of a formula is.
enum FormulaType: String {
    case number, text, boolean, date
    case dateTime = "datetime"
    case time
    /// `NULL`, which fits everywhere.
    case blank

    /// The type of a field's values; nil for fields without.
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

/// Why a formula cannot be used.
struct FormulaFailure: Error {
    var message: String
    /// Where, counted in characters from 1.
    var column: Int
    /// The message without the name of the formula that is used and has the failure; nil for one that has its own.
    var cause: String?
}
