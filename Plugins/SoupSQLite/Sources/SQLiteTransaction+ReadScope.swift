// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Restricts the tables that the queries of apps may read.
///
/// When a statement is prepared, SQLite's authorizer reports every table that it reads; GRDB stores this as the region
/// of the statement. It is checked here before the statement runs.
extension SQLiteTransaction {
    /// Checks a statement generated from a query spec: it may read only the soup of the spec.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec`.
    func require(_ select: RawStatement, readsOnly table: SoupTable) throws {
        let own = try region(of: table.readableNames)
        if own.union(select.region) == own { return }
        guard own.union(try regionAfterOpening(select)) == own else {
            throw SoupError(
                .badQuerySpec, "the query reads more than soup \"\(table.name)\"",
                hint: "Use Smart SQL to query several soups.")
        }
    }

    /// Checks a statement generated from Smart SQL: it may read the soups, their search indexes and the tables that
    /// list them.
    ///
    /// - Throws: ``SoupError`` with `sql`, which names the table.
    func requireReadable(_ select: RawStatement, diagnostics: SmartSQLDiagnostics) throws {
        let catalog = try catalog()
        var names: [String] { catalog.tables.values.flatMap(\.readableNames) + ReadScope.lists }
        let open = try catalog.openRegion { try self.region(of: names) }
        if open.union(select.region) == open { return }
        let region = try regionAfterOpening(select)
        if open.union(region) == open { return }
        // SQLite also reports the names of WITH clauses and of subqueries, which are in no list. Therefore a name is
        // allowed unless it is a table. `forbiddenTables(except:)` lists every table: the schemas list those of the
        // file and of the connection, and the pragmas list the virtual tables of modules and pragmas. No database is
        // attached.
        let forbidden = try forbiddenTables(except: Set(names.map { $0.lowercased() }))
        if let name = forbidden.first(where: { region.isModified(byEventsOfKind: .insert(tableName: $0)) }) {
            throw diagnostics.error(reading: name)
        }
    }

    /// Returns the region of a statement whose search indexes are already open.
    ///
    /// When a connection uses a search index for the first time, FTS5 reads tables of its own while the statement is
    /// prepared, and SQLite reports them as tables of the statement. A second preparation reports only the statement's
    /// own tables.
    private func regionAfterOpening(_ select: RawStatement) throws -> DatabaseRegion {
        try db.makeStatement(sql: select.sql).databaseRegion
    }

    private func region(of names: [String]) throws -> DatabaseRegion {
        try names.reduce(into: DatabaseRegion()) { region, name in
            region.formUnion(try Table(name).databaseRegion(db))
        }
    }

    /// Returns the tables that Smart SQL must not read: those of the file, and SQLite's virtual ones.
    private func forbiddenTables(except open: Set<String>) throws -> [String] {
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
    /// The readable tables that are not soups: the tables that list soups, SQLite's schema tables, and the functions
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
