// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Notes that the caller has seen records, or what refers to them, in this order.
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
