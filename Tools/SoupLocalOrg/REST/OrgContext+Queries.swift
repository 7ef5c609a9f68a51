// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Runs the query of a request and answers its first page.
    func query(_ request: OrgRequest, seesDeleted: Bool) throws -> OrgAnswer {
        if let text = request.parameter("explain") { return try compiling { try explain(text) } }
        guard let text = request.parameter("q") else {
            throw OrgError(400, "MALFORMED_QUERY", "A query string has to be specified")
        }
        return try compiling { try run(text, request, seesDeleted: seesDeleted) }
    }

    /// Runs `body`, and takes what SQLite refuses for a query that asks for too much.
    func compiling<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SoupError where error.code == .sql {
            throw OrgError(400, "QUERY_TOO_COMPLICATED", "The query is too complicated: \(error.message)")
        }
    }

    private func run(_ text: String, _ request: OrgRequest, seesDeleted: Bool) throws -> OrgAnswer {
        let caller = caller(seesDeleted: seesDeleted)
        switch try QueryCompiler.compile(text, schema: schema, caller: caller) {
        case .count(let sql):
            let count = try OrgStatement(db, sql.text, sql.values).first { $0.int(0) } ?? 0
            return OrgAnswer(["totalSize": .int(count), "done": true, "records": []])
        case .groups(let plan): return try groups(plan)
        case .rows(let plan):
            var rows: [Int64] = []
            try OrgStatement(db, plan.find.text, plan.find.values).forEach { rows.append($0.int(0)) }
            return try page(of: plan, rows, from: 0, locator: nil, pageSize: pageSize(request) ?? 2000)
        }
    }

    /// The page size that a request asks for: kept within what servers allow.
    private func pageSize(_ request: OrgRequest) -> Int? {
        guard let header = request.header("Sforce-Query-Options"),
            let text = header.lowercased().split(separator: "batchsize=").last,
            let size = Int(text.prefix { $0.isNumber })
        else { return nil }
        return min(max(size, 200), 2000)
    }

    /// Answers the next page of a query; the segment is `<locator>-<offset>`.
    func continueQuery(_ request: OrgRequest, _ segment: String) throws -> OrgAnswer {
        let parts = segment.split(separator: "-", maxSplits: 1)
        guard let locator = parts.first.map(String.init),
            let cursor = org.cursors.take(locator, now: org.clock.now, options: options),
            let offset = parts.count == 2 ? Int(parts[1]) : 0, (0..<max(1, cursor.rows.count)).contains(offset),
            trouble.cursorPages.map({ cursor.pages <= $0 }) ?? true
        else { throw OrgError(400, "INVALID_QUERY_LOCATOR", "invalid query locator") }
        let size = min(pageSize(request) ?? cursor.pageSize, org.options.maximumPageSize, pageLimit ?? .max)
        if let kept = cursor.kept {
            let end = min(offset + max(1, size), kept.count)
            let next = end < kept.count ? "\(apiPath)/query/\(locator)-\(end)" : nil
            return OrgAnswer(Self.envelope(total: kept.count, next: next, kept[offset..<end].map { $0[...] }))
        }
        return try page(
            of: cursor.plan, cursor.rows, from: offset, locator: locator, pageSize: pageSize(request) ?? cursor.pageSize
        )
    }

    /// A page: rows from an offset on, until rows and children together fill it.
    private func page(
        of plan: QueryPlan, _ rows: [Int64], from offset: Int, locator: String?, pageSize: Int
    ) throws -> OrgAnswer {
        let size = min(pageSize, org.options.maximumPageSize, pageLimit ?? .max)
        let writing = rowWriting
        var shown = Array(rows[min(offset, rows.count)...].prefix(max(1, size)))
        var children = try plan.children.map { try writing.childSets(of: $0.plan, shown) }
        let fitting = Self.fitting(shown.count, children, size)
        if fitting < shown.count {
            shown = Array(shown.prefix(fitting))
            children = children.map { Array($0.prefix(fitting)) }
        }
        let written = try writing.write(plan, shown, children, limit: max(1, size)) { plan, rows, start in
            let locator = keep(plan, rows, pageSize)
            return "\(apiPath)/query/\(locator)-\(start)"
        }
        if plan.isForView || plan.isForReference { try noteRead(plan, shown) }
        let end = offset + shown.count
        var next: String?
        if end < rows.count { next = "\(apiPath)/query/\(locator ?? keep(plan, rows, pageSize))-\(end)" }
        return OrgAnswer(Self.envelope(total: rows.count, next: next, written.ranges.indices.compactMap(written.bytes)))
    }

    /// Keeps a query for the pages to come, and returns its locator.
    private func keep(_ plan: QueryPlan, _ rows: [Int64], _ pageSize: Int) -> String {
        var cursor = QueryCursor(plan: plan, rows: rows, pageSize: pageSize, created: org.clock.now)
        if org.options.cursorsKeepRows {
            var writing = rowWriting
            writing.noteRead = { _, _ in }
            let written = try? writing.write(plan, rows, limit: .max) { _, _, _ in "" }
            cursor.kept = written.map { written in
                written.ranges.indices.compactMap { written.bytes($0).map(Array.init) }
            }
        }
        return org.cursors.keep(cursor, now: org.clock.now, options: org.options)
    }

    /// Puts rows on the list of what was viewed or referenced.
    private func noteRead(_ plan: QueryPlan, _ rows: [Int64]) throws {
        try noteViewed(plan.object, try ids(plan.object, rows), asReference: !plan.isForView)
    }

    var rowWriting: RowWriting {
        var writing = RowWriting(db: db, apiPath: apiPath)
        writing.polymorphic = { [schema] in schema.object(ofId: $0) }
        writing.noteRead = noteRead
        return writing
    }

    /// How many rows go on a page when their children count too; at least one.
    private static func fitting(_ count: Int, _ children: [[RowWriting.ChildSet]], _ size: Int) -> Int {
        var used = 0
        for index in 0..<count {
            used += 1 + children.reduce(0) { $0 + min($1[index].rows.count, size) }
            if used > size { return max(1, index) }
        }
        return count
    }

    private func ids(_ object: OrgObject, _ rows: [Int64]) throws -> [String] {
        var ids: [String] = []
        try OrgStatement(
            db, "SELECT t.\"Id\" FROM json_each(?1) page CROSS JOIN \(object.table) t ON t._row = page.value",
            [RowWriting.json(rows)]
        ).forEach { ids.append($0.text(0) ?? "") }
        return ids
    }

    private static func envelope(total: Int, next: String?, _ rows: [ArraySlice<UInt8>]) -> JSONOutput {
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
        try OrgStatement(db, plan.sql.text, plan.sql.values).forEach { row in
            if count > 0 { records.append(UInt8(ascii: ",")) }
            count += 1
            guard count <= 2000 else { return }
            records.append("{\"attributes\":{\"type\":\"AggregateResult\"}")
            for (index, column) in plan.columns.enumerated() {
                records.append(UInt8(ascii: ","))
                records.append(column.key)
                records.append(row, index, column.type)
            }
            records.append(UInt8(ascii: "}"))
        }
        if count > 2000 {
            throw OrgError(
                400, "EXCEEDED_ID_LIMIT",
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
