// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A value of a database column.
///
/// Datetimes are milliseconds since 1970, booleans 0 and 1, dates, times and IDs text.
enum CellValue: Sendable, Hashable {
    case null
    case int(Int64)
    case real(Double)
    case text(String)

    var isNull: Bool { if case .null = self { true } else { false } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var int: Int64? { if case .int(let value) = self { value } else { nil } }

    var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
