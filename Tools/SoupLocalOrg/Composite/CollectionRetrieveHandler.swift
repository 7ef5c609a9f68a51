// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/composite/sobjects/{object}`: records by ID, in the order of the IDs; null for those that do not exist.
struct CollectionRetrieveHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func retrieveByURL() throws -> OrgAnswer {
        let object = try context.object(request.path["object"])
        return try retrieve(object, ids: request.list("ids") ?? [], fields: request.list("fields") ?? [])
    }

    func retrieveByBody() throws -> OrgAnswer {
        let object = try context.object(request.path["object"])
        let body = try request.jsonObject()
        return try retrieve(
            object, ids: body["ids"]?.arrayValue?.map { $0.stringValue ?? "" } ?? [],
            fields: body["fields"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// Refuses HEAD: only GET and POST read a collection.
    func refuseHead() throws -> OrgAnswer { .methodNotAllowed(["GET", "POST"], request) }

    private func retrieve(_ object: OrgObject, ids: [String], fields: [String]) throws -> OrgAnswer {
        guard !ids.isEmpty, !fields.isEmpty else {
            throw OrgError(400, "MISSING_ARGUMENT", message: "The request needs lists of ids and of fields")
        }
        if ids.count > 2000 {
            throw OrgError(
                400, "EXCEEDED_ID_LIMIT", message: "record limit reached. cannot submit more than 2000 records")
        }
        let plan = try context.reader.plan(object, fields: fields)
        let normalized = ids.map { RecordID.normalized($0) }
        var numbers: [String: Int64] = [:]
        try context.db.statement(
            "SELECT t.\"Id\", t._row FROM json_each(?1) page CROSS JOIN \(object.table) t ON t.\"Id\" = page.value",
            [.text(QueryConditions.json(normalized.map { $0.map { .text($0) } ?? .null }))]
        ).forEach { numbers[$0.text(0) ?? ""] = $0.int(1) }
        let rows = normalized.map { $0.flatMap { numbers[$0] } ?? -1 }
        let written = try context.reader.writer.write(plan, rows, limit: 2000) { _, _, _ in "" }
        var output = JSONOutput()
        let null = Array("null".utf8)[...]
        output.append(array: rows.indices.map { written.bytes($0) ?? null })
        return OrgAnswer(output)
    }
}
