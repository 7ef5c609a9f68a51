// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// What a delete does beside deleting its record.
    private struct DeletePlan {
        struct Cleared {
            var object: OrgObject
            var field: String
            var id: String
            /// The record that was referred to.
            var target: String
        }

        var rows: [(object: OrgObject, id: String)] = []
        var cleared: [Cleared] = []
        /// What refers to a record of the plan and must not lose it.
        var restricting: [(object: OrgObject, id: String, child: OrgObject, ids: [String])] = []
        var seen: Set<String> = []
    }

    /// Deletes a record softly, with what hangs on it.
    ///
    /// - Throws: ``OrgError`` with `DELETE_FAILED` when something refers to it, or to a record that would go with it,
    ///   and must not lose it; nothing is deleted then.
    func delete(_ object: OrgObject, _ row: StoredRow) throws {
        guard object.flags.deletable else {
            throw OrgError(
                400, "INSUFFICIENT_ACCESS_OR_READONLY", "insufficient access rights on object id", fields: [])
        }
        let id = row.id(object)
        let plan = try deletePlan(object, id)
        for cleared in plan.cleared where !plan.seen.contains(cleared.id) {
            try OrgStatement(
                db, "INSERT INTO _cleared (object, field, id, target, deletedWith) VALUES (?, ?, ?, ?, ?)",
                [.text(cleared.object.name), .text(cleared.field), .text(cleared.id), .text(cleared.target), .text(id)]
            ).run()
            try OrgStatement(
                db,
                "UPDATE \(cleared.object.table) SET \"\(cleared.field)\" = NULL, \"SystemModstamp\" = ? WHERE \"Id\" = ?",
                [.int(timestamp), .text(cleared.id)]
            ).run()
        }
        for (object, rowId) in plan.rows {
            try OrgStatement(
                db,
                "UPDATE \(object.table) SET \"IsDeleted\" = 1, \"SystemModstamp\" = ?, _deletedWith = ? "
                    + "WHERE \"Id\" = ?",
                [.int(timestamp), .text(id), .text(rowId)]
            ).run()
            try OrgStatement(db, "DELETE FROM _recent WHERE id = ?", [.text(rowId)]).run()
        }
        rowsWritten += plan.rows.count
    }

    private func deletePlan(_ object: OrgObject, _ id: String) throws -> DeletePlan {
        var plan = DeletePlan()
        plan.rows = [(object, id)]
        plan.seen = [id]
        var done = 0
        while done < plan.rows.count {
            let (object, id) = plan.rows[done]
            done += 1
            for child in object.children {
                guard let childObject = schema[child.object], let field = childObject.field(child.field) else {
                    continue
                }
                let ids = try ids(childObject, where: field, is: .text(id)).filter { !plan.seen.contains($0) }
                guard !ids.isEmpty else { continue }
                switch child.onDelete {
                case .restrict: plan.restricting.append((object, id, childObject, ids))
                case .cascade:
                    plan.rows += ids.map { (childObject, $0) }
                    plan.seen.formUnion(ids)
                case .clear:
                    plan.cleared += ids.map {
                        DeletePlan.Cleared(object: childObject, field: field.name, id: $0, target: id)
                    }
                }
            }
        }
        // What goes too, by another way, does not object.
        for (object, id, child, ids) in plan.restricting {
            let staying = ids.filter { !plan.seen.contains($0) }
            if !staying.isEmpty { throw try restricted(object, id, child, staying) }
        }
        return plan
    }

    private func restricted(
        _ object: OrgObject, _ id: String, _ child: OrgObject, _ ids: [String]
    ) throws -> OrgError {
        func name(_ object: OrgObject, _ id: String) throws -> String {
            guard let field = object.nameField, let row = try row(object, id) else { return id }
            return row.cells[field.position].text ?? id
        }
        let names = try ids.prefix(5).map { try name(child, $0) }.joined(separator: ", ")
        return OrgError(
            400, "DELETE_FAILED",
            "Your attempt to delete \(try name(object, id)) could not be completed because it is associated with the "
                + "following \(child.labelPlural.lowercased()).: \(names)", fields: [])
    }

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
            try OrgStatement(
                db, "SELECT \"Id\" FROM \(other.table) WHERE _deletedWith = ?1 AND \"Id\" <> ?1 AND \"IsDeleted\" = 1",
                [.text(id)]
            ).forEach { ids.append($0.text(0) ?? "") }
            for id in ids { if let row = try self.row(other, id) { rows.append((other, row)) } }
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
            try restoreReferences(to: id)
        }
        rowsWritten += rows.count
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

    private func restoreReferences(to id: String) throws {
        var cleared: [(object: String, field: String, id: String, target: String)] = []
        try OrgStatement(db, "SELECT object, field, id, target FROM _cleared WHERE deletedWith = ?", [.text(id)])
            .forEach {
                cleared.append(($0.text(0) ?? "", $0.text(1) ?? "", $0.text(2) ?? "", $0.text(3) ?? ""))
            }
        for (name, fieldName, childId, target) in cleared {
            guard let child = schema[name], let field = child.field(fieldName) else { continue }
            try OrgStatement(
                db,
                "UPDATE \(child.table) SET \"\(field.name)\" = ?, \"SystemModstamp\" = ? "
                    + "WHERE \"Id\" = ? AND \"\(field.name)\" IS NULL",
                [.text(target), .int(timestamp), .text(childId)]
            ).run()
        }
        try OrgStatement(db, "DELETE FROM _cleared WHERE deletedWith = ?", [.text(id)]).run()
    }

    /// Takes a record away for good, with what was deleted with it.
    ///
    /// - Throws: ``OrgError`` for an id that no record has, and as ``delete(_:_:)`` for one that is not deleted yet.
    func purge(_ id: String) throws {
        guard let id = RecordID.normalized(id), let object = schema.object(ofId: id), let row = try row(object, id)
        else { throw OrgError.missingTarget }
        try atomically {
            if !row.isDeleted(object) { try delete(object, row) }
            for other in schema.objects {
                try OrgStatement(
                    db, "DELETE FROM \(other.table) WHERE _deletedWith = ?1 OR \"Id\" = ?1", [.text(id)]
                ).run()
            }
            try OrgStatement(db, "DELETE FROM _cleared WHERE deletedWith = ?", [.text(id)]).run()
        }
        rowsWritten += 1
    }

    // MARK: Recent items

    /// Notes that the caller has seen records, in this order.
    ///
    /// - Parameter time: milliseconds since 1970; nil for now.
    func noteViewed(_ object: OrgObject, _ ids: [String], asReference: Bool = false, at time: Int64? = nil) throws {
        guard object.flags.mruEnabled else { return }
        for id in ids {
            let columns = asReference ? ["LastReferencedDate"] : ["LastViewedDate", "LastReferencedDate"]
            let set = columns.map { "\"\($0)\" = ?1" }.joined(separator: ", ")
            try OrgStatement(
                db, "UPDATE \(object.table) SET \(set) WHERE \"Id\" = ?2", [.int(time ?? timestamp), .text(id)]
            ).run()
            if asReference { continue }
            try OrgStatement(
                db,
                "INSERT OR REPLACE INTO _recent (object, id, position) "
                    + "VALUES (?, ?, (SELECT ifnull(max(position), 0) + 1 FROM _recent))",
                [.text(object.name), .text(id)]
            ).run()
        }
    }

    /// The records seen last, the latest first: of one object, or of all.
    func recent(_ object: OrgObject?, limit: Int) throws -> [JSONValue] {
        var found: [(object: String, id: String)] = []
        try OrgStatement(
            db, "SELECT object, id FROM _recent WHERE ?1 IS NULL OR object = ?1 ORDER BY position DESC LIMIT ?2",
            [object.map { .text($0.name) } ?? .null, .int(Int64(limit))]
        ).forEach { found.append(($0.text(0) ?? "", $0.text(1) ?? "")) }
        return try found.compactMap { name, id in
            guard let object = schema[name], let row = try row(object, id), !row.isDeleted(object) else { return nil }
            let label = object.nameField.flatMap { row.cells[$0.position].text }
            return [
                "attributes": ["type": .string(object.name), "url": .string(url(object, id))], "Id": .string(id),
                "Name": label.map { .string($0) } ?? .null,
            ]
        }
    }

    /// Where a record is.
    func url(_ object: OrgObject, _ id: String) -> String { "\(apiPath)/sobjects/\(object.name)/\(id)" }
}
