// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A record of bulk data: what its columns say.
///
/// Columns that say nothing are not in it.
struct BulkRecord {
    var values: [(column: BulkColumn, value: JSONValue)] = []

    /// The text that empties a field; an empty one leaves it alone.
    static let null = "#N/A"

    /// Reads a line of CSV.
    init(_ line: [String], _ columns: [BulkColumn]) {
        for (column, text) in zip(columns, line) where !text.isEmpty {
            values.append((column, text == Self.null ? .null : .string(text)))
        }
    }

    /// Reads an object of JSON; records within it are named by their external ids: `{"Account": {"Code__c": "A"}}`.
    ///
    /// - Throws: ``BulkFailure`` for unknown names.
    init(
        _ record: JSONObject, _ columns: inout [String: BulkColumn], of object: OrgObject, _ schema: OrgSchema
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
            if let known = columns[path] { column = known } else { column = try BulkColumn(path, of: object, schema) }
            columns[path] = column
            values.append((column, value))
        }
    }

    /// The id that it names.
    var id: String? {
        for (column, value) in values {
            if case .id = column.kind { return value.stringValue }
        }
        return nil
    }

    /// The record as requests have it, without the id.
    ///
    /// - Throws: ``OrgError`` as the results of jobs word it: a value of another type, a parent that is not there.
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
                        "\(field.label): value not of required type: \(value.stringValue ?? value.description)",
                        fields: [field.name])
                }
                body[field.name] = value
            case .reference(let reference): body[reference.field.name] = try reference.id(for: value, in: context)
            }
        }
        return body
    }

    /// A boolean in one of the words that bulk data have for it; nil for null, which says nothing of a boolean.
    private static func boolean(_ value: JSONValue) -> JSONValue? {
        guard let text = value.stringValue?.lowercased() else { return value.isNull ? JSONValue?.none : value }
        if ["true", "yes", "y", "on", "1"].contains(text) { return true }
        if ["false", "no", "n", "off", "0"].contains(text) { return false }
        return value
    }
}
