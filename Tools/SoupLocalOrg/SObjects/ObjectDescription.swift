// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The descriptions of an object, as the describe resources return them.
struct ObjectDescription {
    let object: OrgObject
    /// The beginning of the URLs: `/services/data/v60.0`.
    let apiPath: String

    init(_ object: OrgObject, apiPath: String) {
        self.object = object
        self.apiPath = apiPath
    }

    /// The ID of the record type that every object has.
    static let masterRecordType = "012000000000000AAA"

    /// The properties of the object that every list contains.
    var summary: JSONValue {
        let base = "\(apiPath)/sobjects/\(object.name)"
        let flags = object.flags
        var urls: JSONObject = [
            "rowTemplate": .string("\(base)/{ID}"), "describe": .string("\(base)/describe"), "sobject": .string(base),
        ]
        if flags.layoutable {
            urls["layouts"] = .string("\(base)/describe/layouts")
            urls["compactLayouts"] = .string("\(base)/describe/compactLayouts")
        }
        return [
            "activateable": false, "associateEntityType": nil, "associateParentEntity": nil,
            "createable": .bool(flags.createable), "custom": .bool(object.isCustom), "customSetting": false,
            "deepCloneable": false, "deletable": .bool(flags.deletable), "deprecatedAndHidden": false,
            "feedEnabled": false, "hasSubtypes": false, "isInterface": false, "isSubtype": false,
            "keyPrefix": .string(object.keyPrefix), "label": .string(object.label),
            "labelPlural": .string(object.labelPlural), "layoutable": .bool(flags.layoutable),
            "mergeable": .bool(object.field("MasterRecordId") != nil), "mruEnabled": .bool(flags.mruEnabled),
            "name": .string(object.name), "queryable": .bool(flags.queryable),
            "replicateable": .bool(flags.replicateable), "retrieveable": .bool(flags.queryable),
            "searchable": .bool(flags.searchable), "triggerable": .bool(flags.createable),
            "undeletable": .bool(flags.deletable), "updateable": .bool(flags.updateable), "urls": .object(urls),
        ]
    }

    /// The full description, in alphabetical order, as servers return it.
    var full: JSONValue {
        var result: JSONObject = [
            "actionOverrides": [], "childRelationships": .array(object.children.map(Self.describe)),
            "compactLayoutable": .bool(object.flags.layoutable), "defaultImplementation": nil, "extendedBy": nil,
            "extendsInterfaces": nil, "fields": .array(object.fields.map(describe)),
            "implementedBy": nil, "implementsInterfaces": nil, "listviewable": nil, "lookupLayoutable": nil,
            "namedLayoutInfos": [], "networkScopeFieldName": nil, "recordTypeInfos": .array(recordTypes),
            "searchLayoutable": .bool(object.flags.searchable),
            "supportedScopes": [
                ["label": .string("All \(object.labelPlural.lowercased())"), "name": "everything"],
                ["label": .string("My \(object.labelPlural.lowercased())"), "name": "mine"],
            ],
        ]
        for (key, value) in summary.objectValue?.members ?? [] { result[key] = value }
        return .object(JSONObject(result.members.sorted { $0.key < $1.key }))
    }

    private static func describe(_ child: OrgObject.Child) -> JSONValue {
        [
            "cascadeDelete": .bool(child.onDelete == .cascade), "childSObject": .string(child.object),
            "deprecatedAndHidden": false, "field": .string(child.field), "junctionIdListNames": [],
            "junctionReferenceTo": [], "relationshipName": child.relationshipName.map { .string($0) } ?? .null,
            "restrictedDelete": .bool(child.onDelete == .restrict),
        ]
    }

    /// The record types of the object, the master record type last.
    var recordTypes: [JSONValue] {
        func info(id: String, developerName: String, name: String, isMaster: Bool, isDefault: Bool) -> JSONValue {
            [
                "active": true, "available": true, "defaultRecordTypeMapping": .bool(isDefault),
                "developerName": .string(developerName), "master": .bool(isMaster), "name": .string(name),
                "recordTypeId": .string(id),
                "urls": ["layout": .string("\(apiPath)/sobjects/\(object.name)/describe/layouts/\(id)")],
            ]
        }
        let own = object.recordTypes.map {
            info(
                id: $0.id, developerName: $0.developerName, name: $0.name, isMaster: false, isDefault: $0.isDefault)
        }
        let master = info(
            id: Self.masterRecordType, developerName: "Master", name: "Master", isMaster: true,
            isDefault: !object.recordTypes.contains { $0.isDefault })
        return own + [master]
    }

    /// Returns the description of a field.
    func describe(_ field: OrgField) -> JSONValue {
        var result = properties(of: field)
        for (key, value) in references(of: field).members { result[key] = value }
        return .object(result)
    }

