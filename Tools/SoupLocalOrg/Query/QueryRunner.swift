// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Runs queries and returns their results a page at a time.
struct QueryRunner {
    let context: OrgContext

    /// Runs `body`; a query that SQLite rejects as too complex is reported in the form of the API.
    func mappingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SoupError where error.code == .sql {
            throw OrgError(400, "QUERY_TOO_COMPLICATED", message: "The query is too complicated: \(error.message)")
        }
    }

    /// Runs a query and returns its first page.
    ///
    /// - Parameter pageSize: the page size that the request asks for.
    func run(_ text: String, seesDeleted: Bool, pageSize: Int?) throws -> OrgAnswer {
        try mappingErrors {
            let caller = context.caller(seesDeleted: seesDeleted)
            switch try QueryCompiler.compile(text, schema: context.schema, caller: caller) {
            case .count(let sql):
                let count = try context.db.statement(sql.text, sql.values).first { $0.int(0) } ?? 0
                return OrgAnswer(["totalSize": .int(count), "done": true, "records": []])
            case .groups(let plan): return try groups(plan)
            case .rows(let plan):
                var rows: [Int64] = []
                try context.db.statement(plan.find.text, plan.find.values).forEach { rows.append($0.int(0)) }
                return try page(of: plan, rows: rows, from: 0, locator: nil, pageSize: pageSize ?? 2000)
            }
        }
    }

    /// Returns the next page of a query.
    ///
    /// - Parameter segment: `<locator>-<offset>`.
    /// - Throws: ``OrgError`` with `INVALID_QUERY_LOCATOR` for an unknown or expired locator.
    func nextPage(_ segment: String, pageSize: Int?) throws -> OrgAnswer {
        let org = context.org
        let parts = segment.split(separator: "-", maxSplits: 1)
        guard let locator = parts.first.map(String.init),
            let cursor = org.cursors.take(locator, now: org.clock.now, options: context.options),
            let offset = parts.count == 2 ? Int(parts[1]) : 0, (0..<max(1, cursor.rows.count)).contains(offset),
            context.faults.cursorPages.map({ cursor.pages <= $0 }) ?? true
        else { throw OrgError(400, "INVALID_QUERY_LOCATOR", message: "invalid query locator") }
        let wanted = pageSize ?? cursor.pageSize
        let size = min(wanted, org.options.maximumPageSize, context.pageLimit ?? .max)
        if let kept = cursor.kept {
            let end = min(offset + max(1, size), kept.count)
            let next = end < kept.count ? "\(context.apiPath)/query/\(locator)-\(end)" : nil
            return OrgAnswer(Self.envelope(kept[offset..<end].map { $0[...] }, total: kept.count, next: next))
        }
        return try page(of: cursor.plan, rows: cursor.rows, from: offset, locator: locator, pageSize: wanted)
    }

    /// Returns a page: the rows from an offset on, until rows and children together fill it.
    private func page(
        of plan: QueryPlan, rows: [Int64], from offset: Int, locator: String?, pageSize: Int
    ) throws -> OrgAnswer {
        let size = min(pageSize, context.org.options.maximumPageSize, context.pageLimit ?? .max)
        let writer = context.reader.writer
        var shown = Array(rows[min(offset, rows.count)...].prefix(max(1, size)))
        var children = try plan.children.map { try writer.childSets(of: $0.plan, shown) }
        let fitting = Self.rowsFitting(in: size, of: shown.count, children: children)
        if fitting < shown.count {
            shown = Array(shown.prefix(fitting))
            children = children.map { Array($0.prefix(fitting)) }
        }
        let written = try writer.write(plan, shown, children: children, limit: max(1, size)) { plan, rows, start in
            let locator = keep(plan, rows: rows, pageSize: pageSize)
            return "\(context.apiPath)/query/\(locator)-\(start)"
        }
        if plan.isForView || plan.isForReference { try context.reader.noteRead(plan, shown) }
        let end = offset + shown.count
        var next: String?
        if end < rows.count {
            next = "\(context.apiPath)/query/\(locator ?? keep(plan, rows: rows, pageSize: pageSize))-\(end)"
        }
        return OrgAnswer(
            Self.envelope(written.ranges.indices.compactMap(written.bytes), total: rows.count, next: next))
    }

    /// Keeps a query for its later pages and returns its locator.
    private func keep(_ plan: QueryPlan, rows: [Int64], pageSize: Int) -> String {
        let org = context.org
        var cursor = OrgQueryCursor(plan: plan, rows: rows, pageSize: pageSize, created: org.clock.now)
        if org.options.cursorsKeepRows {
            var writer = context.reader.writer
            writer.noteRead = { _, _ in }
            let written = try? writer.write(plan, rows, limit: .max) { _, _, _ in "" }
            cursor.kept = written.map { written in
                written.ranges.indices.compactMap { written.bytes($0).map(Array.init) }
            }
        }
        return org.cursors.keep(cursor, now: org.clock.now, options: org.options)
    }

    /// Returns how many of the first rows fit on a page when their children count too; at least one.
    private static func rowsFitting(in size: Int, of count: Int, children: [[QueryRowWriter.ChildSet]]) -> Int {
        var used = 0
        for index in 0..<count {
            used += 1 + children.reduce(0) { $0 + min($1[index].rows.count, size) }
            if used > size { return max(1, index) }
        }
        return count
    }

    private static func envelope(_ rows: [ArraySlice<UInt8>], total: Int, next: String?) -> JSONOutput {
        var output = JSONOutput()
        output.reserve(rows.reduce(200) { $0 + $1.count + 1 })
        output.append("{\"totalSize\":")
        output.append(total)
        output.append(next == nil ? ",\"done\":true" : ",\"done\":false,\"nextRecordsUrl\":")
        if let next { output.append(json: .string(next)) }
        output.append(",\"records\":[")
        for (index, row) in rows.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append(row)
        }
        output.append("]}")
        return output
    }

    private func groups(_ plan: AggregatePlan) throws -> OrgAnswer {
        var records = JSONOutput()
        var count = 0
        try context.db.statement(plan.sql.text, plan.sql.values).forEach { row in
            if count > 0 { records.append(UInt8(ascii: ",")) }
            count += 1
            guard count <= 2000 else { return }
            records.append("{\"attributes\":{\"type\":\"AggregateResult\"}")
            for (index, column) in plan.columns.enumerated() {
                records.append(UInt8(ascii: ","))
                records.append(column.key)
                records.append(row, column: index, type: column.type)
            }
            records.append(UInt8(ascii: "}"))
        }
        if count > 2000 {
            throw OrgError(
                400, "EXCEEDED_ID_LIMIT",
                message:
                    "Aggregate query does not support queryMore(), use LIMIT to restrict the results to a single batch")
        }
        var output = JSONOutput()
        output.append("{\"totalSize\":")
        output.append(count)
        output.append(",\"done\":true,\"records\":[")
        output.append(records.bytes)
        output.append("]}")
        return OrgAnswer(output)
    }
}
