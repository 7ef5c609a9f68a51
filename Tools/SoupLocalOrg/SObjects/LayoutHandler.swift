// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `describe/layouts`, `describe/layouts/{recordType}` and `describe/compactLayouts`: layouts that contain all
/// fields, in two columns.
struct LayoutHandler: ResourceHandler {
    private let context: OrgContext
    private let object: OrgObject
    private let description: ObjectDescription
    private let recordType: String?

    init(request: OrgRequest, context: OrgContext) throws {
        self.context = context
        object = try context.object(request.path["object"])
        description = ObjectDescription(object, apiPath: context.apiPath)
        recordType = request.path.optional("recordType")
    }

    func layouts() throws -> OrgAnswer {
        guard object.flags.layoutable else { throw OrgError.notFound }
        let types = description.recordTypes
        if let recordType {
            let id = RecordID.normalized(recordType)
            guard types.contains(where: { $0["recordTypeId"]?.stringValue == id }) else { throw OrgError.notFound }
            return OrgAnswer(layout)
        }
        // For an object with several record types only these are listed: each has its layout at its own URL.
        let isSplit = object.recordTypes.count > 1
        return OrgAnswer([
            "layouts": isSplit ? .null : [layout],
            "recordTypeMappings": .array(
                types.map { type in
                    var mapping = type.objectValue ?? [:]
                    mapping["layoutId"] = .string(layoutId)
                    mapping["picklistsForRecordType"] = .array(picklists)
                    return .object(mapping)
                }),
            "recordTypeSelectorRequired": [.bool(isSplit)],
        ])
    }

    private var layoutId: String {
        let position = context.schema.objects.firstIndex { $0.name == object.name } ?? 0
        return RecordID.make("00h", Int64(position + 1))
    }

    private var picklists: [JSONValue] {
        object.fields.filter { !$0.picklist.isEmpty }.map { field in
            [
                "picklistName": .string(field.name),
                "picklistValues": .array(
                    field.picklist.map {
                        ObjectDescription.picklistValue($0, isDefault: field.defaultValue == .string($0))
                    }),
            ]
        }
    }

    private var layout: JSONValue {
        let own = object.fields.filter { $0.type != .id && $0.compound == nil && !Self.isSystem($0) }
        let system = object.fields.filter { $0.name != "Id" && Self.isSystem($0) && $0.type != .boolean }
        let sections = [("\(object.label) Information", own), ("System Information", system)]
            .filter { !$0.1.isEmpty }
        func all(forEditing: Bool) -> JSONValue {
            .array(
                sections.enumerated().compactMap { index, section in
                    let fields = section.1.filter { !forEditing || $0.isCreateable || $0.isUpdateable }
                    return fields.isEmpty ? nil : self.section(section.0, fields, number: index)
                })
        }
        return [
            "buttonLayoutSection": ["detailButtons": []], "detailLayoutSections": all(forEditing: false),
            "editLayoutSections": all(forEditing: true), "feedView": nil, "highlightsPanelLayoutSection": nil,
            "id": .string(layoutId), "multirowEditLayoutSections": [], "offlineLinks": [],
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

    private func section(_ heading: String, _ fields: [OrgField], number: Int) -> JSONValue {
        let rows = stride(from: 0, to: fields.count, by: 2).map { Array(fields[$0..<min($0 + 2, fields.count)]) }
        return [
            "collapsed": false, "columns": 2, "heading": .string(heading),
            "layoutRows": .array(
                rows.enumerated().map { row, fields in
                    [
                        "layoutItems": .array(
                            fields.enumerated().map { column, field in
                                Self.item(field, details: description.describe(field), tab: row * 2 + column + 1)
                            }),
                        "numItems": .int(Int64(fields.count)),
                    ]
                }),
            "layoutSectionId": .string(RecordID.make("01B", Int64(number + 1))),
            "parentLayoutId": .string(RecordID.short(layoutId)), "rows": .int(Int64(rows.count)),
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
        guard let name = child.relationshipName, let object = context.schema[child.object] else { return nil }
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

    /// Returns the one compact layout that every object has.
    func compactLayouts() throws -> OrgAnswer {
        guard object.flags.layoutable else { throw OrgError.notFound }
        let base = "\(context.apiPath)/sobjects/\(object.name)/describe/compactLayouts"
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
                description.recordTypes.map { type in
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
