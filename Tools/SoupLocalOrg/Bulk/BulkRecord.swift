// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A record of bulk data: the values of its columns, without empty ones.
struct BulkRecord {
    var values: [(column: BulkColumn, value: JSONValue)] = []

    /// The text that clears a field; an empty text leaves it unchanged.
    static let null = "#N/A"

    /// Reads a line of CSV.
    init(_ line: [String], _ columns: [BulkColumn]) {
        for (column, text) in zip(columns, line) where !text.isEmpty {
            values.append((column, text == Self.null ? .null : .string(text)))
        }
    }

    /// Reads an object of JSON; records in it are referred to by their external IDs: `{"Account": {"Code__c": "A"}}`.
    ///
    /// - Throws: ``BulkFailure`` for unknown names.
    init(
        _ record: JSONObject, columns: inout [String: BulkColumn], of object: OrgObject, schema: OrgSchema
    ) throws(BulkFailure) {
        for (name, value) in record.members where name.lowercased() != "attributes" {
            var path = name
            var value = value
            if object.field(name) == nil, let parent = value.objectValue {
                let members = parent.members.filter { $0.key.lowercased() != "attributes" }
                guard let member = members.first, members.count == 1 else {
                    throw .batch("Field name not found : \(name)")
                }
                let type = parent["attributes"]?["type"]?.stringValue
                let isPolymorphic = object.reference(name)?.isPolymorphic ?? false
                path = "\(isPolymorphic ? type.map { "\($0):" } ?? "" : "")\(name).\(member.key)"
                value = member.value
            }
            let column: BulkColumn
            if let known = columns[path] {
                column = known
            } else {
                column = try BulkColumn(path, of: object, schema: schema)
            }
            columns[path] = column
            values.append((column, value))
        }
    }

    /// The ID in the record.
    var id: String? {
        for (column, value) in values {
            if case .id = column.kind { return value.stringValue }
        }
        return nil
    }

    /// Returns the record in the form of a request body, without the ID.
    ///
    /// - Throws: ``OrgError`` as the results of jobs report it: for a value of another type and a missing parent.
    func body(_ context: OrgContext) throws -> JSONObject {
        var body = JSONObject()
        for (column, value) in values {
            switch column.kind {
            case .id: break
            case .field(let field):
                let value = field.type == .boolean ? Self.boolean(value) : value
                guard let value else { continue }
                guard (try? FieldCoercion.cell(value, for: field)) != nil else {
                    throw OrgError(
                        400, "INVALID_TYPE_ON_FIELD_IN_RECORD",
                        message:
                            "\(field.label): value not of required type: \(value.stringValue ?? value.description)",
                        fields: [field.name])
                }
                body[field.name] = value
            case .reference(let reference): body[reference.field.name] = try reference.id(for: value, in: context)
            }
        }
        return body
    }

    /// Returns a boolean from one of the words that bulk data use for it; nil for null, which leaves a boolean
    /// unchanged.
    private static func boolean(_ value: JSONValue) -> JSONValue? {
        guard let text = value.stringValue?.lowercased() else { return value.isNull ? JSONValue?.none : value }
        if ["true", "yes", "y", "on", "1"].contains(text) { return true }
        if ["false", "no", "n", "off", "0"].contains(text) { return false }
        return value
    }
}
