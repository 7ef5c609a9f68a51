// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Deletes records softly, with the records that are deleted with them.
struct RecordDeletion {
    let context: OrgContext

    /// The changes that deleting a record makes.
    private struct Plan {
        struct Cleared {
            var object: OrgObject
            var field: String
            var id: String
            /// The record that the field referred to.
            var target: String
        }

        struct Restriction {
            var object: OrgObject
            var id: String
            /// The object of the records that refer to it, and their IDs.
            var child: OrgObject
            var ids: [String]
        }

        var rows: [(object: OrgObject, id: String)] = []
        var cleared: [Cleared] = []
        /// The references to records of the plan that do not allow a deletion.
        var restricting: [Restriction] = []
        var seen: Set<String> = []
    }

    /// Deletes a record softly, with its dependent records.
    ///
    /// - Throws: ``OrgError`` with `DELETE_FAILED` if a reference to the record, or to a record that would be deleted
    ///   with it, does not allow the deletion; then nothing is deleted.
    func delete(_ row: StoredRow, of object: OrgObject) throws {
        guard object.flags.deletable else {
            throw OrgError(
                400, "INSUFFICIENT_ACCESS_OR_READONLY", message: "insufficient access rights on object id", fields: [])
        }
        let id = row.id(object)
        let plan = try plan(object, id: id)
        let cleared = plan.cleared.filter { !plan.seen.contains($0.id) }
        for cleared in cleared {
            try context.db.statement(
                "INSERT INTO _cleared (object, field, id, target, deletedWith) VALUES (?, ?, ?, ?, ?)",
                [.text(cleared.object.name), .text(cleared.field), .text(cleared.id), .text(cleared.target), .text(id)]
            ).run()
            try context.db.statement(
                "UPDATE \(cleared.object.table) SET \"\(cleared.field)\" = NULL, \(Self.stamp) WHERE \"Id\" = ?3",
                [.int(context.timestamp), .int(context.org.timestamp), .text(cleared.id)]
            ).run()
        }
        for (object, rowId) in plan.rows {
            try context.db.statement(
                "UPDATE \(object.table) SET \"IsDeleted\" = 1, _deletedWith = ?3, \(Self.stamp) WHERE \"Id\" = ?4",
                [.int(context.timestamp), .int(context.org.timestamp), .text(id), .text(rowId)]
            ).run()
            try context.db.statement("DELETE FROM _recent WHERE id = ?", [.text(rowId)]).run()
        }
        context.rowsWritten += plan.rows.count + Set(cleared.map(\.id)).count
        context.org.noteBinned(at: context.timestamp)
    }

    /// Sets the time of the change, as `OrgContext.timestamp(after:)` does: ?1 is the start of the transaction, and ?2
    /// the current time.
    private static let stamp =
        #""SystemModstamp" = CASE WHEN "SystemModstamp" < ?1 THEN ?1 ELSE ?2 END"#

    private func plan(_ object: OrgObject, id: String) throws -> Plan {
        var plan = Plan()
        plan.rows = [(object, id)]
        plan.seen = [id]
        var done = 0
        while done < plan.rows.count {
            let (object, id) = plan.rows[done]
            done += 1
            for child in object.children {
                guard let childObject = context.schema[child.object], let field = childObject.field(child.field) else {
                    continue
                }
                let ids = try context.rows.ids(of: childObject, where: field, equals: .text(id))
                    .filter { !plan.seen.contains($0) }
                guard !ids.isEmpty else { continue }
                switch child.onDelete {
                case .restrict:
                    plan.restricting.append(Plan.Restriction(object: object, id: id, child: childObject, ids: ids))
                case .cascade:
                    plan.rows += ids.map { (childObject, $0) }
                    plan.seen.formUnion(ids)
                case .clear:
                    plan.cleared += ids.map {
                        Plan.Cleared(object: childObject, field: field.name, id: $0, target: id)
                    }
                }
            }
        }
        // A record that is deleted too, through another reference, does not prevent the deletion.
        for var restriction in plan.restricting {
            restriction.ids.removeAll { plan.seen.contains($0) }
            if !restriction.ids.isEmpty { throw try error(for: restriction) }
        }
        return plan
    }

    private func error(for restriction: Plan.Restriction) throws -> OrgError {
        func name(_ object: OrgObject, _ id: String) throws -> String {
            guard let field = object.nameField, let row = try context.rows.row(of: object, id: id) else { return id }
            return row.cells[field.position].text ?? id
        }
        let names = try restriction.ids.prefix(5).map { try name(restriction.child, $0) }.joined(separator: ", ")
        return OrgError(
            400, "DELETE_FAILED",
            message: "Your attempt to delete \(try name(restriction.object, restriction.id)) could not be completed "
                + "because it is associated with the following \(restriction.child.labelPlural.lowercased()).: \(names)",
            fields: [])
    }
}
