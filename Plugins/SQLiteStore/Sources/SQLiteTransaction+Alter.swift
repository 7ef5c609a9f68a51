// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Other index specs for a soup that is there (SmartStore specification 2.9), without rebuilding its table.
///
/// A column whose path and declared type stay is kept with its values, under the name that goes with its new position;
/// the others go and come. Ids, dates and entries are not touched, and ids are not given twice afterwards either.
extension SQLiteTransaction {
    /// Gives a soup other specs.
    ///
    /// Doing it twice is doing it once.
    ///
    /// - Parameter reIndex: whether the values of specs that are new are taken from the entries; else their columns stay
    ///   empty, but for a path that had a column of the same type, and for the members that SoupKit keeps in entries:
    ///   without the local flags an edited entry would look clean.
    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) throws {
        try change {
            let old = try table(soup)
            try Self.check(specs, of: soup)
            guard old.specs != specs else { return }
            let new = SoupTable(
                number: old.number, name: soup, specs: specs, indexesAreDeferred: old.indexesAreDeferred)
            let sameText = old.fullTextColumns == new.fullTextColumns
            if old.hasFullText && !sameText { try db.execute(sql: "DROP TABLE \(old.fullTextTable)") }
            try dropIndexes(of: old, butThoseOf: new)
            try moveColumns(of: old, to: new)
            try writeSpecs(of: new)
            noteSchemaChange()
            let added = new.columns.filter { !old.specs.contains(IndexSpec($0.path, $0.kind)) }
            // What the store itself must know of every entry does not wait.
            try fill(added.filter { reIndex || EntryField.own.contains($0.path.rawValue) }, of: new)
            if !new.indexesAreDeferred {
                for index in new.indexes { try db.execute(sql: index.statement) }
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
            try fill(columns, of: table)
            if columns.contains(where: { $0.kind == .fullText }) {
                try db.execute(sql: "INSERT INTO \(table.fullTextTable) (\(table.fullTextTable)) VALUES ('rebuild')")
            }
            if !columns.isEmpty { changedSoups.insert(soup) }
        }
    }

    /// - Throws: ``SoupError``: `noIndexSpecs`; `sql` for a json1 path that SQLite cannot read.
    static func check(_ specs: [IndexSpec], of soup: SoupName) throws {
        guard !specs.isEmpty else {
            throw SoupError(.noIndexSpecs, "soup \"\(soup)\" needs at least one index spec")
        }
        for spec in specs where spec.kind == .json1 && !JSON1Path.isValid(spec.path) {
            throw SoupError(.sql, "\"\(spec.path)\" cannot be a json1 path", hint: "Use another kind of index")
        }
    }

    /// Drops the indexes of specs, but for those whose spec stays where it is.
    private func dropIndexes(of old: SoupTable, butThoseOf new: SoupTable) throws {
        let staying = zip(old.specs, new.specs).enumerated().filter { $1.0 == $1.1 }.map {
            old.indexName(at: $0.offset)
        }
        for index in old.indexes where index.path != nil && !staying.contains(index.name) {
            try db.execute(sql: "DROP INDEX IF EXISTS \(index.name)")
        }
    }

    /// Renames the columns that stay, by way of names that nobody has, and drops and adds the others.
    private func moveColumns(of old: SoupTable, to new: SoupTable) throws {
        var free = old.columns
        var kept: [(from: String, to: String)] = []
        var missing: [IndexColumn] = []
        for column in new.columns {
            if let index = free.firstIndex(where: { $0.path == column.path && $0.type == column.type }) {
                kept.append((free.remove(at: index).name, column.name))
            } else {
                missing.append(column)
            }
        }
        for column in free { try db.execute(sql: "ALTER TABLE \(old.table) DROP COLUMN \(column.name)") }
        let moved = kept.filter { $0.from != $0.to }
        for (from, to) in moved { try rename(from, to: "\(to)_new", in: old) }
        for (_, to) in moved { try rename("\(to)_new", to: to, in: old) }
        for column in missing {
            try db.execute(sql: "ALTER TABLE \(old.table) ADD COLUMN \(column.name) \(column.type)")
        }
    }

    private func rename(_ name: String, to newName: String, in table: SoupTable) throws {
        try db.execute(sql: "ALTER TABLE \(table.table) RENAME COLUMN \(name) TO \(newName)")
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
    }

    private func makeFullText(of table: SoupTable) throws {
        guard let create = table.createFullText(options.fullText) else { return }
        try db.execute(sql: create)
        try db.execute(sql: "INSERT INTO \(table.fullTextTable) (\(table.fullTextTable)) VALUES ('rebuild')")
    }

    /// Takes the values of columns from the entries.
    private func fill(_ columns: [IndexColumn], of table: SoupTable) throws {
        guard !columns.isEmpty else { return }
        let projection = JSONProjection(columns.map(\.path))
        var projected = JSONProjected()
        let select = try statement("SELECT id, soup FROM \(table.table) WHERE id > ? ORDER BY id LIMIT 500")
        let assignments = columns.map { "\($0.name) = ?" }.joined(separator: ", ")
        let update = try statement("UPDATE \(table.table) SET \(assignments) WHERE id = ?")
        defer {
            select.clear()
            update.clear()
        }
        var last = Int64.min
        while true {
            // A table must not change under a statement that reads it.
            var entries: [(id: Int64, text: [UInt8])] = []
            select.bind(last, at: 1)
            while try select.step() { entries.append((select.integer(0), Array(select.bytes(1)))) }
            select.reset()
            guard let end = entries.last?.id else { return }
            for (id, text) in entries {
                try JSONScanner.project(projection, from: text.span, in: text.indices, into: &projected)
                let values = columns.indices.map { column in
                    IndexValue(
                        projected.fields[column], in: text.span, collected: projected.collected,
                        for: columns[column].kind)
                }
                try text.withUnsafeBufferPointer { source in
                    for (position, value) in values.enumerated() {
                        try update.bind(value, from: source, at: position + 1)
                    }
                    update.bind(id, at: columns.count + 1)
                    try update.run()
                }
            }
            last = end
        }
    }
}
