// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Undeletes records.
struct RecordUndeletion {
    let context: OrgContext

    /// Undeletes a record, with the records deleted with it and the references that the deletion cleared and that are
    /// still empty.
    ///
    /// A record that was deleted with another can be undeleted alone. References to a record that stays deleted are
    /// cleared.
    ///
    /// - Throws: ``OrgError``: `UNDELETE_FAILED` for a record that is not in the recycle bin or whose master is there,
    ///   `DUPLICATE_VALUE` if another record has a unique value by now; then nothing is undeleted.
    func undelete(_ id: String) throws {
        let binned = OrgError(400, "UNDELETE_FAILED", message: "Entity is not in the recycle bin", fields: [])
        guard let id = RecordID.normalized(id), let object = context.schema.object(ofId: id),
            let row = try context.rows.row(of: object, id: id), row.isDeleted(object)
        else { throw binned }
        var rows: [(OrgObject, StoredRow)] = [(object, row)]
        for other in context.schema.objects {
            var ids: [String] = []
            try context.db.statement(RecycleBinSQL.deletedWith(other), [.text(id)])
                .forEach { ids.append($0.text(0) ?? "") }
            for otherId in ids where otherId != id {
                if let row = try context.rows.row(of: other, id: otherId), row.isDeleted(other) {
                    rows.append((other, row))
                }
            }
        }
        try context.atomically {
            for (object, row) in rows {
                try context.db.statement(
                    "UPDATE \(object.table) SET \"IsDeleted\" = 0, \"SystemModstamp\" = ?, _deletedWith = NULL "
                        + "WHERE _row = ?",
                    [.int(context.timestamp), .int(row.number)]
                ).run()
            }
            for (object, row) in rows { try checkConsistency(of: row, object) }
            let referring = try restoreReferences(to: id)
            context.rowsWritten += referring.union(rows.map { $1.id($0) }).count
        }
    }

    /// Checks the unique values of an undeleted record, and clears its references to deleted records.
    private func checkConsistency(of row: StoredRow, _ object: OrgObject) throws {
        let validation = RecordValidation(context: context, object: object)
        for field in object.fields where field.isUnique {
            try validation.checkUnique(field, row.cells[field.position], own: row.id(object))
        }
        for field in object.fields where field.isReference {
            guard let id = row.cells[field.position].text, let target = context.schema.object(ofId: id) else {
                continue
            }
            let parent = try context.rows.row(of: target, id: id)
            guard parent.map({ $0.isDeleted(target) }) ?? true else { continue }
            guard !field.isMasterDetail else {
                throw OrgError(
                    400, "UNDELETE_FAILED", message: "The record's master, \(id), is deleted", fields: [field.name])
            }
            try context.db.statement(
                "UPDATE \(object.table) SET \"\(field.name)\" = NULL WHERE _row = ?", [.int(row.number)]
            ).run()
        }
    }

    /// Restores the references that the deletion of a record cleared.
    ///
    /// - Returns: the IDs of the records that refer to it again.
    private func restoreReferences(to id: String) throws -> Set<String> {
        var restored: Set<String> = []
        var cleared: [(object: String, field: String, id: String, target: String)] = []
        try context.db.statement(RecycleBinSQL.clearedReferences, [.text(id)])
            .forEach {
                cleared.append(($0.text(0) ?? "", $0.text(1) ?? "", $0.text(2) ?? "", $0.text(3) ?? ""))
            }
        for (name, fieldName, childId, target) in cleared {
            guard let child = context.schema[name], let field = child.field(fieldName) else { continue }
            try context.db.statement(
                "UPDATE \(child.table) SET \"\(field.name)\" = ?1, \"SystemModstamp\" = "
                    // The timestamp of a deleted record is the time of its deletion.
                    + "CASE \"IsDeleted\" WHEN 1 THEN \"SystemModstamp\" ELSE ?2 END "
                    + "WHERE \"Id\" = ?3 AND \"\(field.name)\" IS NULL",
                [.text(target), .int(context.timestamp), .text(childId)]
            ).run()
            if context.db.changesCount > 0 { restored.insert(childId) }
        }
        try context.db.statement(RecycleBinSQL.forgetCleared, [.text(id)]).run()
        return restored
    }
}
