// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SchemaReader {
    /// The fields with the formulas that their descriptions give them.
    ///
    /// - Parameter problems: gains what is wrong with each, with its place.
    static func withFormulas(
        _ fields: [OrgField], of object: String, _ description: JSONValue, problems: inout [ConfigurationProblem]
    ) -> [OrgField] {
        let texts = Dictionary(
            (description["fields"]?.objectValue?.members ?? []).compactMap { name, json in
                json["formula"]?.stringValue.map { (name.lowercased(), $0) }
            }
        ) { first, _ in first }
        guard !texts.isEmpty else { return fields }
        let reader = FormulaReader(fields: fields, texts: texts)
        return fields.map { field in
            guard let text = texts[field.name.lowercased()] else { return field }
            var field = field
            do throws(FormulaFailure) {
                field.formula = Formula(text: text, sql: try reader.column(field, text))
            } catch {
                let place = error.column > 0 ? " at column \(error.column)" : ""
                let path: [ConfigurationStep] = [
                    .key("objects"), .key(object), .key("fields"), .key(field.name), .key("formula"),
                ]
                problems.append(
                    ConfigurationProblem(
                        at: Place(path: path.text), "the formula cannot be used\(place): \(error.message)",
                        hint: "Write it like IF(ISBLANK(Phone), Name, Name & \" \" & Phone)."))
            }
            return field
        }
    }
}

/// Reads the formulas of one object, of which one may use another.
private struct FormulaReader {
    let fields: [OrgField]
    /// The formulas by the names of their fields, in lower case.
    let texts: [String: String]
    /// The positions of fields by their names, in lower case.
    private let positions: [String: Int]
    /// How many formulas in a row may use the one before.
    private static let longestRow = 30

    init(fields: [OrgField], texts: [String: String]) {
        self.fields = fields
        self.texts = texts
        positions = Dictionary(fields.enumerated().map { ($1.name.lowercased(), $0) }) { first, _ in first }
    }

    /// The SQL of a formula field's column.
    func column(_ field: OrgField, _ text: String) throws(FormulaFailure) -> String {
        func refuse(_ message: String) -> FormulaFailure { FormulaFailure(message: message, column: 0) }
        guard !field.isUnique, !field.isExternalId, !field.isIdLookup, !field.isNameField, field.autonumber == nil
        else {
            throw refuse("a formula is neither unique nor an external id, nor a name")
        }
        guard text.utf8.count <= 3900 else { throw refuse("it is longer than 3900 characters") }
        let part = try part(of: field, text, within: [], nesting: 0)
        let wanted: FormulaType? =
            switch field.type {
            case .double, .currency, .percent, .int: .number
            case .string, .textarea: .text
            case .boolean: .boolean
            case .date: .date
            case .datetime: .dateTime
            default: nil
            }
        guard let wanted else { throw refuse("a field of the type \(field.type.rawValue) cannot be a formula") }
        guard part.type == wanted || part.type == .blank else {
            throw refuse("it makes a \(part.type.rawValue), and the field is a \(field.type.rawValue)")
        }
        switch wanted {
        case .number:
            let number = "\(FormulaFunctions.number)(\(part.sql), \(field.type == .int ? 0 : field.scale))"
            return field.type == .int ? "CAST(\(number) AS INTEGER)" : number
        case .boolean: return "ifnull(\(part.sql), 0)"
        // An empty text is none.
        case .text: return "nullif(\(part.sql), '')"
        default: return part.sql
        }
    }

    /// - Parameters:
    ///   - users: the formulas that are being read, each for the one before.
    ///   - nesting: how deep in them the formula is.
    private func part(
        of field: OrgField, _ text: String, within users: [String], nesting: Int
    ) throws(FormulaFailure) -> FormulaCompiler.Part {
        let users = users + [field.name]
        return try FormulaCompiler.compile(text, nesting: nesting) {
            (name, nesting) throws(FormulaCompiler.FormulaFailureReason) in
            try self.value(of: name, within: users, nesting: nesting)
        }
    }

    private func value(
        of name: String, within users: [String], nesting: Int
    ) throws(FormulaCompiler.FormulaFailureReason) -> FormulaCompiler.Part {
        typealias Reason = FormulaCompiler.FormulaFailureReason
        guard !name.utf8.contains(UInt8(ascii: ".")) else {
            throw Reason(message: "\"\(name)\" is of another record, and a formula reads those of its own")
        }
        guard let field = positions[name.lowercased()].map({ fields[$0] }) else {
            let nearest = NameDistance.nearest(to: name, in: fields.map(\.name))
            throw Reason(
                message: "there is no field \"\(name)\"" + (nearest.map { ": did you mean \($0)?" } ?? ""))
        }
        guard let type = FormulaType(field) else {
            throw Reason(message: "\(field.name) has no value of its own: use its parts")
        }
        guard let text = texts[field.name.lowercased()] else {
            let column = "\"\(field.name)\""
            // As a number with a fraction, so that a half is no zero.
            return FormulaCompiler.Part(
                sql: field.type.storage == .int ? "CAST(\(column) AS REAL)" : column, type: type)
        }
        guard !users.contains(field.name) else {
            throw Reason(message: "\((users + [field.name]).joined(separator: " uses ")): a formula cannot use itself")
        }
        guard users.count < Self.longestRow else {
            throw Reason(message: "formulas use each other in a row of more than \(Self.longestRow)")
        }
        do throws(FormulaFailure) {
            var part = try self.part(of: field, text, within: users, nesting: nesting)
            if type == .number {
                // What is in a call's own parentheses needs no others.
                let sum = part.row?.kind == .sum ? part.row?.terms : nil
                part.sql = "\(FormulaFunctions.number)(\(sum ?? part.sql), \(field.scale))"
                (part.row, part.isCertain) = (nil, false)
            }
            return part
        } catch {
            // In a row of them the first one that is used says enough.
            let first = users.count == 1 ? "the formula of \(field.name) cannot be used: " : ""
            throw Reason(message: first + error.message)
        }
    }
}
