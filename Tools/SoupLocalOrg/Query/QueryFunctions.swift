// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// The functions of fields that return one value of a row.
struct QueryFunctions {
    let scope: QueryScope

    private var source: QuerySource { scope.source }

    /// Returns the expression of a call; nil if it is no such function.
    func column(_ call: SOQLCall) throws -> QueryScope.Column? {
        if let wrapper = Wrapper(call) { return try applied(wrapper, to: argument(of: call), call) }
        if call.name.uppercased() == "DISTANCE" { return try distance(call) }
        return try DateFunctions(scope: scope).column(call)
    }

    // MARK: Functions that do not change the type of a field, or format it

    /// A function whose argument is a field or another such function.
    enum Wrapper: String {
        case toLabel = "TOLABEL"
        case format = "FORMAT"
        case convertCurrency = "CONVERTCURRENCY"
        case convertTimezone = "CONVERTTIMEZONE"

        init?(_ call: SOQLCall) { self.init(rawValue: call.name.uppercased()) }

        /// Returns the innermost field of nested calls.
        static func path(in call: SOQLCall) -> SOQLPath? {
            guard Wrapper(call) != nil, call.arguments.count == 1 else { return nil }
            switch call.arguments[0] {
            case .path(let path): return path
            case .call(let inner): return path(in: inner)
            case .value: return nil
            }
        }
    }

    private func argument(of call: SOQLCall) throws -> QueryScope.Column {
        if call.arguments.count == 1 {
            switch call.arguments[0] {
            case .path(let path): return try scope.column(path)
            case .call(let inner): if let column = try column(inner) { return column }
            case .value: break
            }
        }
        throw source.failure("MALFORMED_QUERY", "\(call.name) takes one field", at: call.position)
    }

    /// - Throws: ``OrgError`` if the function does not accept the column's type.
    func applied(
        _ wrapper: Wrapper, to column: QueryScope.Column, _ call: SOQLCall
    ) throws -> QueryScope.Column {
        switch wrapper {
        case .toLabel where column.type.storage == .text: return column
        case .convertCurrency where column.type == .currency: return column
        case .convertTimezone where column.type == .datetime: return column
        case .format:
            guard let style = FormattedValue.Style(column.type) else { return column }
            let sql = style == .dateTime ? source.zone.localSQL(column.sql) : column.sql
            return QueryScope.Column(
                sql: "\(FormattedValue.function)(\(sql), '\(style.rawValue)') COLLATE \(TextOrder.collation)",
                type: .string, field: nil)
        default:
            throw source.failure(
                "INVALID_FIELD", "\(call.name) is not valid for a field of type \(column.type.rawValue)",
                at: call.position)
        }
    }

    // MARK: Distances

    private func distance(_ call: SOQLCall) throws -> QueryScope.Column {
        guard call.arguments.count == 3, case .value(.string(let unit)) = call.arguments[2],
            let radius = ["mi": "3958.7613", "km": "6371.0088"][unit.lowercased()]
        else {
            throw source.failure(
                "MALFORMED_QUERY", "DISTANCE takes a location, a geolocation, and 'mi' or 'km'", at: call.position)
        }
        let places = try call.arguments.prefix(2).map { try place($0, call) }
        let arguments = (places + [radius]).joined(separator: ", ")
        return QueryScope.Column(sql: "\(GreatCircle.function)(\(arguments))", type: .double, field: nil)
    }

    /// Returns latitude and longitude as two SQL arguments.
    private func place(_ argument: SOQLCall.Argument, _ call: SOQLCall) throws -> String {
        switch argument {
        case .call(let inner) where inner.name.uppercased() == "GEOLOCATION" && inner.arguments.count == 2:
            let degrees = inner.arguments.compactMap { argument -> Double? in
                if case .value(.number(let text)) = argument { Double(text) } else { nil }
            }
            if degrees.count == 2, abs(degrees[0]) <= 90, abs(degrees[1]) <= 180 {
                return "\(degrees[0]), \(degrees[1])"
            }
        case .path(let path):
            let column = try scope.column(path)
            guard let field = column.field, field.isCompound else { break }
            let stops = try scope.stops(Array(scope.relative(path.names).dropLast()), path)
            let parts = ["Latitude", "Longitude"].compactMap { suffix in
                stops[0].object.parts(of: field).first {
                    $0.name.hasSuffix(suffix) || $0.name.hasSuffix(suffix + "__s")
                }
            }
            if parts.count == 2 { return parts.map { stops[0].column($0.name) }.joined(separator: ", ") }
        default: break
        }
        throw source.failure("INVALID_FIELD", "DISTANCE takes locations and geolocations", at: call.position)
    }
}
