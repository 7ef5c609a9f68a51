// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension OrgContext {
    /// Brings a deleted record back, with what went with it and the references that were emptied and not set since.
    ///
    /// A record that went with another can come back alone. What refers to a record that stays deleted loses the
    /// reference.
    ///
    /// - Throws: ``OrgError``: `UNDELETE_FAILED` for a record that is not in the recycle bin or whose master is there,
    ///   `DUPLICATE_VALUE` when a unique value has been given away since; nothing comes back then.
    func undelete(_ id: String) throws {
        let binned = OrgError(400, "UNDELETE_FAILED", "Entity is not in the recycle bin", fields: [])
        guard let id = RecordID.normalized(id), let object = schema.object(ofId: id), let row = try row(object, id),
            row.isDeleted(object)
        else { throw binned }
        var rows: [(OrgObject, StoredRow)] = [(object, row)]
        for other in schema.objects {
            var ids: [String] = []
            try OrgStatement(db, RecycleBin.deletedWith(other), [.text(id)]).forEach { ids.append($0.text(0) ?? "") }
            for otherId in ids where otherId != id {
                if let row = try self.row(other, otherId), row.isDeleted(other) { rows.append((other, row)) }
            }
        }
        try atomically {
            for (object, row) in rows {
                try OrgStatement(
                    db,
                    "UPDATE \(object.table) SET \"IsDeleted\" = 0, \"SystemModstamp\" = ?, _deletedWith = NULL "
                        + "WHERE _row = ?",
                    [.int(timestamp), .int(row.number)]
                ).run()
            }
            for (object, row) in rows { try settle(object, row) }
            let referring = try restoreReferences(to: id)
            rowsWritten += referring.union(rows.map { $1.id($0) }).count
        }
    }

    /// Sees to it that a record that has come back fits to those that are there.
    private func settle(_ object: OrgObject, _ row: StoredRow) throws {
        let validation = RecordValidation(context: self, object: object)
        for field in object.fields where field.isUnique {
            try validation.checkUnique(field, row.cells[field.position], own: row.id(object))
        }
        for field in object.fields where field.isReference {
            guard let id = row.cells[field.position].text, let target = schema.object(ofId: id) else { continue }
            let parent = try self.row(target, id)
            guard parent.map({ $0.isDeleted(target) }) ?? true else { continue }
            guard !field.isMasterDetail else {
                throw OrgError(400, "UNDELETE_FAILED", "The record's master, \(id), is deleted", fields: [field.name])
            }
            try OrgStatement(
                db, "UPDATE \(object.table) SET \"\(field.name)\" = NULL WHERE _row = ?", [.int(row.number)]
            ).run()
        }
    }

    /// - Returns: the ids of the records that refer to it again.
    private func restoreReferences(to id: String) throws -> Set<String> {
        var restored: Set<String> = []
        var cleared: [(object: String, field: String, id: String, target: String)] = []
        try OrgStatement(db, RecycleBin.clearedReferences, [.text(id)])
            .forEach {
                cleared.append(($0.text(0) ?? "", $0.text(1) ?? "", $0.text(2) ?? "", $0.text(3) ?? ""))
            }
        for (name, fieldName, childId, target) in cleared {
            guard let child = schema[name], let field = child.field(fieldName) else { continue }
            try OrgStatement(
                db,
                "UPDATE \(child.table) SET \"\(field.name)\" = ?1, \"SystemModstamp\" = "
                    // That of a deleted record tells when it was deleted.
                    + "CASE \"IsDeleted\" WHEN 1 THEN \"SystemModstamp\" ELSE ?2 END "
                    + "WHERE \"Id\" = ?3 AND \"\(field.name)\" IS NULL",
                [.text(target), .int(timestamp), .text(childId)]
            ).run()
            if db.changesCount > 0 { restored.insert(childId) }
        }
        try OrgStatement(db, RecycleBin.forgetCleared, [.text(id)]).run()
        return restored
    }
}
