// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupCore

/// The statement sequence of the reference (SmartStore and Mobile Sync on iOS), for a page saved by external id.
///
/// It has these properties of the reference: the rollback journal with full synchronisation and pages of 4,096 bytes;
/// one exclusive transaction per page; Foundation's JSON parser for the page and its writer for each entry; indexes on
/// `created`, `lastModified` and every path; all columns named in every statement, in the order of a dictionary; every
/// statement built as text, prepared and finalized for one use; a query of `sqlite_master` per call; a look-up by
/// external ID per entry, and a query of `sqlite_sequence` for a new one.
///
/// It omits, in the reference's favour, the encryption of the file, the conversion of Smart SQL, and the query for the
/// IDs of dirty records.
struct ReferenceStore: Contestant {
    let name = "reference"
    let repetitions = 1

    func open(in folder: String) throws -> any OpenStore { try OpenReferenceStore(path: folder + "/reference.db") }
}

private final class OpenReferenceStore: OpenStore {
    let path: String
    let table = SoupTable(name: "TABLE_1", columns: (0..<4).map { "TABLE_1_\($0)" })
    let keepsTexts = false
    private let database: RawSQLite
    private let soupName = BenchmarkSoup.name.rawValue
    /// The table and the columns of the paths; the reference caches both in memory.
    private var cachedTable: String?
    private var cachedColumns: [(path: String, column: String)]?

    init(path: String) throws {
        self.path = path
        database = try RawSQLite(path)
        try database.run("PRAGMA page_size = 4096")
        for statement in Self.schema { try database.run(statement) }
        try database.run("INSERT INTO soup_attrs (soupName) VALUES (?)", [.text(soupName)])
        for (index, spec) in BenchmarkSoup.indexes.enumerated() {
            try database.run(
                "INSERT INTO soup_index_map (soupName, path, columnName, columnType) VALUES (?, ?, ?, ?)",
                [.text(soupName), .text(spec.path.rawValue), .text("TABLE_1_\(index)"), .text(spec.kind.rawValue)])
        }
    }

    private static let schema =
        [
            "CREATE TABLE soup_attrs (id INTEGER PRIMARY KEY AUTOINCREMENT, soupName TEXT)",
            "CREATE INDEX soup_attrs_0 ON soup_attrs (soupName)",
            "CREATE TABLE soup_index_map (soupName TEXT, path TEXT, columnName TEXT, columnType TEXT)",
            """
            CREATE TABLE TABLE_1 (id INTEGER PRIMARY KEY AUTOINCREMENT, soup TEXT, created INTEGER, \
            lastModified INTEGER, TABLE_1_0 TEXT, TABLE_1_1 TEXT, TABLE_1_2 REAL, TABLE_1_3 TEXT)
            """,
        ]
        + ["created", "lastModified", "0", "1", "2", "3"].map { part in
            let column = Int(part) == nil ? part : "TABLE_1_\(part)"
            return "CREATE INDEX TABLE_1_\(part)_idx ON TABLE_1 ( \(column) )"
        }

    func close() {}

    func load(_ pages: ResponsePages) throws {
        for body in pages.bodies {
            let page = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            guard let records = page?["records"] as? [[String: Any]] else {
                throw ContestantError("a page has no records")
            }
            try upsert(records.map(stamped))
        }
    }

    /// Returns the record with the flags of a clean record and the ID of the sync.
    private func stamped(_ record: [String: Any]) -> [String: Any] {
        var copy = record
        for flag in ["__local__", "__locally_created__", "__locally_updated__", "__locally_deleted__"] {
            copy[flag] = false
        }
        copy["__sync_id__"] = BenchmarkSoup.syncId
        copy["__last_error__"] = nil
        return copy
    }

    private func upsert(_ entries: [[String: Any]]) throws {
        try database.run("BEGIN EXCLUSIVE")
        do {
            let table = try tableName()
            try database.run(
                "select [sql] from sqlite_master where [type]='table' and lower(name)=?",
                [
                    .text(table.lowercased())
                ])
            let columns = try indexedColumns()
            for entry in entries { try upsert(entry, into: table, columns: columns) }
            try database.run("COMMIT")
        } catch {
            _ = try? database.run("ROLLBACK")
            throw error
        }
    }

