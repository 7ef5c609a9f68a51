// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The first load of a soup: its indexes are built after the rows, which sorts once instead of searching for each row.
///
/// The transaction that removes the indexes records in `soup_attrs` that they are deferred. They are built by the end
/// of the load, a write outside of any load, or the next open of the store.
extension SQLiteTransaction {
    /// The minimum size of a batch that begins a load: for smaller batches, creating the indexes again costs more than
    /// it saves.
    private static var minimumLoadCount: Int { 100 }

    /// Removes the indexes of an empty soup when a load begins.
    ///
    /// The index that the load itself uses is also removed if ``LoadedKeys`` can replace it.
    func prepareForLoad(of count: Int, into table: SoupTable, matching: UpsertMatch) throws -> SoupTable {
        if table.indexesAreDeferred {
            guard case .path(let path) = matching else { return table }
            if try !loadedKeys.hasKeys(at: path, of: table, version: fileVersion()) {
                try buildIndex(on: path, of: table)
            }
            return table
        }
        guard options.isBulkLoading(), count >= Self.minimumLoadCount, try isEmpty(table) else { return table }
        let searched = try beginKeys(of: table, matching)
        for index in table.indexes where index.isDeferrable && (index.path == nil || index.path != searched) {
            try db.execute(sql: "DROP INDEX IF EXISTS \(index.name)")
        }
        try db.execute(sql: "UPDATE soup_attrs SET indexesDeferred = 1 WHERE id = ?", arguments: [table.number])
        // Rows are now appended in order, so a larger cache has no effect.
        try db.execute(sql: "PRAGMA cache_size = -\(SQLiteConnections.WriterSettings.standard.cache)")
        noteSchemaChange()
        return try self.table(table.name)
    }

    /// Begins to record the keys of a load.
    ///
    /// - Returns: the path whose index must stay, because its keys are not texts.
    private func beginKeys(of table: SoupTable, _ matching: UpsertMatch) throws -> JSONPath? {
        guard case .path(let path) = matching, table.spec(of: path) != nil else { return nil }
        guard table.columnPosition(of: path) != nil, table.kind(of: path) == .string else { return path }
        loadedKeys.begin(KeySet(path: path, fileVersion: try fileVersion()), of: table)
        return nil
    }

    /// Returns SQLite's counter of commits by other connections.
    private func fileVersion() throws -> Int64 { try ForeignCommits.version(of: db) }

    /// Builds the indexes that loads have deferred.
    func buildDeferredIndexes() throws {
        for table in try catalog().tables.values where table.indexesAreDeferred {
            // Sorting needs memory as well.
            loadedKeys.removeKeys(of: table)
            for index in table.indexes { try db.execute(sql: index.statement) }
            try db.execute(sql: "UPDATE soup_attrs SET indexesDeferred = 0 WHERE id = ?", arguments: [table.number])
            noteSchemaChange()
        }
    }

    /// Builds the missing indexes on a path that a load searches by; the others stay deferred.
    func buildIndex(on path: JSONPath, of table: SoupTable) throws {
        for index in table.indexes where index.path == path {
            let exists = try statement("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?")
            defer { exists.clear() }
            try exists.bind(index.name, at: 1)
            let isBuilt = try exists.step()
            exists.reset()
            if isBuilt { continue }
            try db.execute(sql: index.statement)
            noteSchemaChange()
        }
    }

    private func isEmpty(_ table: SoupTable) throws -> Bool {
        let select = try statement("SELECT 1 FROM \(table.table) LIMIT 1")
        defer { select.clear() }
        return try !select.step()
    }
}
