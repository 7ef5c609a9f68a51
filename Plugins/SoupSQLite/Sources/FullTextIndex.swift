// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Updates the search index of a soup after changes of rows, with one statement for a whole batch where possible.
///
/// The index stores no copy of the text. To remove a row's text from the index, it must be read before the row changes.
final class FullTextIndex {
    private let table: SoupTable
    private let transaction: SQLiteTransaction
    private let columns: String
    /// The bits of the searched columns.
    private let mask: UInt64
    private var inserted: ClosedRange<Int64>?
    private var updated: Set<Int64> = []
    private var removal: RawStatement?

    init(_ table: SoupTable, in transaction: SQLiteTransaction) {
        self.table = table
        self.transaction = transaction
        columns = table.fullTextColumns.map(\.name).joined(separator: ", ")
        mask = table.columns.indices.filter { table.columns[$0].kind == .fullText }
            .reduce(0) { $0 | SoupTableWriter.bit($1) }
    }

    /// Records the ID of a new row.
    ///
    /// IDs of new rows are consecutive within a call.
    func noteInsert(_ id: Int64) { inserted = (inserted?.lowerBound ?? id)...id }

    /// Records the ID of a new row; the IDs may have any order.
    func noteRestoration(_ id: Int64) { updated.insert(id) }

    /// Records a row before it changes; `changes` has a bit for each column.
    ///
    /// Call this before the update.
    func willUpdate(_ id: Int64, changes: UInt64) throws {
        guard changes & mask != 0, inserted?.contains(id) != true, updated.insert(id).inserted else { return }
        try remove(id)
    }

    /// Removes a row from the index; the row must still exist.
    func remove(_ id: Int64) throws {
        let statement =
            try removal
            ?? transaction.statement(
                "INSERT INTO \(table.fullTextTable) (\(table.fullTextTable), rowid, \(columns)) "
                    + "SELECT 'delete', id, \(columns) FROM \(table.table) WHERE id = ?")
        removal = statement
        statement.bind(id, at: 1)
        try statement.run()
    }

    /// Adds all new and changed rows of the call to the index.
    func finish() throws {
        let insertion =
            "INSERT INTO \(table.fullTextTable) (rowid, \(columns)) SELECT id, \(columns) FROM \(table.table) "
        if let inserted {
            let statement = try transaction.statement(insertion + "WHERE id BETWEEN ? AND ?")
            statement.bind(inserted.lowerBound, at: 1)
            statement.bind(inserted.upperBound, at: 2)
            try statement.run()
        }
        if !updated.isEmpty {
            let statement = try transaction.statement(insertion + "WHERE id IN (SELECT value FROM json_each(?))")
            try statement.bind("[" + updated.sorted().map(String.init).joined(separator: ",") + "]", at: 1)
            try statement.run()
        }
        inserted = nil
        updated = []
    }
}
