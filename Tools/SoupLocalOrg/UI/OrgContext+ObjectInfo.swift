// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// What the user interface knows of an object.
    func objectInfo(_ object: OrgObject) -> JSONValue {
        let types = recordTypes(object)
        return [
            "apiName": .string(object.name), "associateEntityType": nil, "associateParentEntity": nil,
            "childRelationships": .array(object.children.compactMap { child($0, of: object) }),
            "compactLayoutable": .bool(object.flags.layoutable), "createable": .bool(object.flags.createable),
            "custom": .bool(object.isCustom),
            "defaultRecordTypeId": .string(types.first { $0.isDefault }?.id ?? Self.masterRecordType),
            "deletable": .bool(object.flags.deletable), "dependentFields": [:], "eTag": .string(eTag(of: object.name)),
            "feedEnabled": false,
            "fields": .object(JSONObject(object.fields.map { (key: $0.name, value: field($0)) })),
            "keyPrefix": .string(object.keyPrefix), "label": .string(object.label),
            "labelPlural": .string(object.labelPlural), "layoutable": .bool(object.flags.layoutable),
            "mruEnabled": .bool(object.flags.mruEnabled), "nameFields": .array(Self.nameFields(object)),
            "queryable": .bool(object.flags.queryable),
            "recordTypeInfos": .object(
                JSONObject(
                    types.map { type in
                        (
                            key: type.id,
                            value: [
                                "available": true, "defaultRecordTypeMapping": .bool(type.isDefault),
                                "master": .bool(type.id == Self.masterRecordType), "name": .string(type.name),
                                "recordTypeId": .string(type.id),
                            ]
                        )
                    })),
            "searchLayoutable": .bool(object.flags.searchable), "searchable": .bool(object.flags.searchable),
            "themeInfo": [
                "color": "5867E8", "iconUrl": .string("\(org.options.instanceURL)/img/icon/t4v35/standard.png"),
            ],
            "updateable": .bool(object.flags.updateable),
        ]
    }

    /// The record types of an object, the master one at the end.
    func recordTypes(_ object: OrgObject) -> [OrgObject.RecordType] {
        object.recordTypes + [
            OrgObject.RecordType(
                id: Self.masterRecordType, developerName: "Master", name: "Master",
                isDefault: !object.recordTypes.contains { $0.isDefault })
        ]
    }

    private func child(_ child: OrgObject.Child, of object: OrgObject) -> JSONValue? {
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
                        "nameFields": .array(schema[name].map(Self.nameFields) ?? []),
                    ]
                }),
            "relationshipName": field.relationshipName.map { .string($0) } ?? .null,
            "required": .bool(field.isRequired && !field.isDefaulted), "scale": .int(Int64(field.scale)),
            "searchPrefilterable": .bool(field.isReference), "sortable": .bool(field.isSortable),
            "unique": .bool(field.isUnique), "updateable": .bool(field.isUpdateable),
        ]
    }

    /// The type of a field as the user interface names it.
    static func dataType(_ field: OrgField) -> String {
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

    // MARK: Picklists

    /// The values of all picklists of an object, for a record type.
    func picklists(_ object: OrgObject, recordType: String) throws -> JSONValue {
        try check(recordType, of: object)
        let fields = object.fields.filter { [.picklist, .multipicklist].contains($0.type) }
        return [
            "eTag": .string(eTag(of: "\(object.name) \(recordType)")),
            "picklistFieldValues": .object(
                JSONObject(fields.map { (key: $0.name, value: values($0, of: object, recordType)) })),
        ]
    }

    /// The values of one picklist.
    func picklist(_ object: OrgObject, recordType: String, _ name: String) throws -> JSONValue {
        try check(recordType, of: object)
        guard let field = object.field(name), [.picklist, .multipicklist].contains(field.type) else {
            throw OrgError(400, "INVALID_FIELD", "No picklist '\(name)' on sobject of type \(object.name)")
        }
        return values(field, of: object, recordType)
    }

    private func check(_ recordType: String, of object: OrgObject) throws {
        let id = RecordID.normalized(recordType)
        guard recordTypes(object).contains(where: { $0.id == id }) else {
            throw OrgError(404, "NOT_FOUND", "The record type \(recordType) is not one of \(object.name)")
        }
    }

    private func values(_ field: OrgField, of object: OrgObject, _ recordType: String) -> JSONValue {
        func value(_ text: String) -> JSONValue {
            ["attributes": nil, "label": .string(text), "validFor": [], "value": .string(text)]
        }
        let chosen = field.picklist.first { field.defaultValue == .string($0) }
        return [
            "controllerValues": [:], "defaultValue": chosen.map(value) ?? .null,
            "eTag": .string(eTag(of: "\(object.name).\(field.name)")),
            "url": .string(
                "\(apiPath)/ui-api/object-info/\(object.name)/picklist-values/\(recordType)/\(field.name)"),
            "values": .array(field.picklist.map(value)),
        ]
    }
}
