// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What became of one record of a collection.
struct CollectionResult {
    var id: String?
    /// For upserts: whether the record is new.
    ///
    /// Kept when the write is taken back.
    var created: Bool?
    var error: OrgError?

    var json: JSONValue {
        var result = JSONObject()
        if let id, error == nil { result["id"] = .string(id) }
        result["success"] = .bool(error == nil)
        result["errors"] = error?.itemErrors ?? []
        if let created { result["created"] = .bool(created) }
        return .object(result)
    }

    static let rolledBack = OrgError(
        400, "ALL_OR_NONE_OPERATION_ROLLED_BACK",
        "Record rolled back because not all records were valid and the request was using AllOrNone header", fields: [])
}

/// Takes back what a collection wrote, with what became of its records.
private struct CollectionRollback: Error {
    var results: [CollectionResult]
}

extension OrgContext {
    /// The most records of one request.
    static let maximumCollection = 200

    /// Everything below `/composite/sobjects`.
    func collections(_ request: OrgRequest, _ path: [String], forcesAllOrNone: Bool) throws -> OrgAnswer {
        switch (request.method, path.count) {
        case ("POST", 0):
            return try records(request, forcesAllOrNone) { item, object in
                .init(id: try self.create(object, Self.body(of: item, leavingOut: nil)))
            }
        case ("PATCH", 0):
            return try records(request, forcesAllOrNone) { item, object in
                guard let id = Self.value("id", of: item)?.stringValue else {
                    throw OrgError(400, "MISSING_ARGUMENT", "Id not specified in an update call", fields: ["Id"])
                }
                let row = try self.target(object, id, .item)
                try self.update(object, row, Self.body(of: item, leavingOut: "id"))
                return .init(id: row.id(object))
            }
        case ("PATCH", 2):
            let object = try object(path[0])
            let field = try externalIdField(object, path[1], forUpsert: true)
            let twice = Self.keysTwice(try request.jsonObject()["records"]?.arrayValue ?? [], field)
            return try records(request, forcesAllOrNone, only: object) { item, _ in
                if let cell = Self.key(of: item, field), twice.contains(Self.folded(cell, field)) {
                    throw OrgError(
                        400, "DUPLICATE_VALUE",
                        "Duplicate external id specified: \(Self.shown(cell))",
                        fields: [field.name])
                }
                return try self.upsert(item, object, field)
            }
        case ("DELETE", 0): return try deleteCollection(request, forcesAllOrNone)
        case ("GET", 1), ("POST", 1): return try retrieve(request, try object(path[0]))
        case (_, 0): return OrgAnswer.methodNotAllowed(["POST", "PATCH", "DELETE"], request)
        case (_, 1): return OrgAnswer.methodNotAllowed(["GET", "POST"], request)
        case (_, 2): return OrgAnswer.methodNotAllowed(["PATCH"], request)
        default: throw OrgError.notFound
        }
    }

    static func value(_ name: String, of item: JSONObject) -> JSONValue? {
        item.members.first { $0.key.lowercased() == name }?.value
    }

    static func body(of item: JSONObject, leavingOut name: String?) -> JSONObject {
        JSONObject(item.members.filter { $0.key.lowercased() != name })
    }

    // MARK: Keys

    /// The external id of a record; nil for none, and for what cannot be one.
    private static func key(of item: JSONObject, _ field: OrgField) -> CellValue? {
        guard field.type != .id, let value = value(field.name.lowercased(), of: item),
            let cell = try? FieldCoercion.cell(value, for: field), !cell.isNull
        else { return nil }
        return cell
    }

