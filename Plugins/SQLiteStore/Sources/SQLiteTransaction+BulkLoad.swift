// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The first load of a soup: its indexes are built after the rows, which sorts once instead of searching for each row.
///
/// That a soup waits for its indexes is noted in `soup_attrs`, in the transaction that takes them away. Whoever comes
/// next finishes the work: the end of the load, a write outside of any load, or the next open of the store.
extension SQLiteTransaction {
    /// A batch that is smaller does not begin a load: creating the indexes twice would cost more than it saves.
    private static var smallestLoad: Int { 100 }

    /// Takes the indexes of an empty soup away when a load begins.
    ///
    /// The one that the load itself searches by goes too where ``LoadedKeys`` can stand in for it.
    func prepareForLoad(of count: Int, into table: SoupTable, matching: UpsertMatch) throws -> SoupTable {
        if table.indexesAreDeferred {
            guard case .path(let path) = matching else { return table }
            if try !loadedKeys.know(path, of: table, at: fileVersion()) { try buildIndex(on: path, of: table) }
            return table
        }
        guard options.isBulkLoading(), count >= Self.smallestLoad, try isEmpty(table) else { return table }
        let searched = try beginKeys(of: table, matching)
        for index in table.indexes where index.isDeferrable && (index.path == nil || index.path != searched) {
            try db.execute(sql: "DROP INDEX IF EXISTS \(index.name)")
        }
        try db.execute(sql: "UPDATE soup_attrs SET indexesDeferred = 1 WHERE id = ?", arguments: [table.number])
        // Rows go one behind the other now: memory gains nothing.
        try db.execute(sql: "PRAGMA cache_size = -\(SQLiteConnections.Pace.usual.cache)")
        noteSchemaChange()
        return try self.table(table.name)
    }

    /// Begins to note the keys of a load.
    ///
    /// - Returns: the path whose index must stay, because the keys there are not texts.
    private func beginKeys(of table: SoupTable, _ matching: UpsertMatch) throws -> JSONPath? {
        guard case .path(let path) = matching, table.spec(of: path) != nil else { return nil }
        guard table.columnPosition(of: path) != nil, table.kind(of: path) == .string else { return path }
        loadedKeys.begin(KeySet(path: path, fileVersion: try fileVersion()), of: table)
        return nil
    }

    /// SQLite's count of the commits that other connections have made.
    private func fileVersion() throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
    }

    /// Builds the indexes that loads have left out.
    func buildDeferredIndexes() throws {
        for table in try catalog().tables.values where table.indexesAreDeferred {
            // Sorting takes memory of its own.
            loadedKeys.forget(table)
            for index in table.indexes { try db.execute(sql: index.statement) }
            try db.execute(sql: "UPDATE soup_attrs SET indexesDeferred = 0 WHERE id = ?", arguments: [table.number])
            noteSchemaChange()
        }
    }

    /// Builds the indexes on a path that a load searches by, as far as they are not there; the others go on waiting.
    func buildIndex(on path: JSONPath, of table: SoupTable) throws {
        for index in table.indexes where index.path == path {
            let exists = try statement("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?")
            defer { exists.clear() }
            try exists.bind(index.name, at: 1)
            let isThere = try exists.step()
            exists.reset()
            if isThere { continue }
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
