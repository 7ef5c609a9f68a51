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
        return try spec.searching { try rows.statement.step() ? Int(clamping: rows.statement.integer(0)) : 0 }
    }

    /// Returns SQLite's query plan for the first page: one line per step.
    func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] {
        let rows = try rows(of: spec, arguments: arguments, for: .plan)
        defer { rows.statement.clear() }
        var steps: [String] = []
        while try rows.statement.step() { steps.append(rows.statement.text(3)) }
        return steps
    }

    /// Returns the IDs that a query selects, at most one page.
    func ids(matching spec: QuerySpec) throws -> [Int64] {
        let rows = try rows(of: spec, arguments: [], for: .ids)
        defer { rows.statement.clear() }
        var ids: [Int64] = []
        try spec.searching { while try rows.statement.step() { ids.append(rows.statement.integer(0)) } }
        return ids
    }

    func rows(
        of spec: QuerySpec, arguments: [JSONValue], for use: QueryUse, offset: Int = 0
    ) throws -> (statement: RawStatement, entryColumns: Set<String>) {
        let shape = arguments.isEmpty ? QueryShape(spec, for: use) : nil
        if let shape, let known = try catalog().query(of: shape) {
            let select = try statement(known.sql, isShared: use != .walk)
            try select.bind(spec.arguments, comparedWith: known.keyKind)
            if use.isPaged { select.bind((spec.pageSize, offset), after: spec.arguments.count) }
            return (select, known.entryColumns)
        }
        let query = try self.query(
            for: spec, arguments: arguments, counting: use == .count,
            selecting: use == .ids ? [.text("SELECT id ")] : nil)
        let conversion = try conversion(of: query)
        let (converted, arguments) = conversion.statement(query.arguments)
        let sql = use.wrap(converted, isSmart: query.isSmart)
        let select = try statement(sql, around: converted, madeOf: query, isShared: use != .walk)
        guard select.isReadOnly else { throw SoupError(.onlySelect, "Smart SQL can only be a SELECT") }
        let parameters = select.parameterCount - (use.isPaged ? 2 : 0)
        guard parameters == arguments.count else {
            throw SoupError(
                .sql,
                "the query has \(parameters) \(parameters == 1 ? "parameter" : "parameters"), and \(arguments.count) "
                    + "\(arguments.count == 1 ? "argument was" : "arguments were") given",
                hint: "Pass one argument for each ?, in order: after the query of `soup query`, as \"args\" of a query "
                    + "spec, or as `arguments` in code.")
        }
        let keyKind = try kind(of: query.keyPath, in: spec.soup)
        try select.bind(arguments, comparedWith: keyKind)
        if use.isPaged { select.bind((spec.pageSize, offset), after: parameters) }
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

    func conversion(of query: Query) throws -> SQLConversion {
        switch query.source {
        case .spec(let pieces, _): try converter().convert(SmartSQL(pieces: pieces))
        case .smart(let text): try catalog().conversion(of: text) { try converter().convert(SmartSQL(text)) }
        }
    }

    /// Prepares the SQL of a query, and checks which tables it reads.
    ///
    /// - Parameters:
    ///   - own: the part of the SQL that was generated from the query.
    ///   - isShared: false for a statement that other statements of the same text must not reset.
    func statement(
        _ sql: String, around own: String, madeOf query: Query, isShared: Bool = true
    ) throws -> RawStatement {
        switch query.source {
        case .smart(let text): return try statement(sql, around: own, madeOf: text, arguments: query.arguments)
        case .spec(_, let table):
            let select = try statement(sql, isShared: isShared)
            try require(select, readsOnly: table)
            return select
        }
    }

    struct Query {
        enum Source {
            case smart(String)
            /// The pieces generated from a spec, and the soup that they may read.
            case spec([SmartSQL.Piece], of: SoupTable)
        }

        var source: Source
        var arguments: [JSONValue]
        /// The path that the arguments are compared with; nil for smart queries.
        var keyPath: JSONPath?
        var isSmart: Bool { if case .smart = source { true } else { false } }
    }

    /// Returns the Smart SQL to run for a spec, with parameters for all values of the caller.
    func query(
        for spec: QuerySpec, arguments: [JSONValue], counting: Bool, selecting columns: [SmartSQL.Piece]?
    ) throws -> Query {
        if case .smart(let text) = spec.kind { return Query(source: .smart(text), arguments: arguments) }
        let soup = try spec.requireForm(arguments: arguments)
        let table = try queriedTable(soup)
        try spec.requireReadablePaths(in: table.specs)
        let clause: [SmartSQL.Piece] =
            counting
            ? [.text("SELECT count(*) ")]
            : columns ?? (spec.yieldsEntries ? [.text("SELECT id, lastModified, soup ")] : spec.selectPieces)
        var query = Query(
            source: .spec(
                clause + spec.sourcePieces(matching: "?") + (counting ? [] : spec.wholeOrderPieces), of: table),
            arguments: spec.arguments)
        switch spec.kind {
        case .exact(let path, _), .range(let path, _, _), .like(let path, _): query.keyPath = path
        case .match: query.arguments = [.string(try matchKey(of: spec, in: table))]
        case .all, .smart: break
        }
        return query
    }

    /// The table of the soup of a query.
    private func queriedTable(_ soup: SoupName) throws -> SoupTable {
        do { return try table(soup) } catch var error as SoupError where error.code == .soupNotFound {
            error.code = .unknownSoup
            throw error
        }
    }

    /// Returns the search text with its references replaced by columns.
    private func matchKey(of spec: QuerySpec, in table: SoupTable) throws -> String {
        guard table.hasFullText else { throw SoupError.withoutFullText(table) }
        if case .match(let path?, _) = spec.kind, !table.fullTextColumns.contains(where: { $0.path == path }) {
            throw SoupError.notSearchable(path, in: table)
        }
        let key = try SmartSQL(matchKey: spec.matchKey ?? "")
        let tables = try catalog().tables
        // A soup that does not exist is reported with its place by the converter.
        for case .reference(let reference) in key.pieces
        where reference.soup != table.name && tables[reference.soup] != nil {
            throw SoupError(
                .badReference, "the matchKey names \(reference.source), but the query searches soup \"\(table.name)\"",
                place: SoupError.Place(path: "matchKey"),
                hint: "Use only paths of {\(table.name)}, or search the other soup with a separate query.")
        }
        let converter = SQLConverter(
            tables: tables, flagsAreNormalized: false, entriesAreWhole: false)
        return try converter.convert(key).statement([]).sql
    }
}

extension RawStatement {
    /// - Parameter kind: the storage kind of the values that the arguments are compared with; nil for smart queries.
    fileprivate func bind(_ arguments: [JSONValue], comparedWith kind: IndexSpec.Kind?) throws {
        for (index, value) in arguments.enumerated() {
            if let kind { try bind(value, comparedWith: kind, at: index + 1) } else { try bind(value, at: index + 1) }
        }
    }

    /// Binds the limit and the offset after the other parameters.
    fileprivate func bind(_ page: (limit: Int, offset: Int), after parameters: Int) {
        bind(Int64(page.limit), at: parameters + 1)
        bind(Int64(page.offset), at: parameters + 2)
    }
}
