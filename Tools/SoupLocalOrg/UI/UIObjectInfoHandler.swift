// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/ui-api/object-info` and the objects below it.
struct UIObjectInfoHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let interface: UserInterface

    init(request: OrgRequest, context: OrgContext) {
        self.request = request
        self.context = context
        interface = UserInterface(context: context)
    }

    /// Returns the objects that the UI API supports.
    func directory() throws -> OrgAnswer {
        let objects = context.schema.objects.filter(\.flags.queryable).map {
            object -> (key: String, value: JSONValue) in
            (
                object.name,
                [
                    "apiName": .string(object.name), "eTag": .string(interface.eTag(of: object.name)),
                    "keyPrefix": .string(object.keyPrefix), "label": .string(object.label),
                    "labelPlural": .string(object.labelPlural), "nameFields": .array(object.nameFieldNames),
                    "objectInfoUrl": .string("\(context.apiPath)/ui-api/object-info/\(object.name)"),
                ]
            )
        }
        return OrgAnswer([
            "eTag": .string(interface.eTag(of: "directory")), "objects": .object(JSONObject(objects)),
        ])
    }

    func info() throws -> OrgAnswer { OrgAnswer(info(of: try interface.object(request.path["object"]))) }

    func batch() throws -> OrgAnswer {
        interface.batch(request.path["objects"]) { info(of: try interface.object($0)) }
    }

    private func info(of object: OrgObject) -> JSONValue {
        let types = object.recordTypesWithMaster
        return [
            "apiName": .string(object.name), "associateEntityType": nil, "associateParentEntity": nil,
            "childRelationships": .array(object.children.compactMap(Self.child)),
            "compactLayoutable": .bool(object.flags.layoutable), "createable": .bool(object.flags.createable),
            "custom": .bool(object.isCustom),
            "defaultRecordTypeId": .string(types.first { $0.isDefault }?.id ?? ObjectDescription.masterRecordType),
            "deletable": .bool(object.flags.deletable), "dependentFields": [:],
            "eTag": .string(interface.eTag(of: object.name)),
            "feedEnabled": false,
            "fields": .object(JSONObject(object.fields.map { (key: $0.name, value: field($0)) })),
            "keyPrefix": .string(object.keyPrefix), "label": .string(object.label),
            "labelPlural": .string(object.labelPlural), "layoutable": .bool(object.flags.layoutable),
            "mruEnabled": .bool(object.flags.mruEnabled), "nameFields": .array(object.nameFieldNames),
            "queryable": .bool(object.flags.queryable),
            "recordTypeInfos": .object(
                JSONObject(
                    types.map { type in
                        (
                            key: type.id,
                            value: [
                                "available": true, "defaultRecordTypeMapping": .bool(type.isDefault),
                                "master": .bool(type.id == ObjectDescription.masterRecordType),
                                "name": .string(type.name),
                                "recordTypeId": .string(type.id),
                            ]
                        )
                    })),
            "searchLayoutable": .bool(object.flags.searchable), "searchable": .bool(object.flags.searchable),
            "themeInfo": [
                "color": "5867E8", "iconUrl": .string("\(context.org.options.instanceURL)/img/icon/t4v35/standard.png"),
            ],
            "updateable": .bool(object.flags.updateable),
        ]
    }

    private static func child(_ child: OrgObject.Child) -> JSONValue? {
        guard let name = child.relationshipName else { return nil }
        return [
            "childObjectApiName": .string(child.object), "fieldName": .string(child.field),
            "junctionIdListNames": [], "junctionReferenceTo": [], "relationshipName": .string(name),
        ]
    }

    private func field(_ field: OrgField) -> JSONValue {
        [
            "apiName": .string(field.name), "calculated": .bool(field.isCalculated),
            "compound": .bool(field.isCompound),
            "compoundComponentName": nil, "compoundFieldName": field.compound.map { .string($0) } ?? .null,
            "controllerName": nil, "controllingFields": [], "createable": .bool(field.isCreateable),
            "custom": .bool(field.isCustom), "dataType": .string(Self.dataType(field)),
            "externalId": .bool(field.isExternalId), "extraTypeInfo": field.type == .textarea ? "PlainTextArea" : nil,
            "filterable": .bool(field.isFilterable), "filteredLookupInfo": nil, "highScaleNumber": false,
            "htmlFormatted": false, "inlineHelpText": nil, "label": .string(field.label),
            "length": .int(Int64(field.length)), "maskType": nil, "nameField": .bool(field.isNameField),
            "polymorphicForeignKey": .bool(field.isPolymorphic), "precision": .int(Int64(field.precision)),
            "reference": .bool(field.isReference), "referenceTargetField": nil,
            "referenceToInfos": .array(
                field.referenceTo.map { name in
                    [
                        "apiName": .string(name),
                        "nameFields": .array(context.schema[name].map(\.nameFieldNames) ?? []),
                    ]
                }),
            "relationshipName": field.relationshipName.map { .string($0) } ?? .null,
            "required": .bool(field.isRequired && !field.isDefaulted), "scale": .int(Int64(field.scale)),
            "searchPrefilterable": .bool(field.isReference), "sortable": .bool(field.isSortable),
            "unique": .bool(field.isUnique), "updateable": .bool(field.isUpdateable),
        ]
    }

    /// Returns the name of a field's type in the UI API.
    private static func dataType(_ field: OrgField) -> String {
        switch field.type {
        case .id, .reference: "Reference"
        case .string: "String"
        case .phone: "Phone"
        case .url: "Url"
        case .email: "Email"
        case .textarea: "TextArea"
        case .combobox: "ComboBox"
        case .encryptedstring: "EncryptedString"
        case .picklist: "Picklist"
        case .multipicklist: "MultiPicklist"
        case .boolean: "Boolean"
        case .int: "Int"
        case .double: "Double"
        case .currency: "Currency"
        case .percent: "Percent"
        case .date: "Date"
        case .datetime: "DateTime"
        case .time: "Time"
        case .address: "Address"
        case .location: "Location"
        case .base64: "Base64"
        }
    }
}
