// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/composite/sobjects`: creates, updates, upserts and deletes up to 200 records.
struct CollectionsHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    /// The maximum number of records in one request.
    static let maximumCount = 200

    func create() throws -> OrgAnswer {
        try writeRecords { item, object in .init(id: try context.records.create(object, item)) }
    }

    func update() throws -> OrgAnswer {
        try writeRecords { item, object in
            guard let id = item.value(ignoringCase: "id")?.stringValue else {
                throw OrgError(
                    400, "MISSING_ARGUMENT", message: "Id not specified in an update call", fields: ["Id"])
            }
            let row = try context.rows.existingRow(of: object, id: id, for: .item)
            try context.records.update(row, of: object, with: item.without(ignoringCase: "id"))
            return .init(id: row.id(object))
        }
    }

    func upsert() throws -> OrgAnswer {
        let object = try context.object(request.path["object"])
        let field = try context.rows.externalIdField(request.path["field"], of: object, forUpsert: true)
        let keys = CollectionKeys(field)
        let duplicates = keys.duplicates(in: try request.jsonObject()["records"]?.arrayValue ?? [])
        return try writeRecords(of: object) { item, _ in
            if let key = keys.key(of: item), duplicates.contains(keys.folded(key)) {
                throw OrgError(
                    400, "DUPLICATE_VALUE", message: "Duplicate external id specified: \(CollectionKeys.text(key))",
                    fields: [field.name])
            }
            return try context.records.upsert(item, into: object, by: field)
        }
    }

    func delete() throws -> OrgAnswer {
        let ids = request.list("ids") ?? []
        guard !ids.isEmpty else {
            throw OrgError(400, "INVALID_INPUT", message: "The request needs a list of ids")
        }
        try Self.checkCount(ids.count)
        let isAllOrNone = request.isAllOrNone || request.parameter("allOrNone")?.lowercased() == "true"
        let batch = CollectionWriter(context: context, isAllOrNone: isAllOrNone)
        let results = try batch.write(ids, object: { context.schema.object(ofId: $0)?.name }) { text in
            guard let normalized = RecordID.normalized(text), let object = context.schema.object(ofId: normalized)
            else { throw OrgError(400, "MALFORMED_ID", message: "malformed id \(text)", fields: []) }
            try context.recycleBin.delete(
                try context.rows.existingRow(of: object, id: text, for: .item), of: object)
            return .init(id: normalized)
        }
        return OrgAnswer(.array(results.map(\.json)))
    }

    // MARK: Writing

    /// Runs a write for each record of the request, in order.
    ///
    /// - Parameter only: the object that all records must have; nil for the object that each record names.
    private func writeRecords(
        of only: OrgObject? = nil, _ write: (JSONObject, OrgObject) throws -> CollectionResult
    ) throws -> OrgAnswer {
        let body = try request.jsonObject()
        guard let records = body["records"]?.arrayValue, !records.isEmpty else {
            throw OrgError(400, "INVALID_INPUT", message: "The request needs a list of records")
        }
        try Self.checkCount(records.count)
        try Self.checkRuns(records)
        let batch = CollectionWriter(
            context: context, isAllOrNone: request.isAllOrNone || (body["allOrNone"]?.boolValue ?? false))
        let results = try batch.write(records, object: { $0.attributes?["type"]?.stringValue ?? only?.name }) {
            record in
            guard let item = record.objectValue,
                let type = item.value(ignoringCase: "attributes")?["type"]?.stringValue ?? only?.name
            else {
                throw OrgError(400, "INVALID_INPUT", message: "a record needs attributes with its type", fields: [])
            }
            guard let object = context.schema[type] else {
                throw OrgError(
                    400, "INVALID_TYPE", message: "sObject type '\(type)' is not supported.", fields: [])
            }
            if let only, only.name != object.name {
                throw OrgError(
                    400, "INVALID_TYPE", message: "\(type) is not the type of the request: \(only.name)", fields: [])
            }
            return try write(item, object)
        }
        return OrgAnswer(.array(results.map(\.json)))
    }

    private static func checkCount(_ count: Int) throws {
        guard count > maximumCount else { return }
        throw OrgError(
            400, "EXCEEDED_ID_LIMIT",
            message: "record limit reached. cannot submit more than 200 records into this operation")
    }

    /// Rejects a list that changes its type too often: servers process at most ten runs of records of one type.
    private static func checkRuns(_ records: [JSONValue]) throws {
        var runs = 0
        var last: String?
        for record in records {
            let type = record.attributes?["type"]?.stringValue?.lowercased()
            if type != last || runs == 0 { runs += 1 }
            last = type
        }
        if runs > 10 {
            throw OrgError(
                400, "LIMIT_EXCEEDED",
                message: "The records cannot be split into more than 10 runs of one type: there are \(runs)")
        }
    }
}
