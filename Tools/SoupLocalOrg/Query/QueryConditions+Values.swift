// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupSalesforce
internal import SoupCore

extension QueryConditions {
    /// Returns a literal in the form of the column with which it is compared.
    ///
    /// - Throws: ``OrgError`` if the literal does not have the column's type.
    func operandValue(
        _ value: SOQLValue, for operand: Operand
    ) throws -> CellValue {
        let (column, position) = (operand.column, operand.position)
        if case .null = value { return .null }
        if case .field(let path) = value { return try fieldValue(path) }
        switch (column.type.storage, value) {
        case (.text, .string(let text)): return text.isEmpty ? .null : .text(text)
        case (.id, .string(let text)): return try id(text, position)
        case (.boolean, .bool(let value)): return .int(value ? 1 : 0)
        case (.int, .number(let text)), (.real, .number(let text)): return .real(Double(text) ?? 0)
        case (.real, .currency(let code, let text)):
            guard column.type == .currency, Self.currencies.contains(code.uppercased()) else {
                throw mismatch(operand, value)
            }
            return .real(Double(text) ?? 0)
        case (.date, .date(let text)):
            guard let date = OrgDate(text), (1700...4000).contains(date.year) else {
                throw source.failure("INVALID_FIELD", "invalid date: \(text)", at: position)
            }
            return .text(date.text)
        case (.dateTime, .dateTime(let date)):
            let time = date.millisecondsSince1970
            guard (1700...4000).contains(OrgDate(time).year) else {
                throw source.failure("INVALID_FIELD", "invalid date: \(DateText.format(time, zone: "Z"))", at: position)
            }
            return .int(time)
        case (.time, .time(let text)):
            return try FieldCoercion.cell(
                .string(text), for: OrgField(name: operand.name, label: operand.name, type: .time))
        default: throw mismatch(operand, value)
        }
    }

    /// The codes of currencies.
    private static let currencies = Set(Locale.commonISOCurrencyCodes)

    private func fieldValue(_ path: SOQLPath) throws -> CellValue {
        guard path.names.count == 2, path.names[0].lowercased() == "old", let value = old(path.names[1]) else {
            throw source.failure("MALFORMED_QUERY", "unexpected token: '\(path)'", at: path.position)
        }
        return value
    }

    private func id(_ text: String, _ position: SOQLPosition) throws -> CellValue {
        if let id = RecordID.normalized(text) { return .text(id) }
        if text.isEmpty && !caller.refusesEmptyIds { return .null }
        throw source.failure("INVALID_QUERY_FILTER_OPERATOR", "invalid ID field: \(text)", at: position)
    }

    private func mismatch(_ operand: Operand, _ value: SOQLValue) -> OrgError {
        let column = operand.column
        let type =
            switch column.type.storage {
            case .text: "string"
            case .id: "id"
            case .boolean: "boolean"
            case .int: "int"
            case .real: "double"
            case .date: "date"
            case .dateTime: "dateTime"
            case .time: "time"
            case .blob: "base64Binary"
            case .none: column.type.rawValue
            }
        let quotes =
            switch (column.type.storage, value) {
            case (.text, _), (.id, _): " and should be enclosed in quotes"
            case (_, .string): " and should not be enclosed in quotes"
            default: ""
            }
        return source.failure(
            "INVALID_FIELD", "value of filter criterion for field '\(operand.name)' must be of type \(type)\(quotes)",
            at: operand.position)
    }
}
