// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// What a delete does beside deleting its record.
    private struct DeletePlan {
        var rows: [(object: OrgObject, id: String)] = []
        var cleared: [(object: OrgObject, field: String, id: String)] = []
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
        var plan = DeletePlan()
        try extend(&plan, object, id)
        for (child, field, childId) in plan.cleared where !plan.seen.contains(childId) {
            try OrgStatement(
                db, "INSERT INTO _cleared (object, field, id, target) VALUES (?, ?, ?, ?)",
                [.text(child.name), .text(field), .text(childId), .text(id)]
            ).run()
            try OrgStatement(
                db, "UPDATE \(child.table) SET \"\(field)\" = NULL, \"SystemModstamp\" = ? WHERE \"Id\" = ?",
                [.int(timestamp), .text(childId)]
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

    private func extend(_ plan: inout DeletePlan, _ object: OrgObject, _ id: String) throws {
        guard plan.seen.insert(id).inserted else { return }
        plan.rows.append((object, id))
        for child in object.children {
            guard let childObject = schema[child.object], let field = childObject.field(child.field) else { continue }
            let ids = try ids(childObject, where: field, is: .text(id)).filter { !plan.seen.contains($0) }
            guard !ids.isEmpty else { continue }
            switch child.onDelete {
            case .restrict: throw try restricted(object, id, childObject, ids)
            case .cascade: for childId in ids { try extend(&plan, childObject, childId) }
            case .clear: plan.cleared += ids.map { (childObject, field.name, $0) }
            }
        }
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

    /// Brings deleted records back, with what went with them and the references that were emptied and not set since.
    func undelete(_ id: String) throws {
        guard let object = schema.object(ofId: id) else { throw OrgError.missingTarget }
        guard let row = try row(object, id), row.isDeleted(object) else { throw OrgError.missingTarget }
        for object in schema.objects {
            try OrgStatement(
                db,
                "UPDATE \(object.table) SET \"IsDeleted\" = 0, \"SystemModstamp\" = ?, _deletedWith = NULL "
                    + "WHERE _deletedWith = ?",
                [.int(timestamp), .text(id)]
            ).run()
        }
        var cleared: [(object: String, field: String, id: String)] = []
        try OrgStatement(db, "SELECT object, field, id FROM _cleared WHERE target = ?", [.text(id)]).forEach {
            cleared.append(($0.text(0) ?? "", $0.text(1) ?? "", $0.text(2) ?? ""))
        }
        for (name, fieldName, childId) in cleared {
            guard let child = schema[name], let field = child.field(fieldName) else { continue }
            try OrgStatement(
                db,
                "UPDATE \(child.table) SET \"\(field.name)\" = ?, \"SystemModstamp\" = ? "
                    + "WHERE \"Id\" = ? AND \"\(field.name)\" IS NULL",
                [.text(id), .int(timestamp), .text(childId)]
            ).run()
        }
        try OrgStatement(db, "DELETE FROM _cleared WHERE target = ?", [.text(id)]).run()
        rowsWritten += 1
    }

    /// Takes records away for good.
    func purge(_ id: String) throws {
        guard let object = schema.object(ofId: id) else { throw OrgError.missingTarget }
        try OrgStatement(db, "DELETE FROM \(object.table) WHERE \"Id\" = ?", [.text(id)]).run()
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
