// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Converts the JSON values of clients to the values of columns.
enum FieldCoercion {
    /// Converts a value.
    ///
    /// - Throws: ``OrgError`` with `JSON_PARSER_ERROR` if the value has the wrong type or form for the field.
    static func cell(_ value: JSONValue, for field: OrgField) throws -> CellValue {
        if value.isNull { return field.type == .boolean ? try mismatch(value, field) : .null }
        switch field.type.storage {
        case .text, .id: return try text(value, field)
        case .boolean: return try boolean(value, field)
        case .int, .real: return try number(value, field)
        case .date: return try date(value, field)
        case .dateTime: return try dateTime(value, field)
        case .time: return try time(value, field)
        case .blob: return try blob(value, field)
        case .none: return .null
        }
    }

    private static func text(_ value: JSONValue, _ field: OrgField) throws -> CellValue {
        guard let text = value.stringValue else { return try mismatch(value, field) }
        guard !text.utf8.contains(0) else {
            throw OrgError.badJSON("Illegal character (NULL, unicode 0) in the value of \(field.name)")
        }
        let trimmed = trim(text)
        if trimmed.isEmpty { return .null }
        if field.type == .multipicklist { return choice(choices(trimmed), of: field) }
        return .text(field.type.storage == .id ? RecordID.normalized(trimmed) ?? trimmed : trimmed)
    }

    /// Returns a text without surrounding white space, which the org does not store.
    private static func trim(_ text: String) -> String {
        func isSpace(_ scalar: Unicode.Scalar?) -> Bool { scalar?.properties.isWhitespace == true }
        var scalars = text.unicodeScalars[...]
        guard isSpace(scalars.first) || isSpace(scalars.last) else { return text }
        while isSpace(scalars.first) { scalars.removeFirst() }
        while isSpace(scalars.last) { scalars.removeLast() }
        return String(scalars)
    }

    /// Returns the values of a multipicklist, `a;b`.
    static func choices(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: ";")).map { trim(String(decoding: $0, as: UTF8.self)) }
            .filter { !$0.isEmpty }
    }

    /// Returns several values as they are stored: each once, in the order of the field's list, unknown ones last.
    private static func choice(_ choices: [String], of field: OrgField) -> CellValue {
        let known = field.picklist.filter(choices.contains)
        var unknown: [String] = []
        for choice in choices where !known.contains(choice) && !unknown.contains(choice) { unknown.append(choice) }
        let kept = known + unknown
        return kept.isEmpty ? .null : .text(kept.joined(separator: ";"))
    }

    /// Returns bytes as Base64, without line breaks and with padding.
    private static func blob(_ value: JSONValue, _ field: OrgField) throws -> CellValue {
        guard let text = value.stringValue else { return try mismatch(value, field) }
        guard let bytes = Base64.decoded(text) else { return try mismatch(value, field) }
        return bytes.isEmpty ? .null : .text(Base64.encoded(bytes))
    }

    private static func boolean(_ value: JSONValue, _ field: OrgField) throws -> CellValue {
        switch value {
        case .bool(let value): .int(value ? 1 : 0)
        case .string(let text) where text.lowercased() == "true": .int(1)
        case .string(let text) where text.lowercased() == "false": .int(0)
        default: try mismatch(value, field)
        }
    }

    private static func number(_ value: JSONValue, _ field: OrgField) throws -> CellValue {
        if case .string(let text) = value, trim(text).isEmpty { return .null }
        let number = value.doubleValue ?? value.stringValue.flatMap { decimal(trim($0)) }
        guard let number, number.isFinite else { return try mismatch(value, field) }
        if field.type.storage == .int {
            guard abs(number) < 9.0e15 else { return try mismatch(value, field) }
            return .int(Int64(number.rounded(.toNearestOrAwayFromZero)))
        }
        return .real(rounded(number, scale: field.scale))
    }

    /// Returns the number in a text of decimal digits; nil for `0x10` and `nan`.
    private static func decimal(_ text: String) -> Double? {
        text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } ? Double(text) : nil
    }

    static func rounded(_ number: Double, scale: Int) -> Double {
        let digits = min(max(scale, 0), 15)
        let factor = (0..<digits).reduce(1.0) { product, _ in product * 10 }
        // The shift is decimal: 1.005 is rounded to 1.01, though no binary number is exactly 1.005.
        let scaled = Double("\(number)e\(digits)") ?? number * factor
        return abs(scaled) < 9.0e15 ? scaled.rounded(.toNearestOrAwayFromZero) / factor : number
    }

    private static func date(_ value: JSONValue, _ field: OrgField) throws -> CellValue {
        guard let text = value.stringValue else { return try mismatch(value, field) }
        if text.isEmpty { return .null }
        guard let date = OrgDate(text.prefix(10)), text.utf8.count == 10 || DateText.milliseconds(text) != nil else {
            return try mismatch(value, field)
        }
        return .text(date.text)
    }

    private static func dateTime(_ value: JSONValue, _ field: OrgField) throws -> CellValue {
        guard let text = value.stringValue else { return try mismatch(value, field) }
        if text.isEmpty { return .null }
        if text.utf8.count == 10, let date = OrgDate(text) { return .int(date.start) }
        guard OrgDate(text.prefix(10)) != nil, let time = DateText.milliseconds(text) else {
            return try mismatch(value, field)
        }
        // Truncated to whole seconds, also before 1970.
        return .int(time - (time % 1000 + 1000) % 1000)
    }

    private static func time(_ value: JSONValue, _ field: OrgField) throws -> CellValue {
        guard let text = value.stringValue else { return try mismatch(value, field) }
        let plain = text.hasSuffix("Z") ? String(text.dropLast()) : text
        guard let time = DateText.milliseconds("1970-01-01T\(plain)Z"), (0..<86_400_000).contains(time) else {
            return try mismatch(value, field)
        }
        return .text(String(DateText.format(time, zone: "Z").dropFirst(11)))
    }

    private static func mismatch(_ value: JSONValue, _ field: OrgField) throws -> CellValue {
        let token =
            switch value {
            case .null: "VALUE_NULL"
            case .bool(let value): value ? "VALUE_TRUE" : "VALUE_FALSE"
            case .int: "VALUE_NUMBER_INT"
            case .double: "VALUE_NUMBER_FLOAT"
            case .number(let number): number.isPlainInteger ? "VALUE_NUMBER_INT" : "VALUE_NUMBER_FLOAT"
            case .string: "VALUE_STRING"
            case .array: "START_ARRAY"
            case .object: "START_OBJECT"
            }
        let shown = value.stringValue ?? value.description
        throw OrgError.badJSON(
            "Cannot deserialize instance of \(typeName(field)) from \(token) value \(shown.prefix(200)) or request may "
                + "be missing a required field at [line:1, column:1]")
    }

    private static func typeName(_ field: OrgField) -> String {
        switch field.type.storage {
        case .text, .id, .none: "string"
        case .blob: "base64"
        case .boolean: "boolean"
        case .int: "int"
        case .real: field.type == .currency ? "currency" : "double"
        case .date: "date"
        case .dateTime: "datetime"
        case .time: "time"
        }
    }
}
