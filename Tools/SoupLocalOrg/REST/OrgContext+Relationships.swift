// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// What is at the end of a chain of relationships of a row: one record, or the list of children of one.
    ///
    /// - Parameter names: up to five relationships to parents, then perhaps one to children.
    func related(_ object: OrgObject, _ id: String, _ names: [String], _ request: OrgRequest) throws -> OrgAnswer {
        var row = try target(object, id, .reading)
        var object = object
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            guard let reference = object.reference(name) else {
                if isLast, let field = object.field(name), field.isBlob {
                    return try allow(["GET"], request) { try self.bytes(of: field, object, row) }
                }
                guard isLast, let child = object.child(name), let childObject = schema[child.object] else {
                    throw OrgError.notFound
                }
                return try children(child, childObject, of: row.id(object), request)
            }
            guard index < 5, let parentId = row.cells[reference.position].text,
                let parent = schema.object(ofId: parentId)
            else { throw OrgError.notFound }
            if isLast { return try record(parent, parentId, request) }
            row = try target(parent, parentId, .reading)
            object = parent
        }
        throw OrgError.notFound
    }

    private func children(
        _ child: OrgObject.Child, _ object: OrgObject, of parentId: String, _ request: OrgRequest
    ) throws -> OrgAnswer {
        try allow(["GET"], request) {
            let fields = request.list("fields") ?? object.fields.map(\.name)
            _ = try self.plan(object, fields: fields)
            var query = request
            let list = fields.isEmpty ? "Id" : fields.joined(separator: ",")
            query.query = [
                ("q", "SELECT \(list) FROM \(object.name) WHERE \(child.field) = '\(parentId)' ORDER BY Id")
            ]
            return try self.query(query, seesDeleted: false)
        }
    }
}
