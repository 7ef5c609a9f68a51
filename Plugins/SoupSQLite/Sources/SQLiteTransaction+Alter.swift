// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Changes the index specs of an existing soup, without rebuilding its table.
///
/// An unchanged spec keeps its column and its index, even if its position in the list changes; nothing of them is
/// written. The other specs are removed or added. IDs, dates and entries do not change, and IDs are not reused
/// afterwards.
extension SQLiteTransaction {
    /// Changes the specs of a soup.
    ///
    /// The operation is idempotent.
    ///
    /// - Parameter reIndex: whether the values of new specs are read from the entries. If false, their columns stay
    ///   empty, except for a path that had a column of the same type, and for the members that SoupKit keeps in
    ///   entries: without the local flags an edited entry would seem clean.
    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) throws {
        try change {
            let old = try table(soup)
            try IndexSpec.check(specs, of: soup)
            guard old.specs != specs else { return }
            let new = old.altered(to: specs)
            // Columns are filled without the knowledge of an active load.
            loadedKeys.removeKeys(of: old)
            let sameText = new.hasSameFullText(as: old)
            if old.hasFullText && !sameText { try db.execute(sql: "DROP TABLE \(old.fullTextTable)") }
            for index in old.indexes where !new.indexes.contains(index) {
                try db.execute(sql: "DROP INDEX IF EXISTS \(index.name)")
            }
            for column in old.columns where !new.keeps(column) {
                try db.execute(sql: "ALTER TABLE \(old.table) DROP COLUMN \(column.name)")
            }
            for column in new.columns where !old.keeps(column) {
                try db.execute(sql: "ALTER TABLE \(new.table) ADD COLUMN \(column.name) \(column.type)")
            }
            // Without the flag's column, the store would not notice when entries become clean.
            if !new.keepsSyncedCopies { try SyncedCopies(old, in: self).dropAll() }
            try writeSpecs(of: new)
            try raiseSchemaVersion()
            let added = new.columns.filter {
                !old.keeps($0) || !old.specs.contains(IndexSpec($0.path, $0.kind))
            }
            // The fields that the store itself needs of every entry are filled immediately.
            try fill(added.filter { reIndex || EntryField.own.contains($0.path.rawValue) }, of: new)
            for index in new.indexes where !new.indexesAreDeferred && !old.indexes.contains(index) {
                try db.execute(sql: index.statement)
            }
            if !sameText { try makeFullText(of: new) }
            noteSchemaChange()
            changedSoups.insert(soup)
        }
    }

    /// Reads the values of paths from the entries again; paths without a column are ignored.
    func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) throws {
        try change {
            let table = try table(soup)
            let columns = table.columns.filter { paths.contains($0.path) }
            loadedKeys.removeKeys(of: table)
            try fill(columns, of: table)
            if columns.contains(where: { $0.kind == .fullText }) {
                try db.execute(sql: "INSERT INTO \(table.fullTextTable) (\(table.fullTextTable)) VALUES ('rebuild')")
            }
            if !columns.isEmpty { changedSoups.insert(soup) }
        }
    }

    /// Stores the specs of a soup, in place of the previous ones.
    func writeSpecs(of table: SoupTable) throws {
        try db.execute(sql: "DELETE FROM soup_index_map WHERE soupName = ?", arguments: [table.name.rawValue])
        for (position, spec) in table.specs.enumerated() {
            try db.execute(
                sql: "INSERT INTO soup_index_map (soupName, path, columnName, columnType) VALUES (?, ?, ?, ?)",
                arguments: [
                    table.name.rawValue, spec.path.rawValue, table.columnName(ofSpecAt: position), spec.kind.rawValue,
                ])
        }
        try db.execute(
            sql: "UPDATE soup_attrs SET specNumbers = ? WHERE id = ?", arguments: [table.writtenNumbers, table.number])
    }

    /// Raises SQLite's counter of schema changes, so that all connections load the specs again.
    ///
    /// A change of only the order of specs changes no table, so readers would otherwise keep the old specs.
    private func raiseSchemaVersion() throws {
        try db.execute(sql: "CREATE VIEW soup_specs_changed AS SELECT 1; DROP VIEW soup_specs_changed")
        noteSchemaChange()
    }

    private func makeFullText(of table: SoupTable) throws {
        guard let create = table.createFullText(options.fullText) else { return }
        try db.execute(sql: create)
        try db.execute(sql: "INSERT INTO \(table.fullTextTable) (\(table.fullTextTable)) VALUES ('rebuild')")
    }
}
