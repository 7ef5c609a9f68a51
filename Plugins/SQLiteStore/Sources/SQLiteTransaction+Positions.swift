// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Pages that go on behind an entry instead of counting the rows in front of them.
///
/// What lies behind an entry falls apart into ranges, each of which an index on the order path gives in order: the
/// entries with the same value and a farther id, those with a farther value, and, as SQLite puts them before all values,
/// those without one. They are read one after another until the page is full.
extension SQLiteTransaction {
    func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage {
        var isSmart = false
        if case .smart = spec.kind { isSmart = true }
        if case .page(let number)? = position { return try numbered(spec, number, arguments) }
        // Neither the columns of smart queries nor ranks tell an entry's place.
        if isSmart || spec.isRanked {
            guard position == nil else {
                throw SoupError(
                    .badQuerySpec, "the position is of another query", hint: "Begin at the first page again")
            }
            return try numbered(spec, 0, arguments)
        }
        // Whatever is wrong with the query comes first.
        _ = try query(for: spec, arguments: arguments, counting: false, selecting: nil)
        var walk = PositionedWalk(spec, in: try table(spec.soup ?? ""))
        for range in PositionedWalk.ranges(behind: position, walk.spec.order) where !walk.isFull {
            try read(range, &walk, arguments)
        }
        return walk.finish()
    }

    private func numbered(_ spec: QuerySpec, _ number: Int, _ arguments: [JSONValue]) throws -> PositionedPage {
        let page = try query(spec, page: number, arguments: arguments)
        return PositionedPage(page, next: page.count < spec.pageSize ? nil : .page(number + 1))
    }

    private func read(_ range: PositionedWalk.Range, _ walk: inout PositionedWalk, _ arguments: [JSONValue]) throws {
        let spec = walk.spec
        var query = try query(for: spec, arguments: arguments, counting: false, selecting: walk.selection)
        query.text = walk.selection + spec.source(matching: "?") + walk.restriction(to: range)
        let conversion = try conversion(of: query.text)
        let (sql, keys) = conversion.statement(query.arguments)
        let select = try statement(sql + " LIMIT ?")
        defer { select.clear() }
        for (index, key) in keys.enumerated() {
            if let path = query.keyPath {
                try select.bind(key, comparedWith: walk.table.kind(of: path), at: index + 1)
            } else {
                try select.bind(key, at: index + 1)
            }
        }
        for (index, bound) in range.bounds.enumerated() { try select.bind(bound, at: keys.count + index + 1) }
        select.bind(Int64(min(walk.missing, Int.max - 1) + 1), at: keys.count + range.bounds.count + 1)
        let reader = RowReader(select, entryColumns: conversion.entryColumns, leavingOut: 3)
        while try select.step() { walk.take(select, reader) }
    }
}

/// A page on its way: what has been read of it, and the SQL that reads more.
private struct PositionedWalk {
    let spec: QuerySpec
    let table: SoupTable
    private var entries: EntryCollector
    private var rows: [JSONText] = []
    private var last: QueryPosition?
    /// Whether an entry was seen behind the page.
    private var goesOn = false

    init(_ spec: QuerySpec, in table: SoupTable) {
        var spec = spec
        // A direction counts only with an order path.
        if spec.orderPath == nil { spec.order = .ascending }
        self.spec = spec
        self.table = table
        entries = EntryCollector(limit: spec.pageSize)
    }

    /// Entries side by side in the order of the query.
    struct Range {
        /// The condition, with `order` and `id` for the value at the order path and the entry's id.
        var condition: String?
        var bounds: [JSONValue]
    }

    static func ranges(behind position: QueryPosition?, _ order: QuerySpec.Order) -> [Range] {
        guard case .entry(let value, let id)? = position else { return [Range(condition: nil, bounds: [])] }
        let farther = order == .ascending ? ">" : "<"
        if value.isNull {
            let same = Range(condition: "order IS NULL AND id \(farther) ?", bounds: [.int(id)])
            return order == .ascending ? [same, Range(condition: "order IS NOT NULL", bounds: [])] : [same]
        }
        let behind = [
            Range(condition: "order = ? AND id \(farther) ?", bounds: [value, .int(id)]),
            Range(condition: "order \(farther) ?", bounds: [value]),
        ]
        return order == .ascending ? behind : behind + [Range(condition: "order IS NULL", bounds: [])]
    }

    private var orderReference: String { spec.reference(spec.orderPath ?? JSONPath(EntryField.entryId)) }
    private var idReference: String { spec.reference(JSONPath(EntryField.entryId)) }

    /// What the query selects, then id, date and value at the order path of the entry.
    var selection: String {
        let own = spec.yieldsEntries ? "SELECT soup" : String(spec.selectClause.dropLast())
        return own + ", id, lastModified, \(orderReference) "
    }

    func restriction(to range: Range) -> String {
        var clause = ""
        if let condition = range.condition {
            let isFirst = spec.arguments.isEmpty && spec.matchKey == nil
            clause = isFirst ? "WHERE " : "AND "
            clause +=
                condition.split(separator: " ").map { word in
                    word == "order" ? orderReference : word == "id" ? idReference : String(word)
                }.joined(separator: " ") + " "
        }
        return clause + "ORDER BY \(orderReference) \(spec.direction), \(idReference) \(spec.direction)"
    }

    /// How many rows the page still needs.
    var missing: Int { spec.pageSize - entries.count - rows.count }
    var isFull: Bool { goesOn }

    mutating func take(_ row: RawStatement, _ reader: RowReader) {
        guard missing > 0 else {
            goesOn = true
            return
        }
        let first = row.columnCount - 3
        let id = row.integer(first)
        if spec.yieldsEntries {
            entries.append(id: id, lastModified: row.integer(first + 1), text: row.bytes(0))
        } else {
            rows.append(reader.row())
        }
        if missing == 0 { last = .entry(order: row.value(first + 2), id: id) }
    }

    mutating func finish() -> PositionedPage {
        PositionedPage(spec.yieldsEntries ? .entries(entries.finish()) : .rows(rows), next: goesOn ? last : nil)
    }
}

extension RawStatement {
    /// The value of a column, so that binding it again gives the same value.
    fileprivate func value(_ column: Int) -> JSONValue {
        switch type(column) {
        case .null, .blob: .null
        case .integer: .int(integer(column))
        case .real: .double(real(column))
        case .text: .string(text(column))
        }
    }
}
