// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What became of one record of a job.
struct BulkOutcome: Sendable {
    /// Nil for a record that could not be made.
    var id: String?
    var created = false
    var errors: [OrgError.Item] = []

    var isSuccess: Bool { errors.isEmpty }

    /// The errors as CSV has them: `CODE:message:Field Other --`.
    var text: String {
        errors.map { item in
            let fields = (item.fields ?? []).joined(separator: " ")
            return "\(item.code):\(item.message):\(fields.isEmpty ? "" : fields + " ")--"
        }.joined(separator: ";")
    }
}

extension OrgContext {
    /// Does with a record what its job is for; refusals are outcomes.
    ///
    /// - Parameters:
    ///   - key: what upserts go by.
    ///   - index: the position among the job's records.
    func write(
        _ record: BulkRecord, _ operation: BulkOperation, _ object: OrgObject, key: OrgField?, index: Int
    ) throws -> BulkOutcome {
        do {
            let body = operation.isDelete ? JSONObject() : try record.body(self)
            if let fault = itemFault(index, .object(body), object: object.name) { throw fault }
            switch operation {
            case .insert:
                if let id = record.id, !id.isEmpty {
                    throw OrgError(
                        400, "INVALID_FIELD_FOR_INSERT_UPDATE", "cannot specify Id in an insert call", fields: ["Id"])
                }
                return BulkOutcome(id: try create(object, body), created: true)
            case .upsert:
                var item = body
                if let id = record.id { item["Id"] = .string(id) }
                let result = try upsert(item, object, key ?? object.fields[object.position("Id")])
                if let error = result.error { throw error }
                return BulkOutcome(id: result.id, created: result.created ?? false)
            case .update:
                let row = try bulkTarget(record, object, operation)
                try update(object, row, body)
                return BulkOutcome(id: row.id(object))
            case .delete:
                let row = try bulkTarget(record, object, operation)
                try delete(object, row)
                return BulkOutcome(id: row.id(object))
            case .hardDelete: return BulkOutcome(id: try hardDelete(record, object))
            case .query, .queryAll: throw OrgError(400, "INVALIDOPERATION", "a query writes nothing")
            }
        } catch let error as OrgError {
            let id = record.id.flatMap { RecordID.normalized($0) }
            return BulkOutcome(id: operation == .insert ? nil : id, errors: error.items)
        }
    }

    private func bulkTarget(_ record: BulkRecord, _ object: OrgObject, _ operation: BulkOperation) throws -> StoredRow {
        guard let id = record.id, !id.isEmpty else {
            throw OrgError(400, "MISSING_ARGUMENT", "Id not specified in an \(operation.rawValue) call", fields: ["Id"])
        }
        return try target(object, id, .item)
    }

    /// Takes a record away for good, with what goes with it; it may be in the recycle bin already.
    private func hardDelete(_ record: BulkRecord, _ object: OrgObject) throws -> String {
        if let id = record.id.flatMap({ RecordID.normalized($0) }), let row = try row(object, id), row.isDeleted(object)
        {
            try purge(id)
            return id
        }
        let row = try bulkTarget(record, object, .hardDelete)
        try delete(object, row)
        try purge(row.id(object))
        return row.id(object)
    }
}
