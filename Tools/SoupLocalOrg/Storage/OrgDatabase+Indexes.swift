// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension OrgDatabase {
    /// Creates missing indexes and drops those that the schema no longer has.
    ///
    /// Call it after the rows are inserted, which is several times faster. SQLite's statistics are updated only if an
    /// index is created, because that reads every index.
    static func createIndexes(_ schema: OrgSchema, in db: Database) throws {
        let known = try dropIndexes(except: schema, in: db)
        let missing = wanted(schema).filter { !known.contains($0.name) }
        for index in missing { try db.execute(sql: index.sql) }
        if !missing.isEmpty { try db.execute(sql: "ANALYZE") }
    }

    /// Drops the indexes that a schema does not have.
    ///
    /// - Returns: the names of the remaining ones.
    @discardableResult
    static func dropIndexes(except schema: OrgSchema, in db: Database) throws -> Set<String> {
        var known: Set<String> = []
        try db.statement("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").forEach {
            known.insert($0.text(0) ?? "")
        }
        let old = known.subtracting(wanted(schema).map(\.name))
        for name in old { try db.execute(sql: "DROP INDEX \"\(name)\"") }
        return known.subtracting(old)
    }

    private static func wanted(_ schema: OrgSchema) -> [(name: String, sql: String)] {
        schema.objects.flatMap(indexes) + ownIndexes
    }

    private static let ownIndexes = [
        (name: "_cleared.deletedWith", sql: "CREATE INDEX \"_cleared.deletedWith\" ON _cleared (deletedWith)"),
        (name: "_gone.object", sql: "CREATE INDEX \"_gone.object\" ON _gone (object, deleted)"),
    ]

    /// Returns the indexes of an object.
    ///
    /// The indexes of deleted records are partial: other records do not slow them down.
    private static func indexes(of object: OrgObject) -> [(name: String, sql: String)] {
        func index(_ name: String, on column: String, isUnique: Bool = false, where condition: String = "") -> (
            name: String, sql: String
        ) {
            // No name contains a dot, so the names of Visit_Item and of Visit with a field Item_... differ.
            let name = "\(object.name).\(name)"
            let sql =
                "CREATE \(isUnique ? "UNIQUE " : "")INDEX \"\(name)\" ON \(object.table) (\"\(column)\")\(condition)"
            return (name, sql)
        }
        let indexed = object.fields.filter { field in
            let refersToParent =
                field.isReference && !["CreatedById", "LastModifiedById", "OwnerId"].contains(field.name)
            return field.name != "Id" && (refersToParent || field.isExternalId || field.isUnique || field.isIdLookup)
        }
        return [index("Id", on: "Id", isUnique: true)] + indexed.map { index($0.name, on: $0.name) } + [
            index("LastModifiedDate", on: "LastModifiedDate"), index("SystemModstamp", on: "SystemModstamp"),
            index("_deletedWith", on: "_deletedWith", where: " WHERE _deletedWith IS NOT NULL"),
            index("_bin", on: "SystemModstamp", where: " WHERE \"IsDeleted\" = 1"),
        ]
    }
}
