// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SQLiteTransaction {
    /// Runs one statement from its first row to its last, so that SQLite computes the order only once.
    func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws {
        var spec = spec
        if !spec.isSmart && spec.orderPath == nil {
            (spec.orderPath, spec.order) = (JSONPath(EntryField.entryId), .ascending)
        }
        let rows = try rows(of: spec, arguments: arguments, for: .walk)
        defer { rows.statement.clear() }
        var page = WalkedPage(spec)
        let reader = RowReader(rows.statement, entryColumns: rows.entryColumns)
        // Only errors of steps are converted; errors of `body` are rethrown unchanged.
        while try spec.searching({ try rows.statement.step() }) {
            page.append(rows.statement, reader)
            if page.isFull, try !body(page.finish()) { return }
        }
        if page.count > 0 { _ = try body(page.finish()) }
    }
}

/// The rows of a walk that are not yet passed to the caller.
private struct WalkedPage {
    private let spec: QuerySpec
    private var entries: EntryCollector
    private var rows: [JSONText] = []

    init(_ spec: QuerySpec) {
        self.spec = spec
        entries = EntryCollector(limit: spec.pageSize)
    }

    var count: Int { entries.count + rows.count }
    var isFull: Bool { count >= spec.pageSize }

    mutating func append(_ row: RawStatement, _ reader: RowReader) {
        if spec.yieldsEntries { entries.append(row) } else { rows.append(reader.row()) }
    }

    /// Returns the rows and begins the next page.
    mutating func finish() -> QueryPage {
        defer { self = WalkedPage(spec) }
        return spec.yieldsEntries ? .entries(entries.finish()) : .rows(rows)
    }
}
