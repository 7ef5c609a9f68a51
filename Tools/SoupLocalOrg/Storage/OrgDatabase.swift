// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import SoupCore

/// The tables of an org: one for each object, in a temporary SQLite database or in the state file.
///
/// `_row` is the number inside the record's ID, so that sorting by row and by ID is the same. A deleted record is kept
/// with `IsDeleted`; `_deletedWith` names the record with which it was deleted.
enum OrgDatabase {
    /// Opens the database.
    ///
    /// - Parameters:
    ///   - file: the state file, which is locked while the org is open; nil for a temporary database: the part that
    ///     does not fit into memory is in an unnamed file.
    ///   - memory: the maximum memory of the database cache in KiB; sorting an index needs as much again.
    /// - Throws: ``SoupError`` with `storeUnusable` for a file that cannot be used.
    static func open(file: String?, memory: Int) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "LocalOrg"
        configuration.prepareDatabase { db in
            try TextOrder.install(in: db)
            FormattedValue.install(in: db)
            GreatCircle.install(in: db)
            FormulaFunctions.install(in: db)
            OrgZone.install(in: db)
            try db.execute(sql: "PRAGMA cache_size = -\(memory)")
            // A temporary database does not have to survive a crash.
            try db.execute(
                sql: file == nil
                    ? "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY"
                    : "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = NORMAL")
        }
        guard let file else { return try DatabaseQueue(path: "", configuration: configuration) }
        guard !file.isEmpty else {
            throw SoupError(.storeUnusable, "the state file has no name", hint: "Name a file that can be created.")
        }
        createPrivately(file)
        do {
            let queue = try DatabaseQueue(path: file, configuration: configuration)
            // Locks the file for as long as it is open.
            try queue.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE; COMMIT") }
            return queue
        } catch let error as DatabaseError {
            switch error.resultCode {
            case .SQLITE_NOTADB: throw foreign(file)
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                throw SoupError(
                    .storeUnusable, "the state file \(file) is in use",
                    hint: "Stop the org that uses it, or use another file.")
            default:
                throw SoupError(
                    .storeUnusable, "the state file \(file) cannot be opened: \(error.message ?? "\(error)")",
                    hint: "Check that the folder exists and that you have permission to write the file.")
            }
        }
    }

    /// Creates a missing file so that only its owner can read it: it holds records and tokens.
    ///
    /// If the file cannot be created, opening it reports the error.
    private static func createPrivately(_ file: String) {
        guard (try? Data().write(to: URL(filePath: file), options: .withoutOverwriting)) != nil else { return }
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// Returns the error for a file that was not created by an org.
    static func foreign(_ file: String) -> SoupError {
        SoupError(
            .storeUnusable, "\(file) is not the state of a local org",
            hint: "Use a new file, or the state file of an org.")
    }

    /// Creates the tables, columns and indexes of a schema that the database does not have: those that a later version
    /// of the standard objects adds.
    static func completeTables(_ schema: OrgSchema, in db: Database) throws {
        try db.execute(sql: ownTables)
        for object in schema.objects {
            let known = try columns(of: object.name, in: db)
            guard !known.isEmpty else {
                try createTable(object, in: db)
                continue
            }
            for field in object.fields where !known.contains(field.name) {
                guard field.type.storage != .none else { continue }
                let filling = field.type == .boolean && field.formula == nil ? " DEFAULT 0" : ""
                try db.execute(sql: "ALTER TABLE \(object.table) ADD COLUMN \(column(field))\(filling)")
            }
        }
        try createIndexes(schema, in: db)
    }

    /// Returns the columns of a table; none if the table does not exist.
    static func columns(of table: String, in db: Database) throws -> Set<String> {
        var known: Set<String> = []
        try db.statement("SELECT name FROM pragma_table_xinfo(?)", [.text(table)]).forEach {
            known.insert($0.text(0) ?? "")
        }
        return known
    }

    /// Drops every table and creates those of a schema, without indexes.
    static func createTables(_ schema: OrgSchema, in db: Database) throws {
        let old = try db.statement("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        var names: [String] = []
        try old.forEach { names.append($0.text(0) ?? "") }
        for name in names { try db.execute(sql: "DROP TABLE \"\(name)\"") }
        for object in schema.objects { try createTable(object, in: db) }
        try db.execute(sql: ownTables)
    }

    /// The tables beside those of the objects: recently viewed records, references that a deletion has cleared,
    /// permanently removed records that were deleted recently, and the org's state.
    private static let ownTables = """
        CREATE TABLE IF NOT EXISTS _recent (object TEXT, id TEXT, position INTEGER PRIMARY KEY, UNIQUE (object, id));
        CREATE TABLE IF NOT EXISTS _cleared (object TEXT, field TEXT, id TEXT, target TEXT, deletedWith TEXT);
        CREATE TABLE IF NOT EXISTS _gone (id TEXT PRIMARY KEY, object TEXT, deleted INTEGER);
        CREATE TABLE IF NOT EXISTS _org (name TEXT PRIMARY KEY, value TEXT);
        """

    static func createTable(_ object: OrgObject, in db: Database) throws {
        let columns = object.fields.filter { $0.type.storage != .none }.map(column)
        try db.execute(
            sql: "CREATE TABLE \(object.table) (_row INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")), "
                + "_deletedWith TEXT)")
    }

    /// Returns the definition of a stored field's column.
    static func column(_ field: OrgField) -> String {
        let type =
            switch field.type.storage {
            case .text: field.isExact ? "TEXT" : "TEXT COLLATE \(TextOrder.collation)"
            case .id, .date, .time, .blob, .none: "TEXT"
            case .boolean, .int, .dateTime: "INTEGER"
            case .real: "REAL"
            }
        let formula = field.formula.map { " GENERATED ALWAYS AS (\($0.sql)) VIRTUAL" } ?? ""
        return "\"\(field.name)\" \(type)\(formula)"
    }
}
