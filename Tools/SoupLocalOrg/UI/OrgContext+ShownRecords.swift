// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// A record as the user interface reads it: each field with its value and with what is shown of it.
    ///
    /// `fields` and `optionalFields` of the request name fields with their object, `Account.Name`; optional ones that
    /// are not there are left out. `layoutTypes` and `modes` ask for the fields of layouts; one of the three is needed.
    func shownRecord(_ id: String, _ request: OrgRequest) throws -> JSONValue {
        guard let normalized = RecordID.normalized(id), let object = schema.object(ofId: normalized) else {
            throw OrgError(404, "NOT_FOUND", "The requested resource does not exist")
        }
        let row = try target(object, normalized, .reading)
        let names = try shownFields(of: object, request)
        let plan = try plan(object, fields: names)
        let written = try rowWriting.write(plan, [row.number], limit: 1) { _, _, _ in "" }
        guard let bytes = written.bytes(0), let record = try? JSONValue(parsing: Array(bytes)) else {
            throw OrgError.notFound
        }
        return shown(record, object, row)
    }

    private func shownFields(of object: OrgObject, _ request: OrgRequest) throws -> [String] {
        func path(_ name: String) throws -> String {
            let parts = name.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 2, parts[0].lowercased() == object.name.lowercased() else {
                throw OrgError(400, "INVALID_FIELD", "\(name) is not a field of \(object.name)")
            }
            return parts[1]
        }
        let needed = try (request.list("fields") ?? []).map(path)
        let optional = (request.list("optionalFields") ?? []).compactMap { try? path($0) }.filter { name in
            (try? plan(object, fields: [name])) != nil
        }
        return try layoutFields(of: object, request) + needed + optional
    }

    /// The fields of the layouts that a request names, with the names of the records that they refer to.
    private func layoutFields(of object: OrgObject, _ request: OrgRequest) throws -> [String] {
        let types = try choices(request, "layoutTypes", ["Full", "Compact"])
        let given = try choices(request, "modes", ["View", "Edit", "Create"])
        let modes = given.isEmpty ? ["View"] : given
        guard object.flags.layoutable || types.isEmpty else {
            throw OrgError(404, "INVALID_TYPE", "Object \(object.name) has no layout")
        }
        let fields = types.flatMap { $0 == "Compact" ? compactFields(object) : shownFields(object) }
            .flatMap { $0.isCompound ? object.parts(of: $0) : [$0] }
            .filter { field in
                modes.contains("View") || modes.contains("Edit") && field.isUpdateable
                    || modes.contains("Create") && field.isCreateable
            }
        return fields.flatMap { field in
            let parent = field.isPolymorphic ? nil : field.referenceTo.first.flatMap { schema[$0]?.nameField }
            guard let name = field.relationshipName, let parent else { return [field.name] }
            return [field.name, "\(name).\(parent.name)"]
        }
    }

    private func choices(_ request: OrgRequest, _ name: String, _ values: [String]) throws -> [String] {
        try (request.list(name) ?? []).map { text in
            guard let value = values.first(where: { $0.lowercased() == text.lowercased() }) else {
                throw OrgError(
                    400, "ILLEGAL_QUERY_PARAMETER_VALUE",
                    "\(name) must be of \(values.joined(separator: ", ")), not \(text)")
            }
            return value
        }
    }

    /// Refuses a request for records that does not say which of their fields.
    func refuseWithoutFields(_ request: OrgRequest) throws {
        let names = ["fields", "optionalFields", "layoutTypes"]
        guard names.allSatisfy({ (request.list($0) ?? []).isEmpty }) else { return }
        throw OrgError(
            400, "INVALID_INPUT_COMBINATION", "Must provide either 'fields', 'optionalFields' or 'layoutTypes'.")
    }

    private func shown(_ record: JSONValue, _ object: OrgObject, _ row: StoredRow) -> JSONValue {
        let type = object.field("RecordTypeId").flatMap { row.cells[$0.position].text } ?? Self.masterRecordType
        let stamp = row.cells[object.position("SystemModstamp")].int ?? 0
        return [
            "apiName": .string(object.name), "childRelationships": [:],
            "eTag": .string(eTag(of: "\(row.id(object)) \(stamp) \(checksum(object, row))")), "fields": fields(record),
            "id": .string(row.id(object)),
            "lastModifiedById": row.cells[object.position("LastModifiedById")].text.map { .string($0) } ?? .null,
            "lastModifiedDate": .string(Timestamp.format(modified(object, row), zone: "Z")),
            "recordTypeId": .string(type), "recordTypeInfo": nil,
            "systemModstamp": .string(Timestamp.format(stamp, zone: "Z")), "weakEtag": .int(stamp),
        ]
    }

    /// The members of a row, each with what is shown: the name of a parent, else nothing beyond the value.
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
