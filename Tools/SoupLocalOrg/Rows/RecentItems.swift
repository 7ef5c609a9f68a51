// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The recently viewed items.
struct RecentItems {
    let context: OrgContext

    /// Records that the caller has viewed records, or records that refer to them, in this order.
    ///
    /// - Parameter time: milliseconds since 1970; nil for now.
    func noteViewed(
        _ ids: [String], of object: OrgObject, asReference: Bool = false, at time: Int64? = nil
    ) throws {
        guard object.flags.mruEnabled else { return }
        for id in ids {
            let columns = asReference ? ["LastReferencedDate"] : ["LastViewedDate", "LastReferencedDate"]
            let set = columns.map { "\"\($0)\" = ?1" }.joined(separator: ", ")
            try context.db.statement(
                "UPDATE \(object.table) SET \(set) WHERE \"Id\" = ?2", [.int(time ?? context.timestamp), .text(id)]
            ).run()
            try context.db.statement(
                "INSERT OR REPLACE INTO _recent (object, id, position) "
                    + "VALUES (?, ?, (SELECT ifnull(max(position), 0) + 1 FROM _recent))",
                [.text(object.name), .text(id)]
            ).run()
        }
    }

    /// Returns the records viewed last, the latest first.
    ///
    /// - Parameter object: the object of the records; nil for records of all objects.
    func list(of object: OrgObject?, limit: Int) throws -> [JSONValue] {
        var found: [(object: String, id: String)] = []
        try context.db.statement(
            "SELECT object, id FROM _recent WHERE ?1 IS NULL OR object = ?1 ORDER BY position DESC LIMIT ?2",
            [object.map { .text($0.name) } ?? .null, .int(Int64(limit))]
        ).forEach { found.append(($0.text(0) ?? "", $0.text(1) ?? "")) }
        return try found.compactMap { name, id in
            guard let object = context.schema[name], let row = try context.rows.row(of: object, id: id),
                !row.isDeleted(object)
            else { return nil }
            let label = object.nameField.flatMap { row.cells[$0.position].text }
            return [
                "attributes": ["type": .string(object.name), "url": .string(context.url(of: object, id: id))],
                "Id": .string(id), "Name": label.map { .string($0) } ?? .null,
            ]
        }
    }
}
