// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// The functions that extract a part of a date.
struct DateFunctions {
    let scope: QueryScope

    /// Returns the expression of a call; nil if it is no such function.
    func column(_ call: SOQLCall) throws -> QueryScope.Column? {
        guard let format = Self.parts[call.name.uppercased()] else { return nil }
        guard let column = try argument(of: call) else {
            throw scope.source.failure("MALFORMED_QUERY", "\(call.name) takes one field", at: call.position)
        }
        let day: String
        switch column.type {
        case .date: day = "julianday(\(column.sql))"
        case .datetime: day = "(\(column.sql) / 86400000.0 + 2440587.5)"
        default:
            throw scope.source.failure("INVALID_FIELD", "\(call.name) takes a date or a datetime", at: call.position)
        }
        if call.name.uppercased() == "DAY_ONLY" {
            return QueryScope.Column(sql: "date(\(day))", type: .date, field: nil)
        }
        let sql: String
        switch call.name.uppercased() {
        case "CALENDAR_QUARTER", "FISCAL_QUARTER":
            sql = "((CAST(strftime('%m', \(day)) AS INTEGER) + 2) / 3)"
        case "DAY_IN_WEEK": sql = "(CAST(strftime('%w', \(day)) AS INTEGER) + 1)"
        case "WEEK_IN_YEAR": sql = "((CAST(strftime('%j', \(day)) AS INTEGER) + 6) / 7)"
        case "WEEK_IN_MONTH": sql = "((CAST(strftime('%d', \(day)) AS INTEGER) + 6) / 7)"
        default: sql = "CAST(strftime('\(format)', \(day)) AS INTEGER)"
        }
        return QueryScope.Column(sql: sql, type: .int, field: nil)
    }

    /// Returns the field from which a call extracts a part of the date, also within another function; nil for other
    /// calls.
    static func path(in call: SOQLCall) -> SOQLPath? {
        let isPart = parts[call.name.uppercased()] != nil
        for argument in call.arguments {
            switch argument {
            case .path(let path) where isPart: return path
            case .call(let inner):
                if let path = isPart ? QueryFunctions.Wrapper.path(in: inner) : Self.path(in: inner) { return path }
            default: break
            }
        }
        return nil
    }

    private func argument(of call: SOQLCall) throws -> QueryScope.Column? {
        guard call.arguments.count == 1 else { return nil }
        switch call.arguments[0] {
        case .path(let path): return try scope.column(path)
        case .call(let inner) where QueryFunctions.Wrapper(inner) == .convertTimezone:
            guard var column = try QueryFunctions(scope: scope).column(inner) else { return nil }
            column.sql = scope.source.zone.localSQL(column.sql)
            return column
        default: return nil
        }
    }

    /// The functions, with SQLite's name of the part if it has one.
    private static let parts = [
        "CALENDAR_YEAR": "%Y", "FISCAL_YEAR": "%Y", "CALENDAR_MONTH": "%m", "FISCAL_MONTH": "%m", "DAY_IN_MONTH": "%d",
        "DAY_IN_YEAR": "%j", "HOUR_IN_DAY": "%H", "DAY_ONLY": "", "CALENDAR_QUARTER": "", "FISCAL_QUARTER": "",
        "DAY_IN_WEEK": "", "WEEK_IN_YEAR": "", "WEEK_IN_MONTH": "",
    ]
}
