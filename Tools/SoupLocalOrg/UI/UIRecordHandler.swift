// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/ui-api/records`: records with the values and the displayed values of their fields.
struct UIRecordHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func record() throws -> OrgAnswer {
        try checkFields()
        return OrgAnswer(try record(request.path["id"]))
    }

    func batch() throws -> OrgAnswer {
        try checkFields()
        return UserInterface(context: context).batch(request.path["ids"], record)
    }

    /// Returns a record: each field with its value and its displayed value.
    ///
    /// `fields` and `optionalFields` of the request name fields with their object, `Account.Name`; unknown optional
    /// fields are left out. `layoutTypes` and `modes` ask for the fields of layouts; one of the three is required.
    private func record(_ id: String) throws -> JSONValue {
        guard let normalized = RecordID.normalized(id), let object = context.schema.object(ofId: normalized) else {
            throw OrgError(404, "NOT_FOUND", message: "The requested resource does not exist")
        }
        let row = try context.rows.existingRow(of: object, id: normalized, for: .reading)
        let names = try requestedFields(of: object)
        let plan = try context.reader.plan(object, fields: names)
        let written = try context.reader.writer.write(plan, [row.number], limit: 1) { _, _, _ in "" }
        guard let bytes = written.bytes(0), let record = try? JSONValue(parsing: Array(bytes)) else {
            throw OrgError.notFound
        }
        return json(of: record, RecordVersion(object: object, row: row))
    }

    private func requestedFields(of object: OrgObject) throws -> [String] {
        func path(_ name: String) throws -> String {
            let parts = name.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 2, parts[0].lowercased() == object.name.lowercased() else {
                throw OrgError(400, "INVALID_FIELD", message: "\(name) is not a field of \(object.name)")
            }
            return parts[1]
        }
        let needed = try (request.list("fields") ?? []).map(path)
        let optional = (request.list("optionalFields") ?? []).compactMap { try? path($0) }.filter { name in
            (try? context.reader.plan(object, fields: [name])) != nil
        }
        return try layoutFields(of: object) + needed + optional
    }

    /// Returns the fields of the layouts that the request names, with the names of the records that they refer to.
    private func layoutFields(of object: OrgObject) throws -> [String] {
        let types = try request.choices("layoutTypes", of: ["Full", "Compact"])
        let given = try request.choices("modes", of: ["View", "Edit", "Create"])
        let modes = given.isEmpty ? ["View"] : given
        guard object.flags.layoutable || types.isEmpty else {
            throw OrgError(404, "INVALID_TYPE", message: "Object \(object.name) has no layout")
        }
        let fields = types.flatMap { $0 == "Compact" ? object.compactLayoutFields : object.layoutFields }
            .flatMap { $0.isCompound ? object.parts(of: $0) : [$0] }
            .filter { field in
                modes.contains("View") || modes.contains("Edit") && field.isUpdateable
                    || modes.contains("Create") && field.isCreateable
            }
        return fields.flatMap { field in
            let parent = field.isPolymorphic ? nil : field.referenceTo.first.flatMap { context.schema[$0]?.nameField }
            guard let name = field.relationshipName, let parent else { return [field.name] }
            return [field.name, "\(name).\(parent.name)"]
        }
    }

    /// Rejects a request for records that does not name their fields.
    private func checkFields() throws {
        let names = ["fields", "optionalFields", "layoutTypes"]
        guard names.allSatisfy({ (request.list($0) ?? []).isEmpty }) else { return }
        throw OrgError(
            400, "INVALID_INPUT_COMBINATION",
            message: "Must provide either 'fields', 'optionalFields' or 'layoutTypes'.")
    }

    private func json(of record: JSONValue, _ version: RecordVersion) -> JSONValue {
        let (object, row) = (version.object, version.row)
        let type =
            object.field("RecordTypeId").flatMap { row.cells[$0.position].text } ?? ObjectDescription.masterRecordType
        let stamp = row.cells[object.position("SystemModstamp")].int ?? 0
        let eTag = UserInterface(context: context).eTag(of: "\(row.id(object)) \(stamp) \(version.checksum)")
        return [
            "apiName": .string(object.name), "childRelationships": [:], "eTag": .string(eTag), "fields": fields(record),
            "id": .string(row.id(object)),
            "lastModifiedById": row.cells[object.position("LastModifiedById")].text.map { .string($0) } ?? .null,
            "lastModifiedDate": .string(DateText.format(version.modified, zone: "Z")),
            "recordTypeId": .string(type), "recordTypeInfo": nil,
            "systemModstamp": .string(DateText.format(stamp, zone: "Z")), "weakEtag": .int(stamp),
        ]
    }

    /// Returns the members of a row with their displayed values: the name of a parent, else null.
    private func fields(_ record: JSONValue) -> JSONValue {
        var fields = JSONObject()
        for (name, value) in record.objectValue?.members ?? [] where name != "attributes" {
            guard value.objectValue != nil, let type = value.attributes?["type"]?.stringValue else {
                fields[name] = ["displayValue": nil, "value": value]
                continue
            }
            let nested: JSONValue = ["apiName": .string(type), "fields": self.fields(value)]
            fields[name] = ["displayValue": value["Name"] ?? nil, "value": nested]
        }
        return .object(fields)
    }
}
