// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// A page layout, made from the schema: the fields that people see, two a row.
    func layout(_ request: OrgRequest, _ object: OrgObject) throws -> OrgAnswer {
        guard object.flags.layoutable else {
            throw OrgError(404, "INVALID_TYPE", "Object \(object.name) has no layout")
        }
        let form = try choice(request, "formFactor", ["Large", "Medium", "Small"])
        let type = try choice(request, "layoutType", ["Full", "Compact"])
        let mode = try choice(request, "mode", ["View", "Edit", "Create"], usual: "View")
        let types = recordTypes(object)
        let wanted = request.parameter("recordTypeId") ?? types.first { $0.isDefault }?.id ?? Self.masterRecordType
        guard let recordType = types.first(where: { $0.id == RecordID.normalized(wanted) }) else {
            throw OrgError(400, "INVALID_INPUT", "The record type \(wanted) is not one of \(object.name)")
        }
        let fields = type == "Compact" ? compactFields(object) : shownFields(object)
        let columns = form == "Small" || type == "Compact" ? 1 : 2
        return OrgAnswer([
            "eTag": .string(eTag(of: "\(object.name) \(form) \(type) \(mode) \(recordType.id)")),
            "id": type == "Full" ? .string(RecordID.make("00h", number(of: object))) : nil,
            "layoutType": .string(type), "mode": .string(mode), "objectApiName": .string(object.name),
            "recordTypeId": .string(recordType.id), "saveOptions": [],
            "sections": .array(sections(object, fields, columns: columns)),
        ])
    }

    private func choice(
        _ request: OrgRequest, _ name: String, _ values: [String], usual: String? = nil
    ) throws -> String {
        guard let text = request.parameter(name) else { return usual ?? values[0] }
        guard let value = values.first(where: { $0.lowercased() == text.lowercased() }) else {
            throw OrgError(
                400, "INVALID_INPUT", "\(name) must be one of \(values.joined(separator: ", ")), not \(text)")
        }
        return value
    }

    /// The place of an object in the schema, counted from 1.
    private func number(of object: OrgObject) -> Int64 {
        Int64((schema.objects.firstIndex { $0.name == object.name } ?? 0) + 1)
    }

    // MARK: Fields

    /// All fields; the parts of addresses stand together.
    func shownFields(_ object: OrgObject) -> [OrgField] { object.fields.filter { $0.compound == nil } }

    func compactFields(_ object: OrgObject) -> [OrgField] {
        let named = object.fields.filter { $0.isNameField }
        let others = shownFields(object).filter { field in
            (field.isCreateable || field.isUpdateable) && !field.isNameField && !field.isCompound
                && !field.isReference && !field.isLongText
        }
        return Array((named + others).prefix(5))
    }

    // MARK: Sections

    private func sections(_ object: OrgObject, _ fields: [OrgField], columns: Int) -> [JSONValue] {
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
