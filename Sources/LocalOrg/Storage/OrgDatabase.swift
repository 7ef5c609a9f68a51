// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The tables of an org: one for each object, in a SQLite database that lives as long as the org.
///
/// `_row` is the counter inside the record's id, so that order by row and order by id are the same. A deleted record stays
/// with `IsDeleted`; `_deletedWith` names the record whose delete took it along.
enum OrgDatabase {
    /// Opens the database, empty.
    ///
    /// - Parameter path: a file that is made anew; nil for memory.
    static func open(path: String?) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "LocalOrg"
        configuration.prepareDatabase { db in
            try TextOrder.install(in: db)
            FormattedValue.install(in: db)
            GreatCircle.install(in: db)
            // Nothing has to survive: a crash ends the org.
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA temp_store = MEMORY")
        }
        return try path.map { try DatabaseQueue(path: $0, configuration: configuration) }
            ?? DatabaseQueue(configuration: configuration)
    }

    /// Takes every table away and makes those of a schema, without indexes.
    static func createTables(_ schema: OrgSchema, in db: Database) throws {
        let old = try OrgStatement(
            db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        var names: [String] = []
        try old.forEach { names.append($0.text(0) ?? "") }
        for name in names { try db.execute(sql: "DROP TABLE \"\(name)\"") }
        for object in schema.objects {
            let columns = object.fields.compactMap { field in columnType(field).map { "\"\(field.name)\" \($0)" } }
            try db.execute(
                sql: "CREATE TABLE \(object.table) (_row INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")), "
                    + "_deletedWith TEXT)")
        }
        try db.execute(
            sql: """
                CREATE TABLE _recent (object TEXT, id TEXT, position INTEGER PRIMARY KEY, UNIQUE (object, id));
                CREATE TABLE _cleared (object TEXT, field TEXT, id TEXT, target TEXT);
                """)
    }

    /// Makes the indexes; after the rows, because that is several times faster.
    static func createIndexes(_ schema: OrgSchema, in db: Database) throws {
        for object in schema.objects {
            try db.execute(sql: "CREATE UNIQUE INDEX \"\(object.name)_Id\" ON \(object.table) (\"Id\")")
            let isParentReference: (OrgField) -> Bool = { field in
                field.isReference && !["CreatedById", "LastModifiedById", "OwnerId"].contains(field.name)
            }
            for field in object.fields
            where isParentReference(field) || field.isExternalId || field.isUnique || field.isIdLookup {
                guard field.name != "Id" else { continue }
                try createIndex(object, field.name, in: db)
            }
            try createIndex(object, "LastModifiedDate", in: db)
            try createIndex(object, "SystemModstamp", in: db)
        }
        try db.execute(sql: "ANALYZE")
    }

    private static func createIndex(_ object: OrgObject, _ field: String, in db: Database) throws {
        try db.execute(sql: "CREATE INDEX \"\(object.name)_\(field)\" ON \(object.table) (\"\(field)\")")
    }

    private static func columnType(_ field: OrgField) -> String? {
        switch field.type.storage {
        case .text: field.isExact ? "TEXT" : "TEXT COLLATE \(TextOrder.collation)"
        case .id, .date, .time: "TEXT"
        case .boolean, .int, .dateTime: "INTEGER"
        case .real: "REAL"
        case .none: nil
        }
    }
}