    /// The members from `aggregatable` to `polymorphicForeignKey`: the order is that of servers.
    private func properties(of field: OrgField) -> JSONObject {
        [
            "aggregatable": .bool(field.isFilterable && field.type != .boolean), "aiPredictionField": false,
            "autoNumber": .bool(field.autonumber != nil), "byteLength": .int(Int64(Self.byteLength(field))),
            "calculated": .bool(field.isCalculated),
            "calculatedFormula": field.formula.map { .string($0.text) } ?? .null,
            "cascadeDelete": .bool(field.isReference && field.onDelete == .cascade),
            "caseSensitive": .bool(field.isCaseSensitive),
            "compoundFieldName": compound(field).map { .string($0) } ?? .null,
            "controllerName": nil,
            "createable": .bool(field.isCreateable), "custom": .bool(field.isCustom),
            "defaultValue": field.type == .boolean ? field.defaultValue ?? false : .null,
            "defaultValueFormula": Self.defaultFormula(field).map { .string($0) } ?? .null,
            "defaultedOnCreate": .bool(field.isDefaulted), "dependentPicklist": false, "deprecatedAndHidden": false,
            "digits": .int(field.type == .int ? Int64(field.precision) : 0), "displayLocationInDecimal": false,
            "encrypted": .bool(field.type == .encryptedstring), "externalId": .bool(field.isExternalId),
            "extraTypeInfo": field.type == .textarea ? "plaintextarea" : nil,
            "filterable": .bool(field.isFilterable), "filteredLookupInfo": nil, "formulaTreatNullNumberAsZero": false,
            "groupable": .bool(field.isGroupable), "highScaleNumber": false, "htmlFormatted": false,
            "idLookup": .bool(field.isIdLookup), "inlineHelpText": nil, "label": .string(field.label),
            "length": .int(Int64(field.length)), "mask": nil, "maskType": nil, "name": .string(field.name),
            "nameField": .bool(field.isNameField), "namePointing": .bool(field.isPolymorphic),
            "nillable": .bool(!field.isRequired), "permissionable": .bool(!field.isRequired),
            "picklistValues": .array(
                field.picklist.map { Self.picklistValue($0, isDefault: field.defaultValue == .string($0)) }),
            "polymorphicForeignKey": .bool(field.isPolymorphic),
        ]
    }

    /// The members from `precision` to `writeRequiresMasterRead`: the order is that of servers.
    private func references(of field: OrgField) -> JSONObject {
        [
            "precision": .int(field.type.storage == .real ? Int64(field.precision) : 0),
            "queryByDistance": .bool(field.isCompound),
            "referenceTargetField": nil, "referenceTo": .array(field.referenceTo.map { .string($0) }),
            "relationshipName": field.relationshipName.map { .string($0) } ?? .null,
            "relationshipOrder": field.isMasterDetail ? 0 : nil,
            "restrictedDelete": .bool(field.isReference && field.onDelete == .restrict),
            "restrictedPicklist": .bool(field.isRestricted), "scale": .int(Int64(field.scale)),
            "searchPrefilterable": .bool(field.isReference), "soapType": .string(Self.soapType(field)),
            "sortable": .bool(field.isSortable), "type": .string(field.type.rawValue), "unique": .bool(field.isUnique),
            "updateable": .bool(field.isUpdateable), "writeRequiresMasterRead": .bool(field.isMasterDetail),
        ]
    }

    /// Returns the default value as a formula: a number or a text in quotes.
    ///
    /// The defaults of picklists and booleans are in other members.
    private static func defaultFormula(_ field: OrgField) -> String? {
        guard let value = field.defaultValue, field.type != .boolean, field.type != .picklist else { return nil }
        return value.description
    }

    /// Returns the compound field that contains a field: an address, a location, or a name of several parts.
    private func compound(_ field: OrgField) -> String? {
        if let address = field.compound { return address }
        let isPart = ["FirstName", "LastName", "Salutation", "MiddleName", "Suffix"].contains(field.name)
        return isPart && object.nameField?.isCreateable == false ? object.nameField?.name : nil
    }

    private static func byteLength(_ field: OrgField) -> Int {
        switch field.type.storage {
        case .text: field.length * 3
        case .id: 18
        default: 0
        }
    }

    static func picklistValue(_ value: String, isDefault: Bool) -> JSONValue {
        [
            "active": true, "defaultValue": .bool(isDefault), "label": .string(value), "validFor": nil,
            "value": .string(value),
        ]
    }

    private static func soapType(_ field: OrgField) -> String {
        switch field.type.storage {
        case .text: "xsd:string"
        case .id: "tns:ID"
        case .boolean: "xsd:boolean"
        case .int: "xsd:int"
        case .real: "xsd:double"
        case .date: "xsd:date"
        case .dateTime: "xsd:dateTime"
        case .time: "xsd:time"
        case .blob: "xsd:base64Binary"
        case .none: "urn:\(field.type.rawValue)"
        }
    }
}
