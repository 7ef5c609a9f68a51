// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/sobjects/{object}/{field}/{value}`: one record by an external ID.
struct ExternalIdHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let object: OrgObject
    private let field: OrgField
    /// The value as the field stores it.
    private let key: CellValue
    /// The IDs of the records with the value.
    private let matches: [String]
    /// The record, if the field is `Id` or if exactly one record has the value.
    private let row: StoredRow?
    private let value: String

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        value = request.path["value"]
        object = try context.object(request.path["object"])
        field = try context.rows.externalIdField(
            request.path["field"], of: object, forUpsert: request.method == "PATCH")
        if field.type == .id {
            (key, matches, row) = (.null, [], nil)
            return
        }
        key = try FieldCoercion.cell(.string(value), for: field)
        matches = key.isNull ? [] : try context.rows.ids(of: object, where: field, equals: key)
        row =
            matches.count == 1
            ? try context.rows.existingRow(of: object, id: matches[0], for: .writing) : nil
    }

    func read() throws -> OrgAnswer {
        if field.type == .id { return try byId.read() }
        if let ambiguous { return ambiguous }
        guard let row else { throw OrgError.notFound }
        return try byId.record(row)
    }

    func delete() throws -> OrgAnswer {
        if field.type == .id { return try byId.delete() }
        if let ambiguous { return ambiguous }
        guard let row else { throw OrgError.notFound }
        try context.recycleBin.delete(row, of: object)
        return .noContent
    }

    func upsert() throws -> OrgAnswer {
        if field.type == .id { return updated(try byId.updatedRow()) }
        if let ambiguous { return ambiguous }
        let body = try request.jsonObject()
        if body.keys.contains(where: { $0.lowercased() == field.name.lowercased() }) {
            throw OrgError(
                400, "INVALID_FIELD",
                message: "The \(field.name) field should not be specified in the sobject data.")
        }
        guard let row else {
            if request.parameter("updateOnly")?.lowercased() == "true" { throw OrgError.notFound }
            let id = try context.records.create(object, body, key: (field, key))
            return .created(id, url: context.url(of: object, id: id), isUpsert: true)
        }
        try Preconditions(request: request).check(RecordVersion(object: object, row: row))
        try context.records.update(row, of: object, with: body)
        return updated(row)
    }

    func refuseMethod(_ request: OrgRequest, allowed methods: [String]) throws -> OrgAnswer {
        ambiguous ?? .methodNotAllowed(methods, request)
    }

    /// The record as it is read by its ID.
    private var byId: SObjectRowHandler {
        SObjectRowHandler(object, id: value, request: request, context: context)
    }

    /// The response if several records have the value: their URLs.
    private var ambiguous: OrgAnswer? {
        guard matches.count > 1 else { return nil }
        return OrgAnswer(.array(matches.map { .string(context.url(of: object, id: $0)) }), status: 300)
    }

    /// Returns the response to an upsert that found its record; versions before 46.0 have no body.
    private func updated(_ row: StoredRow) -> OrgAnswer {
        guard context.version >= 46 else { return .noContent }
        return OrgAnswer(["id": .string(row.id(object)), "success": true, "errors": [], "created": false])
    }
}
