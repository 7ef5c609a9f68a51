// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension FormulaCompiler {
    /// The supported functions.
    static let functions = ["AND", "BLANKVALUE", "IF", "ISBLANK", "NOT", "OR", "TEXT"]

    /// Compiles a call after its opening parenthesis.
    mutating func call(_ name: String, _ column: Int) throws(FormulaFailure) -> Part {
        var arguments: [Part] = []
        if try take(")") == nil {
            repeat { arguments.append(try expression()) } while try take(",") != nil
            guard try take(")") != nil else { throw failure("a \")\" or a comma is missing") }
        }
        let function = name.uppercased()
        if let count = Self.argumentCounts[function], arguments.count != count {
            throw FormulaFailure(
                message: "\(function) takes \(count) value\(count == 1 ? "" : "s"), and has \(arguments.count)",
                column: column)
        }
        switch function {
        case "AND": return try logical(arguments, .and, of: function, at: column)
        case "OR": return try logical(arguments, .or, of: function, at: column)
        case "NOT":
            try expect(.boolean, arguments[0], at: column)
            return try negated(arguments[0], column)
        case "IF":
            try expect(.boolean, arguments[0], at: column)
            let type = try common(arguments[1], arguments[2], at: column)
            return try chosen(if: arguments[0], arguments[1], else: arguments[2], type: type, at: column)
        case "ISBLANK": return try isBlank(arguments[0], at: column)
        case "BLANKVALUE":
            let type = try common(arguments[0], arguments[1], at: column)
            return try filled(arguments[0], or: arguments[1], type: type, at: column)
        case "TEXT": return try text(arguments[0], column)
        default: throw Self.unknown(name, at: column)
        }
    }

    /// The number of arguments of each function that has a fixed one.
    private static let argumentCounts = ["BLANKVALUE": 2, "IF": 3, "ISBLANK": 1, "NOT": 1, "TEXT": 1]

    private static func unknown(_ name: String, at column: Int) -> FormulaFailure {
        let nearest = NameDistance.nearest(to: name.uppercased(), in: functions)
        return FormulaFailure(
            message: "there is no function \"\(name)\""
                + (nearest.map { ": did you mean \($0)?" } ?? ": there are \(functions.joined(separator: ", "))"),
            column: column)
    }

    /// Combines all arguments of AND or OR.
    private func logical(
        _ arguments: [Part], _ kind: Row.Kind, of function: String, at column: Int
    ) throws(FormulaFailure) -> Part {
        guard var result = arguments.first else {
            throw FormulaFailure(message: "\(function) takes values, and has none", column: column)
        }
        try expect(.boolean, result, at: column)
        for argument in arguments.dropFirst() {
            result = try logical(result, kind, with: argument, at: column)
        }
        return result
    }

    private func isBlank(_ part: Part, at column: Int) throws(FormulaFailure) -> Part {
        try made(
            part.type == .text ? "(ifnull(\(part.sql), '') = '')" : "(\(part.sql) IS NULL)", type: .boolean,
            from: [part], isCertain: true, at: column)
    }

    /// Returns the common type of two alternative values.
    private func common(_ first: Part, _ second: Part, at column: Int) throws(FormulaFailure) -> FormulaType {
        if first.type == .blank { return second.type }
        guard second.type == first.type || second.type == .blank else {
            throw FormulaFailure(
                message: "both values must be of one kind, and they are a \(first.type.rawValue) and a "
                    + second.type.rawValue, column: column)
        }
        return first.type
    }

    private func text(_ part: Part, _ column: Int) throws(FormulaFailure) -> Part {
        switch part.type {
        case .text, .blank, .date, .time:
            return Part(sql: part.sql, type: .text, depth: part.depth, isCertain: part.isCertain && part.type == .text)
        case .number: return try made("\(FormulaFunctions.text)(\(part.sql))", type: .text, from: [part], at: column)
        case .dateTime:
            return try made(
                "strftime('%Y-%m-%d %H:%M:%SZ', \(part.sql) / 1000, 'unixepoch')", type: .text, from: [part], at: column
            )
        case .boolean:
            throw FormulaFailure(message: "TEXT takes no boolean: write IF(..., \"yes\", \"no\")", column: column)
        }
    }
}
