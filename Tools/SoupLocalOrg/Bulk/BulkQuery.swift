// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// A query as jobs run it: each row is a line of plain columns.
struct BulkQuery {
    let plan: QueryPlan
    /// The columns in the order of the select list; a parent's field is named by its path.
    let columns: [(header: String, type: OrgFieldType, column: Int)]
    /// Whether a server could split the query by the records' IDs.
    let isChunkable: Bool

    /// - Throws: ``OrgError`` for queries that the REST API rejects, and for those that only jobs reject.
    init(_ text: String, schema: OrgSchema, caller: QueryCaller) throws {
        // Errors of the query are reported as for other queries.
        let (query, compiler) = try QueryCompiler.parsed(text, schema: schema, caller: caller)
        guard case .rows(let plan) = try compiler.compile(query) else {
            throw Self.refused("Aggregate Relationships not supported in Bulk Query")
        }
        self.plan = plan
        if query.offset != nil { throw Self.refused("OFFSET not supported in Bulk Query") }
        for item in query.items {
            switch item {
            case .child: throw Self.refused("Nested queries not supported in Bulk Query")
            case .typeOf: throw Self.refused("TYPEOF not supported in Bulk Query")
            case .call(let call, _) where call.name.lowercased() == "fields":
                throw Self.refused("FIELDS functions not supported in Bulk Query")
            case .call, .path: break
            }
        }
        isChunkable = query.limit == nil && query.order.isEmpty
        columns = try Self.ordered(Self.leaves(of: plan.items, under: []), by: query.items)
    }

    private static func refused(_ message: String) -> OrgError {
        OrgError(400, "FUNCTIONALITY_NOT_ENABLED", message: message)
    }

    private typealias Column = (header: String, type: OrgFieldType, column: Int)

    /// Returns the values of a row, at any depth.
    private static func leaves(of items: [OutputItem], under path: [String]) throws -> [Column] {
        var found: [Column] = []
        for item in items {
            switch item {
            case .value(_, .base64, _): throw refused("Selecting base64 data not supported in Bulk Query")
            case .value(let key, let type, let column):
                found.append(((path + [name(key)]).joined(separator: "."), type, column))
            case .parent(let key, _, _, let items): found += try leaves(of: items, under: path + [name(key)])
            case .address: throw refused("Selecting compound data not supported in Bulk Query")
            default: throw refused("Nested queries not supported in Bulk Query")
            }
        }
        return found
    }

    /// Returns the name in a key, which is written as `"Name":`.
    private static func name(_ key: [UInt8]) -> String { String(decoding: key.dropFirst().dropLast(2), as: UTF8.self) }

    /// Sorts columns by the select list: in a row the values of one parent are adjacent.
    private static func ordered(_ columns: [Column], by items: [SOQLSelectItem]) -> [Column] {
        var rest = columns
        var ordered: [Column] = []
        var unnamed = 0
        for item in items {
            let wanted: [String]
            switch item {
            case .path(let path, let alias): wanted = names(of: path) + [alias ?? ""]
            case .call(_, let alias?): wanted = [alias]
            case .call(let call, nil):
                // A function that formats a field has the field's name, every other function a number.
                if let path = QueryFunctions.Wrapper.path(in: call) {
                    wanted = names(of: path) + ["expr\(unnamed)"]
                } else {
                    wanted = ["expr\(unnamed)"]
                    unnamed += 1
                }
            case .child, .typeOf: continue
            }
            let place = wanted.lazy.compactMap { name in
                rest.firstIndex { $0.header.lowercased() == name.lowercased() }
            }.first
            if let place { ordered.append(rest.remove(at: place)) }
        }
        return ordered + rest
    }

    /// Returns the names that the column of a path may have: the path with or without the name of its object.
    private static func names(of path: SOQLPath) -> [String] {
        path.names.indices.map { path.names[$0...].joined(separator: ".") }
    }

    // MARK: Running

    /// Rejects a query that the database cannot run, before a job is created for it.
    ///
    /// - Throws: as ``rows(_:)``.
    func check(_ context: OrgContext) throws {
        try context.queries.mappingErrors {
            _ = try context.db.statement(plan.find.text, plan.find.values)
            _ = try context.db.statement(plan.read, [QueryRowWriter.json([Int64]())])
        }
    }

    /// Returns the rows, in order.
    ///
    /// - Throws: ``OrgError`` for a query that is too complex.
    func rows(_ context: OrgContext) throws -> [Int64] {
        try context.queries.mappingErrors {
            var rows: [Int64] = []
            try context.db.statement(plan.find.text, plan.find.values).forEach { rows.append($0.int(0)) }
            return rows
        }
    }

    /// Returns the rows as CSV, with a header.
    ///
    /// - Parameter zone: the end of datetimes: `+0000` or `Z`.
    /// - Throws: as ``rows(_:)``.
    func result(of rows: [Int64], format: CSVFormat, zone: String, in context: OrgContext) throws -> BulkResult {
        var header = CSVWriter(format)
        header.line(columns.map(\.header))
        var writer = CSVWriter(format)
        var ends: [Int] = []
        ends.reserveCapacity(rows.count)
        for start in stride(from: 0, to: rows.count, by: 2000) {
            let page = rows[start..<min(start + 2000, rows.count)]
            try context.queries.mappingErrors {
                try context.db.statement(plan.read, [QueryRowWriter.json(page)]).forEach { row in
                    for (_, type, column) in columns {
                        Self.append(row, column: column, type: type, zone: zone, to: &writer)
                    }
                    writer.endLine()
                    ends.append(writer.bytes.count)
                }
            }
        }
        return BulkResult(header: header.bytes, lines: writer.bytes, ends: ends)
    }

    /// Appends a value in the form of CSV; an empty field for null.
    private static func append(
        _ row: OrgStatement, column: Int, type: OrgFieldType, zone: String, to writer: inout CSVWriter
    ) {
        if row.isNull(column) { return writer.append("") }
        switch type.storage {
        case .text, .id, .date, .time, .blob, .none: row.withBytes(column) { writer.append($0) }
        case .boolean: writer.append(row.int(column) != 0 ? "true" : "false")
        case .int: writer.append(String(row.int(column)))
        case .real: writer.append(Self.number(row.double(column)))
        case .dateTime: writer.append(DateText.format(row.int(column), zone: zone))
        }
    }

    /// Returns a number, always with a fraction: `300.0`.
    private static func number(_ number: Double) -> String {
        guard let whole = Int64(exactly: number), whole.magnitude < 1 << 53 else {
            return (number.isFinite ? number : 0).description
        }
        return "\(whole).0"
    }
}

/// The lines that a query found when it ran.
struct BulkResult: Sendable {
    var header: [UInt8]
    var lines: [UInt8]
    /// The end of each line in ``lines``.
    var ends: [Int]

    var count: Int { ends.count }

    /// Returns the header and a range of the lines.
    func page(_ range: Range<Int>) -> [UInt8] {
        let range = range.clamped(to: 0..<count)
        guard let last = range.last else { return header }
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
        return header + lines[start..<ends[last]]
    }
}
