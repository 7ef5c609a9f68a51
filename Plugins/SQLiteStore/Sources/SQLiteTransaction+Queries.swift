// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension SQLiteTransaction {
    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        let (offset, overflow) = max(0, page).multipliedReportingOverflow(by: spec.pageSize)
        if overflow { return spec.yieldsEntries ? .entries([]) : .rows([]) }
        let rows = try rows(of: spec, arguments: arguments, page: (spec.pageSize, offset)) { sql in
            "SELECT * FROM (\(sql)\n)"
        }
        defer { rows.statement.clear() }
        if spec.yieldsEntries {
            var entries = EntryCollector(limit: spec.pageSize)
            while try rows.statement.step() { entries.append(rows.statement) }
            return .entries(entries.finish())
        }
        var texts: [JSONText] = []
        let reader = RowReader(rows.statement, entryColumns: rows.entryColumns)
        while try rows.statement.step() { texts.append(reader.row()) }
        return .rows(texts)
    }

    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int {
        let rows = try rows(of: spec, arguments: arguments, counting: true) { $0 }
        defer { rows.statement.clear() }
        return try rows.statement.step() ? Int(rows.statement.integer(0)) : 0
    }

    /// How SQLite means to run the query for its first page: one line a step.
    func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] {
        let rows = try rows(of: spec, arguments: arguments, page: (spec.pageSize, 0)) { sql in
            "EXPLAIN QUERY PLAN SELECT * FROM (\(sql)\n)"
        }
        defer { rows.statement.clear() }
        var steps: [String] = []
        while try rows.statement.step() { steps.append(rows.statement.text(3)) }
        return steps
    }

    /// The ids that a query selects, at most a page of them.
    func ids(matching spec: QuerySpec) throws -> [Int64] {
        let rows = try rows(of: spec, arguments: [], selecting: "SELECT id ", page: (spec.pageSize, 0)) { sql in
            "SELECT * FROM (\(sql)\n)"
        }
        defer { rows.statement.clear() }
        var ids: [Int64] = []
        while try rows.statement.step() { ids.append(rows.statement.integer(0)) }
        return ids
    }

    private func rows(
        of spec: QuerySpec, arguments: [JSONValue], counting: Bool = false, selecting columns: String? = nil,
        page: (limit: Int, offset: Int)? = nil, _ wrap: (String) -> String
    ) throws -> (statement: RawStatement, entryColumns: Set<String>) {
        let query = try self.query(for: spec, arguments: arguments, counting: counting, selecting: columns)
        let conversion = try conversion(of: query.text)
        let (converted, arguments) = conversion.statement(query.arguments)
        let sql =
            wrap(counting && query.isSmart ? "SELECT count(*) FROM (\(converted)\n)" : converted)
            + (page == nil ? "" : " LIMIT ? OFFSET ?")
        let select =
            try query.isSmart
            ? statement(sql, around: converted, madeOf: query.text, query.arguments) : statement(sql)
        guard select.isReadOnly else { throw SoupError(.onlySelect, "Smart SQL can only be a SELECT") }
        let parameters = select.parameterCount - (page == nil ? 0 : 2)
        guard parameters == arguments.count else {
            throw SoupError(.sql, "the query has \(parameters) parameters and \(arguments.count) arguments were given")
        }
        for (index, value) in arguments.enumerated() {
            if let path = query.keyPath, let soup = spec.soup {
                select.bind(value, comparedWith: path, of: try table(soup), at: index + 1)
            } else {
                select.bind(value, at: index + 1)
            }
        }
        if let page {
            select.bind(Int64(page.limit), at: parameters + 1)
            select.bind(Int64(page.offset), at: parameters + 2)
        }
        return (select, conversion.entryColumns)
    }

    func conversion(of text: String) throws -> SQLConversion {
        let catalog = try catalog()
        return try catalog.conversion(of: text) { try converter().convert(SmartSQL(text)) }
    }

    struct Query {
        var text: String
        var arguments: [JSONValue]
        /// The path that the arguments are compared with; nil for smart queries.
        var keyPath: JSONPath?
        var isSmart = false
    }

    /// The Smart SQL to run for a spec, with everything that comes from the caller left to bind.
    func query(
        for spec: QuerySpec, arguments: [JSONValue], counting: Bool, selecting columns: String?
    ) throws -> Query {
        if case .smart(let text) = spec.kind { return Query(text: text, arguments: arguments, isSmart: true) }
        guard arguments.isEmpty else {
            throw SoupError(.whereArgsNotSupported, "arguments can only be provided for smart queries")
        }
        guard let soup = spec.soup else { throw SoupError(.badQuerySpec, "the query names no soup") }
        guard spec.selectPaths?.isEmpty != true else {
            throw SoupError(.badQuerySpec, "selectPaths must have at least one path", place: Place(path: "selectPaths"))
        }
        guard spec.isRanked || spec.orderPath?.rawValue != EntryField.rank else {
            throw SoupError(
                .badQuerySpec, "only a match query has ranks to order by", place: Place(path: "orderPath"))
        }
        let clause =
            counting
            ? "SELECT count(*) "
            : columns ?? (spec.yieldsEntries ? "SELECT id, lastModified, soup " : spec.selectClause)
        // Smart SQL has no way to write some names: their soups are looked for here.
        try requireSoup(soup)
        var query = Query(
            text: clause + spec.source(matching: "?") + (counting ? "" : spec.wholeOrderClause),
            arguments: spec.arguments)
        switch spec.kind {
        case .exact(let path, _), .range(let path, _, _), .like(let path, _): query.keyPath = path
        case .match: query.arguments = [.string(try matchKey(of: spec, in: soup))]
        case .all, .smart: break
        }
        return query
    }

    private func requireSoup(_ soup: SoupName) throws {
        do { _ = try table(soup) } catch var error as SoupError where error.code == .soupNotFound {
            error.code = .unknownSoup
            throw error
        }
    }

    /// The search text with columns in place of its references.
    private func matchKey(of spec: QuerySpec, in soup: SoupName) throws -> String {
        let tables = try catalog().tables
        if case .match(let path?, _) = spec.kind, let table = tables[soup],
            !table.fullTextColumns.contains(where: { $0.path == path })
        {
            throw SoupError.notSearchable(path, in: table)
        }
        let converter = SQLConverter(tables: tables, flagsAreNormalised: false, entriesAreWhole: false)
        return try converter.convert(SmartSQL(matchKey: spec.matchKey ?? "")).statement([]).sql
    }
}
