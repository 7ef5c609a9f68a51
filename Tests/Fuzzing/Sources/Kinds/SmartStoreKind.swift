// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDBSQLite
internal import SoupCore
internal import SoupKit

/// The import of SmartStore databases: the input is the SQL that creates one, errors in it are ignored.
///
/// An import is complete, or throws an error with a hint and changes nothing. The file does not change.
struct SmartStoreKind: FuzzKind {
    let name = "smartstore"
    let words = [
        "CREATE TABLE", "CREATE VIEW soup_attrs AS SELECT 1 AS id, 's' AS soupName;", "WITHOUT ROWID", "STRICT",
        "INTEGER PRIMARY KEY", "TEXT", "BLOB", "x'7B7D'", "NULL", "-1", "9223372036854775807", "1e300",
        "GENERATED ALWAYS AS (1)", "soup_names", "soup_attrs", "soup_index_map", "TABLE_1", "TABLE_1_old", "TABLE_2",
        "externalStorage", "long_operations_status", "sqlite_sequence", "syncs_soup", "syncs_owners", "full_text",
        "json1", "'a:b'", "'{\"__local__\":1}'", "'{\"__local__\":[]}'", "'[1]'", "'{\"_soupEntryId\":1}'",
        "PRAGMA encoding = 'UTF-16';", "PRAGMA journal_mode = WAL;", "PRAGMA application_id = 1399813488;",
        "PRAGMA writable_schema = ON;", "UPDATE sqlite_master SET rootpage = 2;", "DELETE FROM",
    ]

    func check(_ input: [UInt8]) async throws -> String {
        let folder = URL.temporaryDirectory.appending(path: "fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "smartstore.db")
        try Self.create(file, String(decoding: input, as: UTF8.self))
        let before = try? Data(contentsOf: file)
        let store = SmartStore(MemoryStore())
        let outcome: String
        do {
            let result = try await store.importSmartStore(file, importing: .init(skipsUnreadable: true))
            for soup in result.soups {
                let count = try await store.count(.all(soup.name))
                let dirty = try await store.read { try $0.dirtyIds(in: soup.name).count }
                try require(count == soup.entries, "\(count) of \(soup.entries) entries of \(soup.name)")
                try require(dirty == soup.unsent, "\(dirty) of \(soup.unsent) local changes of \(soup.name)")
                for entry in try await store.query(.all(soup.name, pageSize: 100)).entries {
                    try require(entry.damage(in: soup.name) == nil, "a damaged entry was imported: \(entry.stored)")
                    try require(entry.stored[JSONPath(EntryField.entryId)] == nil, "a system field was stored")
                }
            }
            let reason = result.leftOut.first?.reason ?? "all entries"
            outcome = outline("imported", reason.replacingOccurrences(of: folder.path, with: ""))
        } catch let error as SoupError {
            try require(error.hint != nil, "the error has no hint: \(error)")
            try require(try await store.soupNames() == [], "a refused import has registered soups")
            outcome = outline(error.code.rawValue, error.message)
        }
        try require((try? Data(contentsOf: file)) == before, "the import has changed the file")
        return outcome
    }

    /// Creates a database; statements that take long are interrupted.
    private static func create(_ file: URL, _ sql: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open(file.path, &database) == SQLITE_OK else { throw Violation("the file cannot be created") }
        // The input must not write to other files.
        sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_progress_handler(database, 200_000, { _ in 1 }, nil)
        for statement in sql.split(separator: ";") { sqlite3_exec(database, String(statement), nil, nil, nil) }
    }
}
