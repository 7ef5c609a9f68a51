// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Pages that continue after an entry instead of counting the rows before them.
///
/// The entries after a position are split into ranges, each of which an index on the order path returns in order: the
/// entries with the same value and a later ID, those with a later value, and those without a value, which SQLite sorts
/// before all values. The ranges are read one after another until the page is full.
extension SQLiteTransaction {
    func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage<QueryPage> {
        // Errors in the query are reported first.
        _ = try query(for: spec, arguments: arguments, counting: false, selecting: nil)
        switch try position?.anchor(in: spec, arguments: arguments, backend: SQLiteStore.name) {
        case nil: return try positionedPage(0, of: spec, arguments: arguments)
        case .page(let number)?: return try positionedPage(number, of: spec, arguments: arguments)
        case .entry(let order, let id)?:
            return try walk(spec, arguments: arguments) { walk in walk.ranges(after: order, id: id) }
        }
    }

    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<QueryPage> {
        let number = max(0, number)
        // Neither the columns of smart queries nor ranks identify the position of an entry.
        if spec.isSmart || spec.isRanked {
            let page = try query(spec, page: number, arguments: arguments)
            let next = page.count == spec.pageSize && number < Int.max ? QueryPosition.Anchor.page(number + 1) : nil
            return PositionedPage(
                page,
                next: next.map { QueryPosition($0, in: spec, arguments: arguments, backend: SQLiteStore.name) })
        }
        _ = try query(for: spec, arguments: arguments, counting: false, selecting: nil)
        let (offset, overflow) = number.multipliedReportingOverflow(by: spec.pageSize)
        return try walk(spec, arguments: arguments) { _ in overflow ? [] : [.all(from: offset)] }
    }

    /// Returns SQLite's query plan for the page after a position, range by range.
    func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String] {
        guard
            case .entry(let order, let id)? = try position?.anchor(
                in: spec, arguments: arguments, backend: SQLiteStore.name)
        else { return try plan(of: spec, arguments: arguments) }
        let walk = PositionedWalk(spec, in: try table(spec.soup ?? ""))
        return try walk.ranges(after: order, id: id).flatMap { range in
            let select = try statement(of: range, in: walk, arguments: arguments, explaining: true).statement
            defer { select.clear() }
            var steps: [String] = []
            while try select.step() { steps.append(select.text(3)) }
            return steps
        }
    }

    private func walk(
        _ spec: QuerySpec, arguments: [JSONValue], _ ranges: (PositionedWalk) -> [PositionedWalk.Range]
    ) throws -> PositionedPage<QueryPage> {
        var walk = PositionedWalk(spec, in: try table(spec.soup ?? ""))
        for range in ranges(walk) where !walk.isFull {
            let (select, entryColumns) = try statement(of: range, in: walk, arguments: arguments)
            defer { select.clear() }
            let reader = RowReader(select, entryColumns: entryColumns, leavingOut: 3)
            try spec.searching { while try select.step() { walk.append(select, reader) } }
        }
        return walk.finish(arguments: arguments)
    }

    private func statement(
        of range: PositionedWalk.Range, in walk: PositionedWalk, arguments: [JSONValue], explaining: Bool = false
    ) throws -> (statement: RawStatement, entryColumns: Set<String>) {
        let spec = walk.spec
        var query = try query(for: spec, arguments: arguments, counting: false, selecting: walk.selection)
        query.source = .spec(
            walk.selection + spec.sourcePieces(matching: "?") + walk.restriction(to: range), of: walk.table)
        let conversion = try conversion(of: query)
        let (sql, keys) = conversion.statement(query.arguments)
        let select = try statement(
            (explaining ? "EXPLAIN QUERY PLAN " : "") + sql + " LIMIT ? OFFSET ?", around: sql, madeOf: query)
        for (index, key) in keys.enumerated() {
            if let path = query.keyPath {
                try select.bind(key, comparedWith: walk.table.kind(of: path), at: index + 1)
            } else {
                try select.bind(key, at: index + 1)
            }
        }
        for (index, bound) in range.bounds.enumerated() { try select.bind(bound, at: keys.count + index + 1) }
        select.bind(Int64(min(walk.missing, Int.max - 1) + 1), at: keys.count + range.bounds.count + 1)
        select.bind(Int64(range.offset), at: keys.count + range.bounds.count + 2)
        return (select, conversion.entryColumns)
    }
}

