// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Changes the org's objects while it has records.
struct SchemaChange {
    let context: OrgContext

    private var org: OrgCore { context.org }
    private var db: Database { context.db }

    /// Applies changes.
    ///
    /// - Parameter changes: by object, as in a seed document; null removes an object or a field.
    /// - Throws: ``ConfigurationError`` with every problem; then nothing is changed.
    func apply(_ changes: JSONObject) throws {
        let standard = try OrgDefinition.standardSchema()
        let patch = SchemaPatch(
            changes, of: org.definition, standard: standard, retired: org.counters.retiredPrefixes ?? [],
            recordTypes: org.counters.records["RecordType"] ?? 0)
        try Self.refuse(patch.problems + OrgDefinition.problems(of: patch.document))
        let definition = try OrgDefinition(patch.document)
        let difference = SchemaDifference(from: org.schema, to: definition.schema)
        // Problems that existed before are not reported.
        let before = SchemaCheck.dangling(in: org.schema, caller: context.caller())
        try Self.refuse(
            SchemaCheck.dangling(in: definition.schema, caller: context.caller()).filter { !before.contains($0) }
                + difference.problems)
        let state = (org.definition, org.schema, org.keys, org.counters, org.described)
        do {
            try context.atomically {
                try Self.refuse(try conflicts(difference, in: definition.schema))
                let old = org.schema
                org.definition = definition
                org.schema = definition.schema
                try changeTables(difference, from: old)
                try changeRecordTypes(from: old)
                try OrgDatabase.createIndexes(definition.schema, in: db)
                org.noteDescribed()
                try org.save(in: db)
            }
        } catch {
            (org.definition, org.schema, org.keys, org.counters, org.described) = state
            throw error
        }
        if difference.isDestructive { org.forgetWork() }
        org.binEnds = nil
    }

    private static func refuse(_ problems: [ConfigurationProblem]) throws {
        if !problems.isEmpty { throw ConfigurationError(problems) }
    }

    /// Returns the conflicts of a change with the stored rows.
    private func conflicts(_ difference: SchemaDifference, in new: OrgSchema) throws -> [ConfigurationProblem] {
        try difference.newColumns.filter(\.field.isMasterDetail).compactMap { try conflict(ofNewMaster: $0) }
            + difference.newMasters.compactMap { try conflict(ofMaster: $0, in: new) }
            + difference.newlyUnique.compactMap { try conflict(ofUnique: $0) }
            + difference.narrowed.compactMap { try conflict(ofNarrowed: $0) }
    }

