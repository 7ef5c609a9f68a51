// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import SoupCore
import Synchronization

@testable import SoupSQLite

/// An index of the table of soup `s`, the only soup of its store, as SQLite stores it.
struct TableIndex: Hashable {
    let name: String
    /// The page at which the tree of the index begins; it changes when the index is rebuilt.
    let rootPage: Int64
    /// The indexed columns, written as paths and kinds: `( {a string} ) WHERE {a string} = 'true'`.
    let definition: String

    static func all(of store: SQLiteStore) async throws -> [TableIndex] {
        try await store.connections.read { transaction in
            let table = try transaction.table("s")
            let rows = try Row.fetchAll(
                transaction.db,
                sql:
                    "SELECT name, rootpage, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? ORDER BY name",
                arguments: [table.table])
            return rows.map { row in
                let (name, page, sql): (String, Int64, String) = (row[0], row[1], row[2])
                var definition = sql.replacing("CREATE INDEX \(name) ON \(table.table) ", with: "")
                for column in table.columns {
                    definition = definition.replacing(column.name + " ", with: "{\(column.path) \(column.kind)} ")
                }
                return TableIndex(name: name, rootPage: page, definition: definition)
            }
        }
    }
}

extension SQLiteStore {
    /// The page at which the search index of soup `s` begins; nil if the soup has none.
    func fullTextPage() async throws -> Int64? {
        try await connections.read { transaction in
            let table = try transaction.table("s").fullTextTable
            return try Int64.fetchOne(
                transaction.db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [table + "_data"])
        }
    }

    /// Checks with SQLite that the indexes and the search indexes match the rows.
    ///
    /// - Throws: the error of SQLite for a search index that does not match.
    func checkIntegrity() async throws {
        try await connections.write { transaction in
            let found = try String.fetchAll(transaction.db, sql: "PRAGMA integrity_check")
            guard found == ["ok"] else { throw SoupError("notWhole", found.joined(separator: "; ")) }
            for table in try transaction.catalog().tables.values where table.hasFullText {
                let name = table.fullTextTable
                try transaction.db.execute(
                    sql: "INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)")
            }
        }
    }

    /// Calls `before` before every statement that the writing connection runs during `work`.
    func tracing<T>(
        _ before: @escaping @Sendable (Database, String) -> Void, _ work: () async throws -> T
    ) async throws -> T {
        try await connections.withWriter { db in
            db.trace(options: .statement) { event in
                if case .statement(let statement) = event { before(db, statement.sql) }
            }
        }
        let result: Result<T, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        try await connections.withWriter { db in db.trace() }
        return try result.get()
    }

    /// Returns the statements that the writing connection runs during `work`.
    func statements(_ work: () async throws -> Void) async throws -> [String] {
        let seen = Mutex<[String]>([])
        try await tracing({ _, sql in seen.withLock { $0.append(sql) } }, work)
        return seen.withLock { $0 }
    }
}
