// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// How the pages of an object's records would be laid out: all fields, in two columns.
extension OrgContext {
    /// The answer to `describe/layouts`, or to `describe/layouts/{record type}`.
    func layouts(_ object: OrgObject, recordType: String?) throws -> OrgAnswer {
        guard object.flags.layoutable else { throw OrgError.notFound }
        let types = recordTypes(of: object)
        if let recordType {
            let id = RecordID.normalized(recordType)
            guard types.contains(where: { $0["recordTypeId"]?.stringValue == id }) else { throw OrgError.notFound }
            return OrgAnswer(layout(object))
        }
        // An object with several record types says only which they are: each has its layout at its own address.
        let isSplit = object.recordTypes.count > 1
        return OrgAnswer([
            "layouts": isSplit ? .null : [layout(object)],
            "recordTypeMappings": .array(
                types.map { type in
                    var mapping = type.objectValue ?? [:]
                    mapping["layoutId"] = .string(layoutId(object))
                    mapping["picklistsForRecordType"] = .array(picklists(object))
                    return .object(mapping)
                }),
            "recordTypeSelectorRequired": [.bool(isSplit)],
        ])
    }

    private func layoutId(_ object: OrgObject) -> String {
        let place = schema.objects.firstIndex { $0.name == object.name } ?? 0
        return RecordID.make("00h", Int64(place + 1))
    }

    private func picklists(_ object: OrgObject) -> [JSONValue] {
        object.fields.filter { !$0.picklist.isEmpty }.map { field in
            [
                "picklistName": .string(field.name),
                "picklistValues": .array(
                    field.picklist.map { Self.picklistValue($0, isDefault: field.defaultValue == .string($0)) }),
            ]
        }
    }

    private func layout(_ object: OrgObject) -> JSONValue {
        let own = object.fields.filter { $0.type != .id && $0.compound == nil && !Self.isSystem($0) }
        let system = object.fields.filter { $0.name != "Id" && Self.isSystem($0) && $0.type != .boolean }
        let sections = [("\(object.label) Information", own), ("System Information", system)]
            .filter { !$0.1.isEmpty }
        func all(forEditing: Bool) -> JSONValue {
            .array(
                sections.enumerated().compactMap { index, section in
                    let fields = section.1.filter { !forEditing || $0.isCreateable || $0.isUpdateable }
                    return fields.isEmpty ? nil : self.section(object, section.0, fields, number: index)
                })
        }
        return [
            "buttonLayoutSection": ["detailButtons": []], "detailLayoutSections": all(forEditing: false),
            "editLayoutSections": all(forEditing: true), "feedView": nil, "highlightsPanelLayoutSection": nil,
            "id": .string(layoutId(object)), "multirowEditLayoutSections": [], "offlineLinks": [],
            "quickActionList": ["quickActionListItems": []], "relatedContent": nil,
            "relatedLists": .array(object.children.compactMap(relatedList)), "saveOptions": [],
        ]
    }

    private static func isSystem(_ field: OrgField) -> Bool {
        [
            "IsDeleted", "CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp",
            "LastViewedDate", "LastReferencedDate",
        ].contains(field.name)
    }

    private func section(_ object: OrgObject, _ heading: String, _ fields: [OrgField], number: Int) -> JSONValue {
        let rows = stride(from: 0, to: fields.count, by: 2).map { Array(fields[$0..<min($0 + 2, fields.count)]) }
        return [
            "collapsed": false, "columns": 2, "heading": .string(heading),
            "layoutRows": .array(
                rows.enumerated().map { row, fields in
                    [
                        "layoutItems": .array(
                            fields.enumerated().map { column, field in
                                Self.item(field, details: describe(field, of: object), tab: row * 2 + column + 1)
                            }),
                        "numItems": .int(Int64(fields.count)),
                    ]
                }),
            "layoutSectionId": .string(RecordID.make("01B", Int64(number + 1))),
            "parentLayoutId": .string(RecordID.short(layoutId(object))), "rows": .int(Int64(rows.count)),
            "tabOrder": "TopToBottom", "useCollapsibleSection": false, "useHeading": true,
        ]
    }

    private static func item(_ field: OrgField, details: JSONValue?, tab: Int) -> JSONValue {
        var component: JSONObject = [
            "displayLines": .int(field.isLongText ? 6 : 1), "tabOrder": .int(Int64(tab)), "type": "Field",
            "value": .string(field.name),
        ]
        if let details { component["details"] = details }
        return [
            "editableForNew": .bool(field.isCreateable), "editableForUpdate": .bool(field.isUpdateable),
            "label": .string(field.label), "layoutComponents": [.object(component)], "placeholder": false,
            "required": .bool(field.isRequired && !field.isDefaulted && field.isCreateable),
        ]
    }

    private func relatedList(_ child: OrgObject.Child) -> JSONValue? {
        guard let name = child.relationshipName, let object = schema[child.object] else { return nil }
        let columns = [object.nameField].compactMap { $0 }
        return [
            "accessLevelRequiredForCreate": nil, "buttons": [],
            "columns": .array(
                columns.map {
                    [
                        "field": .string("\(object.name).\($0.name)"), "fieldApiName": .string($0.name),
                        "format": nil, "label": .string($0.label), "lookupId": nil, "name": .string($0.name),
                        "sortable": .bool($0.isSortable),
                    ]
                }),
            "custom": .bool(object.isCustom), "field": .string(child.field), "label": .string(object.labelPlural),
            "limitRows": 5, "name": .string(name), "sobject": .string(object.name), "sort": [],
        ]
    }

    // MARK: Compact layouts

    /// The answer to `describe/compactLayouts`: the one that every object has.
    func compactLayouts(_ object: OrgObject) throws -> OrgAnswer {
        guard object.flags.layoutable else { throw OrgError.notFound }
        let base = "\(apiPath)/sobjects/\(object.name)/describe/compactLayouts"
        let fields = [object.nameField].compactMap { $0 }
        return OrgAnswer([
            "compactLayouts": [
                [
                    "actions": [], "fieldItems": .array(fields.map { Self.item($0, details: nil, tab: 1) }),
                    "id": nil, "imageItems": [], "label": "System Default", "name": "SYSTEM",
                    "objectType": .string(object.name),
                ]
            ],
            "defaultCompactLayoutId": nil,
            "recordTypeCompactLayoutMappings": .array(
                recordTypes(of: object).map { type in
                    let id = type["recordTypeId"]?.stringValue ?? ""
                    return [
                        "available": true, "compactLayoutId": nil, "compactLayoutName": "SYSTEM",
                        "recordTypeId": .string(id), "recordTypeName": type["name"] ?? .null,
                        "urls": ["compactLayout": .string("\(base)/\(id)")],
                    ]
                }),
            "urls": ["primary": .string("\(base)/primary")],
        ])
    }
}
