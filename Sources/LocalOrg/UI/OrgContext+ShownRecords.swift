// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// A record as the user interface reads it: each field with its value and with what is shown of it.
    ///
    /// `fields` and `optionalFields` of the request name fields with their object, `Account.Name`; optional ones that
    /// are not there are left out.
    func shownRecord(_ id: String, _ request: OrgRequest) throws -> JSONValue {
        guard let normalized = RecordID.normalized(id), let object = schema.object(ofId: normalized) else {
            throw OrgError(404, "NOT_FOUND", "The requested resource does not exist")
        }
        let row = try target(object, normalized, .reading)
        let names = try shownFields(of: object, request)
        let plan = try plan(object, fields: names.isEmpty ? object.nameField.map { [$0.name] } ?? [] : names)
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
        return needed + optional
    }

    private func shown(_ record: JSONValue, _ object: OrgObject, _ row: StoredRow) -> JSONValue {
        let type = object.field("RecordTypeId").flatMap { row.cells[$0.position].text } ?? Self.masterRecordType
        let stamp = row.cells[object.position("SystemModstamp")].int ?? 0
        return [
            "apiName": .string(object.name), "childRelationships": [:],
            "eTag": .string(eTag(of: "\(row.id(object)) \(stamp)")), "fields": fields(record),
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
