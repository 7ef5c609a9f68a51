// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

extension OrgContext {
    /// Everything below `/sobjects`.
    func sobjects(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        guard let name = path.first else {
            return try allow(["GET"], request) {
                try self.unlessUnchanged(request, since: self.org.described) { OrgAnswer(self.globalDescribe()) }
            }
        }
        let object = try object(name)
        switch path.count {
        case 1:
            if request.method == "POST" { return try createRecord(object, request) }
            return try allow(["GET", "POST"], request) {
                OrgAnswer([
                    "objectDescribe": self.summary(of: object),
                    "recentItems": .array(try self.recent(object, limit: 200)),
                ])
            }
        case 2 where path[1] == "describe":
            return try allow(["GET"], request) {
                try self.unlessUnchanged(request, since: self.org.described) { OrgAnswer(self.describe(object)) }
            }
        case 3 where path[1] == "describe" && path[2] == "compactLayouts":
            return try allow(["GET"], request) { try self.compactLayouts(object) }
        case 3...4 where path[1] == "describe" && path[2] == "layouts":
            return try allow(["GET"], request) {
                try self.layouts(object, recordType: path.count == 4 ? path[3] : nil)
            }
        case 2 where ["updated", "deleted"].contains(path[1]):
            return try allow(["GET"], request) { try self.replication(object, request, deleted: path[1] == "deleted") }
        case 2 where path[1].lowercased() == "id" && request.method == "POST": return try createRecord(object, request)
        case 2: return try record(object, path[1], request)
        case 3 where object.name == "User" && path[2] == "password": return try password(object, path[1], request)
        case 3... where object.field(path[1]) == nil && RecordID.normalized(path[1]) != nil:
            return try related(object, path[1], Array(path.dropFirst(2)), request)
        case 3: return try recordByExternalId(object, path[1], path[2], request)
        default: throw OrgError.notFound
        }
    }

    private func createRecord(_ object: OrgObject, _ request: OrgRequest) throws -> OrgAnswer {
        created(object, try create(object, try recordBody(request)))
    }

    private func created(_ object: OrgObject, _ id: String, isUpsert: Bool = false) -> OrgAnswer {
        var body: JSONObject = ["id": .string(id), "success": true, "errors": []]
        if isUpsert { body["created"] = true }
        return OrgAnswer(.object(body), status: 201, headers: [("Location", url(object, id))])
    }

    // MARK: By id

    func record(_ object: OrgObject, _ id: String, _ request: OrgRequest) throws -> OrgAnswer {
        switch request.method {
        case "GET", "HEAD":
            let row = try target(object, id, .reading)
            if org.options.getsCountAsViews { try noteViewed(object, [row.id(object)]) }
            return try shown(object, row, request)
        case "PATCH":
            _ = try changed(object, id, request)
            return .noContent
        case "DELETE":
            try delete(object, try target(object, id, .writing))
            return .noContent
        default: return try allow(["HEAD", "GET", "PATCH", "DELETE"], request) { .noContent }
        }
    }

    /// Updates the row of an ID with the body of the request.
    private func changed(_ object: OrgObject, _ id: String, _ request: OrgRequest) throws -> StoredRow {
        let body = try recordBody(request)
        let row = try target(object, id, .writing)
        try refuseIfChanged(request, object, row)
        try update(object, row, body)
        return row
    }

    /// A row with the fields that the request names, or with all.
    private func shown(_ object: OrgObject, _ row: StoredRow, _ request: OrgRequest) throws -> OrgAnswer {
        try unlessUnchanged(request, since: modified(object, row), tag: tag(object, row)) {
            try fields(of: object, row, request)
        }
    }

    private func fields(of object: OrgObject, _ row: StoredRow, _ request: OrgRequest) throws -> OrgAnswer {
        let plan = try plan(object, fields: request.list("fields"))
        let written = try rowWriting.write(plan, [row.number], limit: 2000) { _, _, _ in "" }
        guard let bytes = written.bytes(0) else { throw OrgError.notFound }
        return OrgAnswer(200, body: Array(bytes), contentType: OrgAnswer.json)
    }

    /// A plan that reads fields of an object, the id always among them; nil for all fields.
    func plan(_ object: OrgObject, fields names: [String]?, seesDeleted: Bool = false) throws -> QueryPlan {
        var paths: [[String]] = []
        var seen: Set<String> = []
        for name in (names ?? object.fields.map(\.name)) + ["Id"] {
            let trimmed = String(name.filter { !$0.isWhitespace })
            guard !trimmed.isEmpty, seen.insert(trimmed.lowercased()).inserted else { continue }
            let path = trimmed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            if path.count == 1, object.field(trimmed) == nil {
                throw OrgError(400, "INVALID_FIELD", "No such column '\(trimmed)' on sobject of type \(object.name)")
            }
            paths.append(path)
        }
        let query = SOQLQuery(
            paths.map { .path(SOQLPath($0), alias: nil) }, from: SOQLSource(SOQLPath([object.name])))
        let compiler = QueryCompiler(
            source: QuerySource(text: "", schema: schema), caller: caller(seesDeleted: seesDeleted))
        return try compiler.rowPlan(query, object, alias: "t")
    }

    // MARK: By external id

    private func recordByExternalId(
        _ object: OrgObject, _ name: String, _ value: String, _ request: OrgRequest
    ) throws -> OrgAnswer {
        let field = try externalIdField(object, name, forUpsert: request.method == "PATCH")
        if field.type == .id {
            guard request.method == "PATCH" else { return try record(object, value, request) }
            return upserted(object, try changed(object, value, request))
        }
        let cell = try FieldCoercion.cell(.string(value), for: field)
        let found = cell.isNull ? [] : try ids(object, where: field, is: cell)
        if found.count > 1 {
            return OrgAnswer(.array(found.map { .string(url(object, $0)) }), status: 300)
        }
        let row = try found.first.map { try target(object, $0, .writing) }
        switch request.method {
        case "GET", "HEAD":
            guard let row else { throw OrgError.notFound }
            return try shown(object, row, request)
        case "DELETE":
            guard let row else { throw OrgError.notFound }
            try delete(object, row)
            return .noContent
        case "PATCH": return try upsert(object, row, field, cell, request)
        default: return try allow(["HEAD", "GET", "PATCH", "DELETE"], request) { .noContent }
        }
    }

    private func upsert(
        _ object: OrgObject, _ row: StoredRow?, _ field: OrgField, _ cell: CellValue, _ request: OrgRequest
    ) throws -> OrgAnswer {
        let body = try request.jsonObject()
        if body.keys.contains(where: { $0.lowercased() == field.name.lowercased() }) {
            throw OrgError(
                400, "INVALID_FIELD", "The \(field.name) field should not be specified in the sobject data.")
        }
        guard let row else {
            if request.parameter("updateOnly")?.lowercased() == "true" { throw OrgError.notFound }
            return created(object, try create(object, body, key: (field, cell)), isUpsert: true)
        }
        try refuseIfChanged(request, object, row)
        try update(object, row, body)
        return upserted(object, row)
    }

    /// The answer to an upsert that found its record; versions before 46.0 have no body.
    private func upserted(_ object: OrgObject, _ row: StoredRow) -> OrgAnswer {
        guard version >= 46 else { return .noContent }
        return OrgAnswer([
            "id": .string(row.id(object)), "success": true, "errors": [], "created": false,
        ])
    }
}
