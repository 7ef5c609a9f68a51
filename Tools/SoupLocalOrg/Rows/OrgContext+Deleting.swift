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
        let cleared = plan.cleared.filter { !plan.seen.contains($0.id) }
        for cleared in cleared {
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
        rowsWritten += plan.rows.count + Set(cleared.map(\.id)).count
        org.noteBinned(at: timestamp)
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
}
