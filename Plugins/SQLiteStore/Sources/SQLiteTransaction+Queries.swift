// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension SQLiteTransaction {
    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        let (offset, overflow) = max(0, page).multipliedReportingOverflow(by: spec.pageSize)
        if overflow { return spec.yieldsEntries ? .entries([]) : .rows([]) }
        return try spec.searching { try self.page(of: spec, arguments: arguments, offset: offset) }
    }

    private func page(of spec: QuerySpec, arguments: [JSONValue], offset: Int) throws -> QueryPage {
        let rows = try rows(of: spec, arguments: arguments, for: .page, offset: offset)
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
        let rows = try rows(of: spec, arguments: arguments, for: .count)
        defer { rows.statement.clear() }
        return try spec.searching { try rows.statement.step() ? Int(rows.statement.integer(0)) : 0 }
    }

    /// How SQLite means to run the query for its first page: one line a step.
    func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] {
        let rows = try rows(of: spec, arguments: arguments, for: .plan)
        defer { rows.statement.clear() }
        var steps: [String] = []
        while try rows.statement.step() { steps.append(rows.statement.text(3)) }
        return steps
    }

    /// The ids that a query selects, at most a page of them.
    func ids(matching spec: QuerySpec) throws -> [Int64] {
        let rows = try rows(of: spec, arguments: [], for: .ids)
        defer { rows.statement.clear() }
        var ids: [Int64] = []
        try spec.searching { while try rows.statement.step() { ids.append(rows.statement.integer(0)) } }
        return ids
    }

    private func rows(
        of spec: QuerySpec, arguments: [JSONValue], for use: QueryUse, offset: Int = 0
    ) throws -> (statement: RawStatement, entryColumns: Set<String>) {
        let shape = arguments.isEmpty ? QueryShape(spec, for: use) : nil
        if let shape, let known = try catalog().query(of: shape) {
            let select = try statement(known.sql)
            try select.bind(spec.arguments, comparedWith: known.keyKind)
            if use.isPaged { select.bind((spec.pageSize, offset), behind: spec.arguments.count) }
            return (select, known.entryColumns)
        }
        let query = try self.query(
            for: spec, arguments: arguments, counting: use == .count, selecting: use == .ids ? "SELECT id " : nil)
        let conversion = try conversion(of: query.text)
        let (converted, arguments) = conversion.statement(query.arguments)
        let sql = use.wrap(converted, isSmart: query.isSmart)
        let select =
            try query.isSmart
            ? statement(sql, around: converted, madeOf: query.text, query.arguments) : statement(sql)
        guard select.isReadOnly else { throw SoupError(.onlySelect, "Smart SQL can only be a SELECT") }
        let parameters = select.parameterCount - (use.isPaged ? 2 : 0)
        guard parameters == arguments.count else {
            throw SoupError(.sql, "the query has \(parameters) parameters and \(arguments.count) arguments were given")
        }
        let keyKind = try kind(of: query.keyPath, in: spec.soup)
        try select.bind(arguments, comparedWith: keyKind)
        if use.isPaged { select.bind((spec.pageSize, offset), behind: parameters) }
        if let shape, !conversion.dependsOnArguments {
            try catalog().keep(
                ShapedQuery(sql: sql, keyKind: keyKind, entryColumns: conversion.entryColumns), for: shape)
        }
        return (select, conversion.entryColumns)
    }

    private func kind(of path: JSONPath?, in soup: SoupName?) throws -> IndexSpec.Kind? {
        guard let path, let soup else { return nil }
        return try table(soup).kind(of: path)
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

extension RawStatement {
    /// - Parameter kind: how what they are compared with is kept; nil for the arguments of smart queries.
    fileprivate func bind(_ arguments: [JSONValue], comparedWith kind: IndexSpec.Kind?) throws {
        for (index, value) in arguments.enumerated() {
            if let kind { try bind(value, comparedWith: kind, at: index + 1) } else { try bind(value, at: index + 1) }
        }
    }

    /// Binds the limit and the offset that stand behind the other parameters.
    fileprivate func bind(_ page: (limit: Int, offset: Int), behind parameters: Int) {
        bind(Int64(page.limit), at: parameters + 1)
        bind(Int64(page.offset), at: parameters + 2)
    }
}
