// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Which tables the queries of apps may read.
///
/// SQLite's authorizer reports every table that a statement reads when it is prepared; GRDB keeps that as the region of
/// the statement. It is compared here before the statement runs.
extension SQLiteTransaction {
    /// Checks a statement that was made of a query spec: it may read the soup of the spec and nothing else.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec`.
    func require(_ select: RawStatement, readsOnly table: SoupTable) throws {
        let own = try region(of: table.readableNames)
        if own.union(select.region) == own { return }
        guard own.union(try regionAfterOpening(select)) == own else {
            throw SoupError(
                .badQuerySpec, "the query reads more than soup \"\(table.name)\"",
                hint: "Use Smart SQL to query several soups")
        }
    }

    /// Checks a statement that was made of Smart SQL: it may read the soups, their search indexes and the tables that
    /// list them.
    ///
    /// - Throws: ``SoupError`` with `sql`, which names the table.
    func requireReadable(_ select: RawStatement, _ blame: SmartSQLBlame) throws {
        let catalog = try catalog()
        var names: [String] { catalog.tables.values.flatMap(\.readableNames) + ReadScope.lists }
        let open = try catalog.openRegion { try self.region(of: names) }
        if open.union(select.region) == open { return }
        let region = try regionAfterOpening(select)
        if open.union(region) == open { return }
        // SQLite also reports the names of WITH clauses and of subqueries, which no list contains. Therefore a name is
        // allowed unless it is a table. Each table is in the lists of `closedTables(except:)`: those of the file and of
        // the connection in the schemas, those that modules and pragmas make up in the lists of both. No database is
        // attached.
        let refused = try closedTables(except: Set(names.map { $0.lowercased() }))
        if let name = refused.first(where: { region.isModified(byEventsOfKind: .insert(tableName: $0)) }) {
            throw blame.error(reading: name)
        }
    }

    /// What a statement reads when its search indexes are open.
    ///
    /// FTS5 reads tables of its own when a connection names a search index for the first time, in the middle of the
    /// preparation of the statement, and they are reported with those of the statement. The second preparation reports
    /// only these.
    private func regionAfterOpening(_ select: RawStatement) throws -> DatabaseRegion {
        try db.makeStatement(sql: select.sql).databaseRegion
    }

    private func region(of names: [String]) throws -> DatabaseRegion {
        try names.reduce(into: DatabaseRegion()) { region, name in
            region.formUnion(try Table(name).databaseRegion(db))
        }
    }

    /// The tables of the file, and those that SQLite makes up, which Smart SQL may not read.
    private func closedTables(except open: Set<String>) throws -> [String] {
        let tables = try String.fetchAll(
            db,
            sql: """
                SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')
                UNION SELECT name FROM sqlite_temp_schema WHERE type IN ('table', 'view')
                UNION SELECT name FROM pragma_module_list UNION SELECT 'pragma_' || name FROM pragma_pragma_list
                """)
        return tables.filter { !open.contains($0.lowercased()) }
    }
}

private enum ReadScope {
    /// Beside soups: the tables that list them, what SQLite tells of their columns and of the file, and the functions
    /// that read JSON.
    static let lists = [
        "soup_attrs", "soup_index_map", "long_operations_status", "sqlite_schema", "sqlite_master", "sqlite_sequence",
        "json_each", "json_tree", "pragma_table_info", "pragma_table_xinfo", "pragma_index_list", "pragma_index_info",
        "pragma_index_xinfo", "pragma_integrity_check", "pragma_quick_check", "pragma_page_size", "pragma_page_count",
        "pragma_freelist_count", "pragma_journal_mode", "pragma_encoding", "pragma_user_version",
        "pragma_schema_version", "pragma_application_id", "pragma_compile_options", "pragma_function_list",
    ]
}

extension SoupTable {
    /// The names of the tables that belong to the soup and that queries may read.
    fileprivate var readableNames: [String] { hasFullText ? [table, fullTextTable] : [table] }
}
