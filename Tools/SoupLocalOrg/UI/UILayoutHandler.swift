// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/ui-api/layout/{object}`: a page layout, generated from the schema.
struct UILayoutHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func layout() throws -> OrgAnswer {
        let interface = UserInterface(context: context)
        let object = try interface.object(request.path["object"])
        guard object.flags.layoutable else {
            throw OrgError(404, "INVALID_TYPE", message: "Object \(object.name) has no layout")
        }
        let form = try request.choice("formFactor", of: ["Large", "Medium", "Small"])
        let type = try request.choice("layoutType", of: ["Full", "Compact"])
        let mode = try request.choice("mode", of: ["View", "Edit", "Create"], default: "View")
        let types = object.recordTypesWithMaster
        let wanted =
            request.parameter("recordTypeId") ?? types.first { $0.isDefault }?.id
            ?? ObjectDescription.masterRecordType
        guard let recordType = types.first(where: { $0.id == RecordID.normalized(wanted) }) else {
            throw OrgError(
                400, "INVALID_INPUT", message: "The record type \(wanted) is not one of \(object.name)")
        }
        let fields = type == "Compact" ? object.compactLayoutFields : object.layoutFields
        let columns = form == "Small" || type == "Compact" ? 1 : 2
        return OrgAnswer([
            "eTag": .string(interface.eTag(of: "\(object.name) \(form) \(type) \(mode) \(recordType.id)")),
            "id": type == "Full" ? .string(RecordID.make("00h", number(of: object))) : nil,
            "layoutType": .string(type), "mode": .string(mode), "objectApiName": .string(object.name),
            "recordTypeId": .string(recordType.id), "saveOptions": [],
            "sections": .array(sections(of: object, fields, columns: columns)),
        ])
    }

    /// Returns the position of an object in the schema, counted from 1.
    private func number(of object: OrgObject) -> Int64 {
        Int64((context.schema.objects.firstIndex { $0.name == object.name } ?? 0) + 1)
    }

    private func sections(of object: OrgObject, _ fields: [OrgField], columns: Int) -> [JSONValue] {
        let parts: [(heading: String, fields: [OrgField])] = [
            ("\(object.label) Information", fields.filter { $0.type != .address && !$0.isLongText }),
            ("Address Information", fields.filter { $0.type == .address }),
            ("Description Information", fields.filter { $0.isLongText }),
        ]
        return parts.filter { !$0.fields.isEmpty }.enumerated().map { index, part in
            let columns = part.fields[0].isLongText ? 1 : columns
            let rows = stride(from: 0, to: part.fields.count, by: columns).map { start -> JSONValue in
                let row = part.fields[start..<min(start + columns, part.fields.count)]
                return ["layoutItems": .array(row.map { item($0, of: object) })]
            }
            return [
                "collapsible": .bool(index > 0), "columns": .int(Int64(columns)), "heading": .string(part.heading),
                "id": .string(RecordID.make("01B", number(of: object) * 10 + Int64(index))),
                "layoutRows": .array(rows), "rows": .int(Int64(rows.count)), "useHeading": .bool(index > 0),
            ]
        }
    }

    private func item(_ field: OrgField, of object: OrgObject) -> JSONValue {
        let parts = field.isCompound ? object.parts(of: field) : [field]
        return [
            "editableForNew": .bool(parts.contains(where: \.isCreateable)),
            "editableForUpdate": .bool(parts.contains(where: \.isUpdateable)), "label": .string(field.label),
            "layoutComponents": .array(
                parts.map { part in
                    ["apiName": .string(part.name), "componentType": "Field", "label": .string(part.label)]
                }),
            "lookupIdApiName": field.isReference ? "Id" : nil,
            "required": .bool(field.isRequired && !field.isDefaulted), "sortable": .bool(field.isSortable),
        ]
    }
}
