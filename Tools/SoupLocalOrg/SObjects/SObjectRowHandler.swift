// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/sobjects/{object}/{id}`: reads, updates and deletes one record.
struct SObjectRowHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext
    let object: OrgObject
    let id: String

    init(request: OrgRequest, context: OrgContext) throws {
        let object = try context.object(request.path["object"])
        self.init(object, id: request.path["id"], request: request, context: context)
    }

    /// Creates the handler of a record that was found in another way than by its path.
    init(_ object: OrgObject, id: String, request: OrgRequest, context: OrgContext) {
        self.request = request
        self.context = context
        self.object = object
        self.id = id
    }

    func read() throws -> OrgAnswer {
        let row = try context.rows.existingRow(of: object, id: id, for: .reading)
        if context.org.options.getsCountAsViews {
            try context.recentItems.noteViewed([row.id(object)], of: object)
        }
        return try record(row)
    }

    func update() throws -> OrgAnswer {
        _ = try updatedRow()
        return .noContent
    }

    func delete() throws -> OrgAnswer {
        try context.recycleBin.delete(
            try context.rows.existingRow(of: object, id: id, for: .writing), of: object)
        return .noContent
    }

    /// Answers `POST /sobjects/{object}/Id`, which clients send for an upsert by `Id` without an ID.
    func createWithoutId() throws -> OrgAnswer {
        guard id.lowercased() == "id" else {
            return .methodNotAllowed(["HEAD", "GET", "PATCH", "DELETE"], request)
        }
        let id = try context.records.create(object, try request.recordFields())
        try context.recentItems.noteViewed([id], of: object)
        return .created(id, url: context.url(of: object, id: id))
    }

    // MARK: Shared with the resources that find records in other ways

    /// Updates the record with the body of the request.
    func updatedRow() throws -> StoredRow {
        let body = try request.recordFields()
        let row = try context.rows.existingRow(of: object, id: id, for: .writing)
        try Preconditions(request: request).check(RecordVersion(object: object, row: row))
        try context.records.update(row, of: object, with: body)
        return row
    }

    /// Returns a row with the fields that the request names, or with all.
    func record(_ row: StoredRow) throws -> OrgAnswer {
        let version = RecordVersion(object: object, row: row)
        return try Preconditions(request: request).unlessUnchanged(since: version.modified, tag: version.tag) {
            let plan = try context.reader.plan(object, fields: request.list("fields"))
            let written = try context.reader.writer.write(plan, [row.number], limit: 2000) { _, _, _ in "" }
            guard let bytes = written.bytes(0) else { throw OrgError.notFound }
            return OrgAnswer(200, body: Array(bytes), contentType: OrgAnswer.json)
        }
    }
}