/// A page that is being read: its rows so far, and the SQL that reads more.
private struct PositionedWalk {
    let spec: QuerySpec
    let table: SoupTable
    private var entries: EntryCollector
    private var rows: [JSONText] = []
    private var last: QueryPosition.Anchor?
    /// Whether there is an entry after the page.
    private var hasMore = false

    init(_ spec: QuerySpec, in table: SoupTable) {
        var spec = spec
        // A direction applies only with an order path.
        if spec.orderPath == nil { spec.order = .ascending }
        self.spec = spec
        self.table = table
        entries = EntryCollector(limit: spec.pageSize)
    }

    /// Consecutive entries in the order of the query.
    struct Range {
        /// The condition, with `order` and `id` for the value at the order path and the entry's ID.
        var condition: String?
        var bounds: [JSONValue]
        /// Whether all entries have the same value, so that their IDs determine the order.
        var hasOneValue = false
        /// The number of entries to skip at the beginning.
        var offset = 0

        static func all(from offset: Int) -> Range { Range(condition: nil, bounds: [], offset: offset) }
    }

    func ranges(after value: JSONValue, id: Int64) -> [Range] {
        let isAscending = spec.order == .ascending
        let comparison = isAscending ? ">" : "<"
        // Entry IDs are unique, so one range is enough.
        if (spec.orderPath?.rawValue ?? EntryField.entryId) == EntryField.entryId {
            return [Range(condition: "id \(comparison) ?", bounds: [.int(id)])]
        }
        if value.isNull {
            let same = Range(condition: "order IS NULL AND id \(comparison) ?", bounds: [.int(id)], hasOneValue: true)
            return isAscending ? [same, Range(condition: "order >= ?", bounds: [lowerBound])] : [same]
        }
        let following = [
            Range(condition: "order = ? AND id \(comparison) ?", bounds: [value, .int(id)], hasOneValue: true),
            Range(condition: "order \(comparison) ?", bounds: [value]),
        ]
        return isAscending ? following : following + [Range(condition: "order IS NULL", bounds: [], hasOneValue: true)]
    }

    /// A lower bound of all values at the order path: with a bound, an index can start there, which `IS NOT NULL` may
    /// not allow.
    private var lowerBound: JSONValue {
        switch table.kind(of: spec.orderPath ?? "") {
        case .string, .fullText: ""
        case .integer, .floating, .json1: .double(-.infinity)
        }
    }

    private var order: SmartSQL.Piece { spec.reference(to: spec.orderPath ?? JSONPath(EntryField.entryId)) }
    private var id: SmartSQL.Piece { spec.reference(to: JSONPath(EntryField.entryId)) }

    /// The columns of the query, then the ID, date and order path value of the entry.
    var selection: [SmartSQL.Piece] {
        let own = spec.yieldsEntries ? [.text("SELECT soup")] : spec.selectPieces
        return own + [.text(", id, lastModified, "), order, .text(" ")]
    }

    func restriction(to range: Range) -> [SmartSQL.Piece] {
        var pieces: [SmartSQL.Piece] = []
        if let condition = range.condition {
            let isFirst = spec.arguments.isEmpty && spec.matchKey == nil
            pieces.append(.text(isFirst ? "WHERE " : "AND "))
            for word in condition.split(separator: " ") {
                pieces += [word == "order" ? order : word == "id" ? id : .text(String(word)), .text(" ")]
            }
        }
        // If the order path is an expression, SQLite sorts even by a constant value.
        let byValue = range.hasOneValue ? [] : [order, .text(" \(spec.direction), ")]
        return pieces + [.text("ORDER BY ")] + byValue + [id, .text(" \(spec.direction)")]
    }

    /// The number of rows that the page still needs.
    var missing: Int { spec.pageSize - entries.count - rows.count }
    var isFull: Bool { hasMore }

    mutating func append(_ row: RawStatement, _ reader: RowReader) {
        guard missing > 0 else {
            hasMore = true
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

    mutating func finish(arguments: [JSONValue]) -> PositionedPage<QueryPage> {
        let next = hasMore ? last : nil
        return PositionedPage(
            spec.yieldsEntries ? .entries(entries.finish()) : .rows(rows),
            next: next.map { QueryPosition($0, in: spec, arguments: arguments, backend: SQLiteStore.name) })
    }
}

extension RawStatement {
    /// Returns the value of a column, so that binding it again gives the same value.
    fileprivate func value(_ column: Int) -> JSONValue {
        switch type(column) {
        case .null, .blob: .null
        case .integer: .int(integer(column))
        case .real: .double(real(column))
        case .text: .string(text(column))
        }
    }
}