    private static func problem(
        _ column: SchemaDifference.Column, _ message: String, hint: String
    ) -> ConfigurationProblem {
        let path: [ConfigurationStep] = [
            .key("objects"), .key(column.object.name), .key("fields"), .key(column.field.name),
        ]
        return ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint)
    }

    /// Returns the problem of a new field for a master: existing records would have no master.
    private func conflict(ofNewMaster column: SchemaDifference.Column) throws -> ConfigurationProblem? {
        let hasRows = try db.statement("SELECT 1 FROM \(column.object.table) LIMIT 1").first { _ in true }
        guard hasRows != nil else { return nil }
        return Self.problem(
            column, "\(column.object.name) has records, which would be without a master",
            hint: "Add a lookup, or purge the records before.")
    }

    /// Returns the problem of an existing field that becomes one for a master: a record has none of the new objects.
    private func conflict(ofMaster column: SchemaDifference.Column, in new: OrgSchema) throws -> ConfigurationProblem? {
        let name = "\"\(column.field.name)\""
        let prefixes = column.field.referenceTo.compactMap { new[$0]?.keyPrefix }
        let places = prefixes.map { _ in "?" }.joined(separator: ", ")
        let orphan = try db.statement(
            "SELECT 1 FROM \(column.object.table) WHERE \(name) IS NULL OR substr(\(name), 1, 3) NOT IN (\(places)) "
                + "LIMIT 1", prefixes.map { .text($0) }
        ).first { _ in true }
        guard orphan != nil else { return nil }
        return Self.problem(
            column, "\(column.object.name) has records that would be without a master",
            hint: "Give them one, or purge them, before.")
    }

    /// Returns the problem of a field that becomes unique: two records have the same value.
    private func conflict(ofUnique column: SchemaDifference.Column) throws -> ConfigurationProblem? {
        let (table, name) = (column.object.table, "\"\(column.field.name)\"")
        let isText = column.field.type.storage == .text
        let order = isText ? " COLLATE " + (column.field.isExact ? "BINARY" : TextOrder.collation) : ""
        let twice = try db.statement(
            "SELECT min(\(name) || '') FROM \(table) WHERE \"IsDeleted\" = 0 AND \(name) IS NOT NULL "
                + "GROUP BY \(name)\(order) HAVING count(*) > 1 LIMIT 1"
        ).first { $0.text(0) ?? "" }
        return twice.map { twice in
            Self.problem(
                column, "\(column.object.name).\(column.field.name) has \"\(twice)\" more than once",
                hint: "Change the records before.")
        }
    }

    /// Returns the problem of a field with a smaller limit: a record has a larger value.
    private func conflict(ofNarrowed column: SchemaDifference.Column) throws -> ConfigurationProblem? {
        try tooLarge(column).map { error in
            Self.problem(
                column,
                "a record has a value that is too large for \(column.object.name).\(column.field.name): "
                    + SeedCheck.reason(error), hint: "Change the records before.")
        }
    }

    /// Returns the error of a stored value that exceeds the new limits of its field; nil if there is none.
    private func tooLarge(_ column: SchemaDifference.Column) throws -> OrgError? {
        let name = "\"\(column.field.name)\""
        let field = column.field
        var found: OrgError?
        func check(_ cell: CellValue) {
            guard found == nil else { return }
            do throws(OrgError) {
                try RecordValidation.checkLimits(field, cell)
            } catch {
                // A restricted list of values applies to new values only.
                if error.items.first?.code != "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST" { found = error }
            }
        }
        switch field.type.storage {
        case .text where !field.isLongText || field.length < 131_072:
            try db.statement(
                "SELECT \(name) FROM \(column.object.table) WHERE length(CAST(\(name) AS BLOB)) > ?",
                [.int(Int64(field.length))]
            ).forEach { check(.text($0.text(0) ?? "")) }
        case .int, .real:
            try db.statement(
                "SELECT \(name) FROM \(column.object.table) WHERE \(name) IS NOT NULL ORDER BY abs(\(name)) DESC LIMIT 1"
            ).forEach { check(field.type.storage == .int ? .int($0.int(0)) : .real($0.double(0))) }
        default: break
        }
        return found
    }

    private func changeTables(_ difference: SchemaDifference, from old: OrgSchema) throws {
        try OrgDatabase.dropIndexes(except: org.schema, in: db)
        for object in difference.removed { try forget(object) }
        for column in difference.oldColumns { try forget(column) }
        for object in difference.added { try OrgDatabase.createTable(object, in: db) }
        for column in difference.newColumns {
            try db.execute(sql: "ALTER TABLE \(column.object.table) ADD COLUMN \(OrgDatabase.column(column.field))")
            try fill(column)
        }
        for column in difference.rebuiltColumns {
            let (table, name) = (column.object.table, "\"\(column.field.name)\"")
            try db.execute(sql: "DROP INDEX IF EXISTS \"\(column.object.name).\(column.field.name)\"")
            try db.execute(
                sql: """
                    ALTER TABLE \(table) RENAME COLUMN \(name) TO _before;
                    ALTER TABLE \(table) ADD COLUMN \(OrgDatabase.column(column.field));
                    UPDATE \(table) SET \(name) = _before;
                    ALTER TABLE \(table) DROP COLUMN _before;
                    """)
        }
        for object in org.schema.objects { try dropReferences(of: object, from: old) }
    }

    /// Removes an object's table, and everything that other tables store of its records.
    private func forget(_ object: OrgObject) throws {
        try db.execute(sql: "DROP TABLE \(object.table)")
        let name = CellValue.text(object.name)
        for sql in [
            "DELETE FROM _recent WHERE object = ?", "DELETE FROM _gone WHERE object = ?",
            "DELETE FROM _cleared WHERE object = ?", "DELETE FROM \"RecordType\" WHERE \"SobjectType\" = ?",
        ] {
            try db.statement(sql, [name]).run()
        }
        org.keys = org.keys.filter { RecordID.prefix($0.value) != object.keyPrefix }
        org.counters.retiredPrefixes = (org.counters.retiredPrefixes ?? []) + [object.keyPrefix]
        for field in object.fields { org.counters.fields["\(object.name).\(field.name)"] = nil }
    }

    private func forget(_ column: SchemaDifference.Column) throws {
        try db.execute(sql: "ALTER TABLE \(column.object.table) DROP COLUMN \"\(column.field.name)\"")
        try db.statement(
            "DELETE FROM _cleared WHERE object = ? AND field = ?",
            [.text(column.object.name), .text(column.field.name)]
        ).run()
        org.counters.fields["\(column.object.name).\(column.field.name)"] = nil
    }

    /// Fills a new field of existing rows with the value that the org would have set.
    private func fill(_ column: SchemaDifference.Column) throws {
        let (object, field) = (column.object, column.field)
        guard field.formula == nil else { return }
        let update = "UPDATE \(object.table) SET \"\(field.name)\" = "
        if let format = field.autonumber {
            var rows: [Int64] = []
            try db.statement("SELECT _row FROM \(object.table) ORDER BY _row").forEach { rows.append($0.int(0)) }
            for row in rows {
                let number = org.nextAutonumber(of: field, in: object, format: format, at: context.timestamp)
                try db.statement(update + "? WHERE _row = ?", [.text(number), .int(row)]).run()
            }
        } else if field.type == .boolean {
            let value = try field.defaultValue.map { try FieldCoercion.cell($0, for: field) } ?? .null
            try db.statement(update + "?", [value.isNull ? .int(0) : value]).run()
        } else if field.name == "OwnerId" {
            try db.statement(update + "?", [.text(org.definition.caller.id)]).run()
        } else if field.isNameField, field.isDefaulted {
            try db.statement(update + "substr(\"Id\", 1, 15)").run()
        }
    }

    /// Clears references to objects that a field may not refer to any more.
    private func dropReferences(of object: OrgObject, from old: OrgSchema) throws {
        for field in object.fields where field.isReference {
            let before = old[object.name]?.field(field.name)?.referenceTo ?? []
            for target in before where !field.referenceTo.contains(target) {
                guard let prefix = old[target]?.keyPrefix else { continue }
                try db.statement(
                    "UPDATE \(object.table) SET \"\(field.name)\" = NULL WHERE substr(\"\(field.name)\", 1, 3) = ?",
                    [.text(prefix)]
                ).run()
            }
        }
    }

    /// Updates the records of record types to the schema.
    private func changeRecordTypes(from old: OrgSchema) throws {
        let schema = org.schema
        guard let table = schema["RecordType"]?.table else { return }
        for object in schema.objects {
            let before = old[object.name]?.recordTypes ?? []
            for type in before where !object.recordTypes.contains(where: { $0.id == type.id }) {
                try db.statement("DELETE FROM \(table) WHERE \"Id\" = ?", [.text(type.id)]).run()
                guard object.field("RecordTypeId") != nil else { continue }
                try db.statement(
                    "UPDATE \(object.table) SET \"RecordTypeId\" = NULL WHERE \"RecordTypeId\" = ?",
                    [.text(type.id)]
                ).run()
            }
        }
        let added = schema.objects.flatMap { object in
            object.recordTypes.filter { type in
                !(old[object.name]?.recordTypes.contains { $0.id == type.id } ?? false)
            }.map { (object, $0) }
        }
        let loader = SeedLoader(org: org, db: db)
        for (object, type) in added.sorted(by: { $0.1.id < $1.1.id }) {
            var row = SeedLoader.row(of: type, object: object, schema: schema)
            row.modified = context.timestamp
            try loader.insert([row])
        }
        for type in schema.objects.flatMap(\.recordTypes) {
            try db.statement(
                "UPDATE \(table) SET \"Name\" = ?1 WHERE \"Id\" = ?2 AND \"Name\" IS NOT ?1",
                [.text(type.name), .text(type.id)]
            ).run()
        }
    }
}
