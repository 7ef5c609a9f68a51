// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Compiles the formulas of one object, which may use each other.
///
/// Each is compiled once, after those that it uses. Compiling it again for each of its users would take minutes for a
/// few long chains.
final class FormulaReader {
    private typealias Part = FormulaCompiler.Part
    private typealias Reason = FormulaCompiler.FormulaFailureReason

    /// The result of compiling a formula.
    private enum Outcome {
        /// - Parameter row: the length of the longest chain of formulas that ends with it.
        case part(FormulaCompiler.Part, row: Int)
        case failure(FormulaFailure)
    }

    private let fields: [OrgField]
    /// The formulas by the names of their fields, in lower case.
    private let texts: [String: String]
    /// The positions of fields by their names, in lower case.
    private let positions: [String: Int]
    /// The compiled formulas by the names of their fields, in lower case.
    private var outcomes: [String: Outcome] = [:]
    /// The maximum length of a chain of formulas.
    private static let longestRow = 30

    init(fields: [OrgField], texts: [String: String]) {
        self.fields = fields
        self.texts = texts
        positions = Dictionary(fields.enumerated().map { ($1.name.lowercased(), $0) }) { first, _ in first }
        for name in FormulaOrder(texts).names {
            guard let field = positions[name].map({ fields[$0] }), let text = texts[name] else { continue }
            outcomes[name] = outcome(of: field, text, within: [], nesting: 0)
        }
    }

    /// Returns the SQL of a formula field's column.
    func column(_ field: OrgField, _ text: String) throws(FormulaFailure) -> String {
        func refuse(_ message: String) -> FormulaFailure { FormulaFailure(message: message, column: 0) }
        guard !field.isUnique, !field.isExternalId, !field.isIdLookup, !field.isNameField, field.autonumber == nil
        else {
            throw refuse("a formula is neither unique nor an external id, nor a name")
        }
        let part: Part
        switch outcomes[field.name.lowercased()] ?? outcome(of: field, text, within: [], nesting: 0) {
        case .part(let read, _): part = read
        case .failure(let failure): throw failure
        }
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
            throw refuse("the formula returns a \(part.type.rawValue), and the field is a \(field.type.rawValue)")
        }
        switch wanted {
        case .number:
            let number = "\(FormulaFunctions.number)(\(part.sql), \(field.type == .int ? 0 : field.scale))"
            return field.type == .int ? "CAST(\(number) AS INTEGER)" : number
        case .boolean: return "ifnull(\(part.sql), 0)"
        // An empty text is null.
        case .text: return "nullif(\(part.sql), '')"
        default: return part.sql
        }
    }

    /// The longest text of a formula, in bytes.
    static let longest = 3900

    /// - Parameters:
    /// - users: the formulas that are being compiled, each used by the previous one.
    /// - nesting: the depth of the formula in them.
    private func outcome(
        of field: OrgField, _ text: String, within users: [String], nesting: Int
    ) -> Outcome {
        guard text.utf8.count <= Self.longest else {
            return .failure(FormulaFailure(message: "it is longer than \(Self.longest) characters", column: 0))
        }
        let users = users + [field.name]
        var longest = 0
        do throws(FormulaFailure) {
            let part = try FormulaCompiler.compile(text, nesting: nesting) {
                (name, nesting) throws(FormulaCompiler.FormulaFailureReason) in
                let (part, row) = try self.value(of: name, within: users, nesting: nesting)
                longest = max(longest, row)
                return part
            }
            return .part(part, row: longest + 1)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the field with a name in a formula, and its type.
    private func usable(_ name: String) throws(FormulaCompiler.FormulaFailureReason) -> (OrgField, FormulaType) {
        guard !name.utf8.contains(UInt8(ascii: ".")) else {
            throw Reason(message: "\"\(name)\" is a field of another record: use fields of the record itself")
        }
        guard let field = positions[name.lowercased()].map({ fields[$0] }) else {
            let nearest = NameDistance.nearest(to: name, in: fields.map(\.name))
            throw Reason(
                message: "there is no field \"\(name)\"" + (nearest.map { ": did you mean \($0)?" } ?? ""))
        }
        guard let type = FormulaType(field) else {
            throw Reason(message: "\(field.name) has no value of its own: use its parts")
        }
        return (field, type)
    }

    /// Returns the part of a field in a formula, and the length of its chain of formulas.
    private func value(
        of name: String, within users: [String], nesting: Int
    ) throws(FormulaCompiler.FormulaFailureReason) -> (FormulaCompiler.Part, row: Int) {
        let (field, type) = try usable(name)
        guard let text = texts[field.name.lowercased()] else {
            let column = "\"\(field.name)\""
            // A floating-point number, so that a division has a fraction.
            let sql = field.type.storage == .int ? "CAST(\(column) AS REAL)" : column
            return (FormulaCompiler.Part(sql: sql, type: type), 0)
        }
        guard !users.contains(field.name) else {
            throw Reason(message: "\((users + [field.name]).joined(separator: " uses ")): a formula cannot use itself")
        }
        func isTooLong(_ row: Int) -> Bool { users.count + row > Self.longestRow }
        let tooLong = Reason(message: "formulas use each other in a row of more than \(Self.longestRow)")
        if isTooLong(1) { throw tooLong }
        switch outcomes[field.name.lowercased()] ?? outcome(of: field, text, within: users, nesting: nesting) {
        case .part(var part, let row):
            if isTooLong(row) { throw tooLong }
            if type == .number {
                // An argument of a call needs no parentheses of its own.
                let sum = part.row?.kind == .sum ? part.row?.terms : nil
                part.sql = "\(FormulaFunctions.number)(\(sum ?? part.sql), \(field.scale))"
                (part.row, part.isCertain) = (nil, false)
            }
            return (part, row)
        case .failure(let failure):
            // In a chain the message of the first used formula is sufficient.
            let cause = failure.cause ?? failure.message
            throw Reason(message: "the formula of \(field.name) cannot be used: \(cause)", cause: cause)
        }
    }
}

/// The formulas of an object in an order in which each follows those that it uses.
private struct FormulaOrder {
    /// The names of their fields, in lower case, without formulas that are part of a cycle or use one.
    let names: [String]

    /// - Parameter texts: the formulas by the names of their fields, in lower case.
    init(_ texts: [String: String]) {
        var users: [String: [String]] = [:]
        var missing: [String: Int] = [:]
        for (name, text) in texts {
            let used = Self.names(in: text).filter { texts[$0] != nil }
            missing[name] = used.count
            for other in used { users[other, default: []].append(name) }
        }
        var order = texts.keys.filter { missing[$0] == 0 }
        var done = 0
        while done < order.count {
            for user in users[order[done]] ?? [] {
                let left = (missing[user] ?? 0) - 1
                missing[user] = left
                if left == 0 { order.append(user) }
            }
            done += 1
        }
        names = order
    }

    /// Returns the names of the fields that a formula uses, in lower case, up to the first error.
    private static func names(in text: String) -> Set<String> {
        guard text.utf8.count <= FormulaReader.longest else { return [] }
        var scanner = FormulaScanner(text)
        var names: Set<String> = []
        var last: String?
        while let (token, _) = try? scanner.next(), token != .end {
            if let last, token != .symbol("(") { names.insert(last) }
            last = nil
            if case .name(let name) = token { last = name.lowercased() }
        }
        if let last { names.insert(last) }
        return names
    }
}
