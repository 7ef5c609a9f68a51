// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/sobjects/{object}/{id}/{relationships...}`: the parent record, the list of children or the bytes of a
/// field at the end of a chain of relationships.
///
/// The chain has up to five relationships to parents; the last one may be a relationship to children.
struct RelationshipHandler: ResourceHandler {
    private enum Target {
        case record(OrgObject, id: String)
        case children(of: OrgObject.Child, OrgObject, parentId: String)
        case bytes(OrgField, OrgObject, StoredRow)
    }

    private let request: OrgRequest
    private let context: OrgContext
    private let target: Target

    static func accepts(_ path: PathPattern.Values, in context: OrgContext) -> Bool {
        guard let object = context.schema[path["object"]] else { return false }
        return object.field(path["id"]) == nil && RecordID.normalized(path["id"]) != nil
    }

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        target = try Self.target(
            of: request.path.rest, from: try context.object(request.path["object"]), id: request.path["id"],
            in: context)
    }

    private static func target(
        of names: [String], from start: OrgObject, id: String, in context: OrgContext
    ) throws -> Target {
        var object = start
        var row = try context.rows.existingRow(of: object, id: id, for: .reading)
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            guard let reference = object.reference(name) else {
                if isLast, let field = object.field(name), field.isBlob { return .bytes(field, object, row) }
                guard isLast, let child = object.child(name), let childObject = context.schema[child.object] else {
                    throw OrgError.notFound
                }
                return .children(of: child, childObject, parentId: row.id(object))
            }
            guard index < 5, let parentId = row.cells[reference.position].text,
                let parent = context.schema.object(ofId: parentId)
            else { throw OrgError.notFound }
            if isLast { return .record(parent, id: parentId) }
            row = try context.rows.existingRow(of: parent, id: parentId, for: .reading)
            object = parent
        }
        throw OrgError.notFound
    }

    func read() throws -> OrgAnswer {
        switch target {
        case .record(let object, let id):
            return try SObjectRowHandler(object, id: id, request: request, context: context).read()
        case .bytes(let field, let object, let row): return try .bytes(of: field, object, row: row)
        case .children(let child, let object, let parentId):
            let fields = request.list("fields") ?? object.fields.map(\.name)
            _ = try context.reader.plan(object, fields: fields)
            var query = request
            let list = fields.isEmpty ? "Id" : fields.joined(separator: ",")
            query.query = [
                ("q", "SELECT \(list) FROM \(object.name) WHERE \(child.field) = '\(parentId)' ORDER BY Id")
            ]
            return try QueryHandler(request: query, context: context).query()
        }
    }

    func update() throws -> OrgAnswer {
        guard let record else { return .methodNotAllowed(["GET"], request) }
        return try record.update()
    }

    func delete() throws -> OrgAnswer {
        guard let record else { return .methodNotAllowed(["GET"], request) }
        return try record.delete()
    }

    func refuseMethod(_ request: OrgRequest, allowed methods: [String]) throws -> OrgAnswer {
        .methodNotAllowed(record == nil ? ["GET"] : methods, request)
    }

    private var record: SObjectRowHandler? {
        guard case .record(let object, let id) = target else { return nil }
        return SObjectRowHandler(object, id: id, request: request, context: context)
    }
}