    private static func shown(_ key: CellValue) -> String {
        switch key {
        case .text(let text): text
        case .int(let value): "\(value)"
        case .real(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .null: ""
        }
    }

    /// A key as it is told from others.
    private static func folded(_ key: CellValue, _ field: OrgField) -> String {
        switch key {
        case .text(let text): field.isExact ? text : text.uppercased()
        case .int(let value): "\(Double(value))"
        case .real(let value): "\(value)"
        case .null: ""
        }
    }

    /// The keys that several records of a request have: which of these is meant nobody can say, so none is written.
    private static func keysTwice(_ records: [JSONValue], _ field: OrgField) -> Set<String> {
        var (seen, twice): (Set<String>, Set<String>) = ([], [])
        for item in records.compactMap(\.objectValue) {
            guard let cell = key(of: item, field) else { continue }
            let text = folded(cell, field)
            if !seen.insert(text).inserted { twice.insert(text) }
        }
        return twice
    }

    // MARK: Writing

    /// Runs a write for each record of a request, one after another.
    private func records(
        _ request: OrgRequest, _ forcesAllOrNone: Bool, only: OrgObject? = nil,
        _ write: (JSONObject, OrgObject) throws -> CollectionResult
    ) throws -> OrgAnswer {
        let body = try request.jsonObject()
        guard let records = body["records"]?.arrayValue, !records.isEmpty else {
            throw OrgError(400, "INVALID_INPUT", "The request needs a list of records")
        }
        if records.count > Self.maximumCollection {
            throw OrgError(
                400, "EXCEEDED_ID_LIMIT",
                "record limit reached. cannot submit more than 200 records into this operation")
        }
        try checkRuns(records)
        let isAllOrNone = forcesAllOrNone || (body["allOrNone"]?.boolValue ?? false)
        return OrgAnswer(
            .array(
                try writeAll(records, isAllOrNone, object: { $0.attributes?["type"]?.stringValue ?? only?.name }) {
                    record in
                    guard let item = record.objectValue,
                        let type = Self.value("attributes", of: item)?["type"]?.stringValue ?? only?.name
                    else { throw OrgError(400, "INVALID_INPUT", "a record needs attributes with its type", fields: []) }
                    guard let object = self.schema[type] else {
                        throw OrgError(400, "INVALID_TYPE", "sObject type '\(type)' is not supported.", fields: [])
                    }
                    if let only, only.name != object.name {
                        throw OrgError(
                            400, "INVALID_TYPE", "\(type) is not the type of the request: \(only.name)", fields: [])
                    }
                    return try write(item, object)
                }.map(\.json)))
    }

    /// Refuses a list that changes its type too often: the server works on runs of one type, ten at most.
    private func checkRuns(_ records: [JSONValue]) throws {
        var runs = 0
        var last: String?
        for record in records {
            let type = record.attributes?["type"]?.stringValue?.lowercased()
            if type != last || runs == 0 { runs += 1 }
            last = type
        }
        if runs > 10 {
            throw OrgError(
                400, "LIMIT_EXCEEDED", "The records cannot be cut into more than 10 runs of one type: there are \(runs)"
            )
        }
    }

    /// Runs a write for each element; with `isAllOrNone` one failure takes all of them back.
    private func writeAll<T>(
        _ elements: [T], _ isAllOrNone: Bool, object: (T) -> String? = { _ in nil },
        _ write: (T) throws -> CollectionResult
    ) throws -> [CollectionResult] {
        do {
            return try atomically {
                var results: [CollectionResult] = []
                for (index, element) in elements.enumerated() {
                    do {
                        if let fault = itemFault(index, element as? JSONValue, object: object(element)) {
                            throw fault
                        }
                        results.append(try write(element))
                    } catch let error as OrgError {
                        results.append(CollectionResult(id: nil, created: nil, error: error))
                    }
                }
                if isAllOrNone, results.contains(where: { $0.error != nil }) {
                    throw CollectionRollback(results: results)
                }
                return results
            }
        } catch let rolledBack as CollectionRollback {
            return rolledBack.results.map { result in
                CollectionResult(
                    id: nil, created: result.created, error: result.error ?? CollectionResult.rolledBack)
            }
        }
    }

    /// Creates or updates a record by the key among its members.
    func upsert(_ item: JSONObject, _ object: OrgObject, _ field: OrgField) throws -> CollectionResult {
        let key = Self.value(field.name.lowercased(), of: item) ?? .null
        let body = Self.body(of: item, leavingOut: field.name.lowercased())
        if field.type == .id {
            guard let id = key.stringValue, !id.isEmpty else {
                do {
                    return .init(id: try create(object, body), created: true)
                } catch let error as OrgError {
                    return .init(id: nil, created: true, error: error)
                }
            }
            let row = try target(object, id, .item)
            try update(object, row, body)
            return .init(id: row.id(object), created: false)
        }
        let cell = try FieldCoercion.cell(key, for: field)
        if cell.isNull {
            throw OrgError(400, "MISSING_ARGUMENT", "\(field.name) not specified", fields: [])
        }
        let found = try ids(object, where: field, is: cell)
        if found.count > 1 {
            throw OrgError(
                400, "DUPLICATE_EXTERNAL_ID",
                "\(field.name): more than one record found for external id field: [\(found.joined(separator: ", "))]",
                fields: [])
        }
        do {
            guard let id = found.first else {
                return .init(id: try create(object, body, key: (field, cell)), created: true)
            }
            try update(object, try target(object, id, .item), body)
            return .init(id: id, created: false)
        } catch let error as OrgError {
            return .init(id: nil, created: found.isEmpty, error: error)
        }
    }

    private func deleteCollection(_ request: OrgRequest, _ forcesAllOrNone: Bool) throws -> OrgAnswer {
        let ids = request.list("ids") ?? []
        guard !ids.isEmpty else { throw OrgError(400, "INVALID_INPUT", "The request needs a list of ids") }
        if ids.count > Self.maximumCollection {
            throw OrgError(
                400, "EXCEEDED_ID_LIMIT",
                "record limit reached. cannot submit more than 200 records into this operation")
        }
        let isAllOrNone = forcesAllOrNone || request.parameter("allOrNone")?.lowercased() == "true"
        let results = try writeAll(ids, isAllOrNone, object: { schema.object(ofId: $0)?.name }) { text in
            guard let normalized = RecordID.normalized(text), let object = schema.object(ofId: normalized) else {
                throw OrgError(400, "MALFORMED_ID", "malformed id \(text)", fields: [])
            }
            try delete(object, try target(object, text, .item))
            return .init(id: normalized)
        }
        return OrgAnswer(.array(results.map(\.json)))
    }

    // MARK: Reading

    /// Rows by id, in the order of the ids; null for those that are not there.
    private func retrieve(_ request: OrgRequest, _ object: OrgObject) throws -> OrgAnswer {
        let ids: [String]
        let fields: [String]
        if request.method == "POST" {
            let body = try request.jsonObject()
            ids = body["ids"]?.arrayValue?.map { $0.stringValue ?? "" } ?? []
            fields = body["fields"]?.arrayValue?.compactMap(\.stringValue) ?? []
        } else {
            ids = request.list("ids") ?? []
            fields = request.list("fields") ?? []
        }
        guard !ids.isEmpty, !fields.isEmpty else {
            throw OrgError(400, "MISSING_ARGUMENT", "The request needs lists of ids and of fields")
        }
        if ids.count > 2000 {
            throw OrgError(400, "EXCEEDED_ID_LIMIT", "record limit reached. cannot submit more than 2000 records")
        }
        let plan = try plan(object, fields: fields)
        let normalized = ids.map { RecordID.normalized($0) }
        var numbers: [String: Int64] = [:]
        try OrgStatement(
            db, "SELECT t.\"Id\", t._row FROM json_each(?1) page CROSS JOIN \(object.table) t ON t.\"Id\" = page.value",
            [.text(QueryConditions.json(normalized.map { $0.map { .text($0) } ?? .null }))]
        ).forEach { numbers[$0.text(0) ?? ""] = $0.int(1) }
        let rows = normalized.map { $0.flatMap { numbers[$0] } ?? -1 }
        let written = try rowWriting.write(plan, rows, limit: 2000) { _, _, _ in "" }
        var output = JSONOutput()
        let null = Array("null".utf8)[...]
        output.append(array: rows.indices.map { written.bytes($0) ?? null })
        return OrgAnswer(output)
    }
}