    private func tableName() throws -> String {
        if let cachedTable { return cachedTable }
        let rows = try database.run("SELECT id FROM soup_attrs WHERE soupName = ?", [.text(soupName)])
        guard case .integer(let id)? = rows.first?.first else { throw ContestantError("the soup is not registered") }
        cachedTable = "TABLE_\(id)"
        return "TABLE_\(id)"
    }

    private func indexedColumns() throws -> [(path: String, column: String)] {
        if let cachedColumns { return cachedColumns }
        let rows = try database.run(
            "SELECT path,columnName,columnType FROM soup_index_map WHERE soupName = ?", [.text(soupName)])
        let columns = rows.compactMap { row -> (path: String, column: String)? in
            guard case .text(let path) = row[0], case .text(let column) = row[1] else { return nil }
            return (path, column)
        }
        cachedColumns = columns
        return columns
    }

    private func upsert(
        _ entry: [String: Any], into table: String, columns: [(path: String, column: String)]
    ) throws {
        guard let externalId = project(entry, BenchmarkSoup.externalId.rawValue) as? String,
            let idColumn = columns.first(where: { $0.path == BenchmarkSoup.externalId.rawValue })?.column
        else { throw ContestantError("a record has no external ID") }
        let found = try database.run("SELECT id FROM \(table) WHERE \(idColumn) = ?  ", [.text(externalId)], limit: 2)
        let now = Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))

        // The text of the statement has the order of this dictionary, as in the reference.
        var values: [String: RawSQLite.Value] = ["lastModified": .integer(now)]
        for (path, column) in columns { values[column] = bindable(project(entry, path)) }
        var copy = entry
        copy["_soupLastModifiedDate"] = now
        if case .integer(let id)? = found.first?.first {
            copy["_soupEntryId"] = id
            values["soup"] = .text(try text(of: copy))
            try update(table, setting: values, of: id)
        } else {
            let rows = try database.run("SELECT seq FROM SQLITE_SEQUENCE WHERE name = ?", [.text(table)])
            var last: Int64 = 0
            if case .integer(let sequence)? = rows.first?.first { last = sequence }
            copy["_soupEntryId"] = last + 1
            values["soup"] = .text(try text(of: copy))
            values["created"] = .integer(now)
            try insert(table, values)
        }
    }

    private func insert(_ table: String, _ values: [String: RawSQLite.Value]) throws {
        var names = ""
        var marks = ""
        var bindings: [RawSQLite.Value] = []
        for (column, value) in values {
            names += (names.isEmpty ? "" : ",") + column
            marks += marks.isEmpty ? "?" : ",?"
            bindings.append(value)
        }
        try database.run("INSERT INTO \(table) (\(names)) VALUES (\(marks))", bindings)
    }

    private func update(_ table: String, setting values: [String: RawSQLite.Value], of id: Int64) throws {
        var assignments = ""
        var bindings: [RawSQLite.Value] = []
        for (column, value) in values {
            assignments += (assignments.isEmpty ? "" : ",") + column + "=?"
            bindings.append(value)
        }
        try database.run("UPDATE \(table) SET \(assignments) WHERE id = ?", bindings + [.integer(id)])
    }

    private func text(of entry: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: entry), as: UTF8.self)
    }

    /// Returns the value at a path, which is split at every call; supports only objects, which suffices for these records.
    private func project(_ entry: [String: Any], _ path: String) -> Any? {
        path.components(separatedBy: ".").reduce(entry as Any?) { value, key in (value as? [String: Any])?[key] }
    }

    private func bindable(_ value: Any?) -> RawSQLite.Value {
        switch value {
        case let value as String: .text(value)
        case let value as Bool: .integer(value ? 1 : 0)
        case let value as Double: .real(value)
        default: .null
        }
    }
}
