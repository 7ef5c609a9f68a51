// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The result of one record of a job.
struct BulkOutcome: Sendable {
    /// Nil for a record that could not be created.
    var id: String?
    var created = false
    var errors: [OrgError.Item] = []

    var isSuccess: Bool { errors.isEmpty }

    /// The errors as CSV results contain them: `CODE:message:Field Other --`.
    var text: String {
        errors.map { item in
            let fields = (item.fields ?? []).joined(separator: " ")
            return "\(item.code):\(item.message):\(fields.isEmpty ? "" : fields + " ")--"
        }.joined(separator: ";")
    }
}

/// Writes the records of a bulk job.
struct BulkRecordWriter {
    let context: OrgContext
    let operation: BulkOperation
    let object: OrgObject
    /// The field by which an upsert matches records; nil for `Id`.
    let key: OrgField?

    /// Applies the operation to a record; an error is part of the outcome.
    ///
    /// - Parameter index: the position among the job's records.
    func write(_ record: BulkRecord, at index: Int) throws -> BulkOutcome {
        do {
            let body = operation.isDelete ? JSONObject() : try record.body(context)
            if let fault = context.faults.itemError(for: .object(body), at: index, object: object.name) {
                throw fault
            }
            switch operation {
            case .insert:
                if let id = record.id, !id.isEmpty {
                    throw OrgError(
                        400, "INVALID_FIELD_FOR_INSERT_UPDATE", message: "cannot specify Id in an insert call",
                        fields: ["Id"])
                }
                return BulkOutcome(id: try context.records.create(object, body), created: true)
            case .upsert:
                var item = body
                if let id = record.id { item["Id"] = .string(id) }
                let result = try context.records.upsert(
                    item, into: object, by: key ?? object.fields[object.position("Id")])
                if let error = result.error { throw error }
                return BulkOutcome(id: result.id, created: result.created ?? false)
            case .update:
                let row = try existingRow(of: record)
                try context.records.update(row, of: object, with: body)
                return BulkOutcome(id: row.id(object))
            case .delete:
                let row = try existingRow(of: record)
                try context.recycleBin.delete(row, of: object)
                return BulkOutcome(id: row.id(object))
            case .hardDelete: return BulkOutcome(id: try hardDelete(record))
            case .query, .queryAll: throw OrgError(400, "INVALIDOPERATION", message: "a query writes nothing")
            }
        } catch let error as OrgError {
            let id = record.id.flatMap { RecordID.normalized($0) }
            return BulkOutcome(id: operation == .insert ? nil : id, errors: error.items)
        }
    }

    private func existingRow(of record: BulkRecord) throws -> StoredRow {
        guard let id = record.id, !id.isEmpty else {
            throw OrgError(
                400, "MISSING_ARGUMENT", message: "Id not specified in an \(operation.rawValue) call", fields: ["Id"])
        }
        return try context.rows.existingRow(of: object, id: id, for: .item)
    }

    /// Removes a record permanently, with its dependent records; it may be in the recycle bin already.
    private func hardDelete(_ record: BulkRecord) throws -> String {
        if let id = record.id.flatMap({ RecordID.normalized($0) }),
            let row = try context.rows.row(of: object, id: id), row.isDeleted(object)
        {
            try context.recycleBin.purge(id)
            return id
        }
        let row = try existingRow(of: record)
        try context.recycleBin.delete(row, of: object)
        try context.recycleBin.purge(row.id(object))
        return row.id(object)
    }
}
