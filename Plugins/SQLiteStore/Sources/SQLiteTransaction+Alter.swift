// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Other index specs for a soup that is there, without rebuilding its table.
///
/// A spec that stays keeps its column and its index, wherever it stands in the list: nothing of them is written. The
/// others go and come. Ids, dates and entries are not touched, and ids are not given twice afterwards either.
extension SQLiteTransaction {
    /// Gives a soup other specs.
    ///
    /// Doing it twice is doing it once.
    ///
    /// - Parameter reIndex: whether the values of specs that are new are taken from the entries; else their columns
    ///   stay empty, but for a path that had a column of the same type, and for the members that SoupKit keeps in
    ///   entries: without the local flags an edited entry would look clean.
    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) throws {
        try change {
            let old = try table(soup)
            try IndexSpec.check(specs, of: soup)
            guard old.specs != specs else { return }
            let new = old.altered(to: specs)
            // Columns are filled behind the back of a load.
            loadedKeys.forget(old)
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
            // Nobody would see the entries become clean any more.
            if !new.keepsSyncedCopies { try SyncedCopies(old, in: self).dropAll() }
            try writeSpecs(of: new)
            try tellOfNewSpecs()
            let added = new.columns.filter {
                !old.keeps($0) || !old.specs.contains(IndexSpec($0.path, $0.kind))
            }
            // What the store itself must know of every entry does not wait.
            try fill(added.filter { reIndex || EntryField.own.contains($0.path.rawValue) }, of: new)
            for index in new.indexes where !new.indexesAreDeferred && !old.indexes.contains(index) {
                try db.execute(sql: index.statement)
            }
            if !sameText { try makeFullText(of: new) }
            noteSchemaChange()
            changedSoups.insert(soup)
        }
    }

    /// Takes the values of paths from the entries again; paths without a column are passed over.
    func reIndexSoup(_ soup: SoupName, paths: [JSONPath]) throws {
        try change {
            let table = try table(soup)
            let columns = table.columns.filter { paths.contains($0.path) }
            loadedKeys.forget(table)
            try fill(columns, of: table)
            if columns.contains(where: { $0.kind == .fullText }) {
                try db.execute(sql: "INSERT INTO \(table.fullTextTable) (\(table.fullTextTable)) VALUES ('rebuild')")
            }
            if !columns.isEmpty { changedSoups.insert(soup) }
        }
    }

    /// Writes down the specs of a soup, in place of those that it has.
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

    /// Raises SQLite's count of schema changes, by which all connections know that soups are others.
    ///
    /// Specs that only change places change no table, and readers would go on with those that they know.
    private func tellOfNewSpecs() throws {
        try db.execute(sql: "CREATE VIEW soup_specs_changed AS SELECT 1; DROP VIEW soup_specs_changed")
        noteSchemaChange()
    }

    private func makeFullText(of table: SoupTable) throws {
        guard let create = table.createFullText(options.fullText) else { return }
        try db.execute(sql: create)
        try db.execute(sql: "INSERT INTO \(table.fullTextTable) (\(table.fullTextTable)) VALUES ('rebuild')")
    }
}
