// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SchemaReader {
    /// Returns the fields of an object in the order of describe results: the ID, standard fields, system fields, custom
    /// fields.
    static func fields(of object: String, _ description: JSONValue) throws -> [OrgField] {
        let own = try declaredFields(of: object, description)
        var fields = [system("Id", .id), system("IsDeleted", .boolean)]
        fields += own.filter { !$0.isCustom }
        let hasRecordTypes = !(description.recordTypes?.arrayValue ?? []).isEmpty
        if hasRecordTypes, !fields.contains(where: { $0.name == "RecordTypeId" }) {
            fields.append(writable(nullable(system("RecordTypeId", .reference, referenceTo: "RecordType"))))
        }
        let hasMaster = own.contains(where: \.isMasterDetail)
        if description.owner?.boolValue ?? true, !hasMaster, !fields.contains(where: { $0.name == "OwnerId" }) {
            fields.append(writable(system("OwnerId", .reference, referenceTo: "User")))
        }
        fields += [
            system("CreatedDate", .datetime), system("CreatedById", .reference, referenceTo: "User"),
            system("LastModifiedDate", .datetime), system("LastModifiedById", .reference, referenceTo: "User"),
            system("SystemModstamp", .datetime),
        ]
        if description.flags?.mruEnabled?.boolValue ?? true {
            fields += [
                nullable(system("LastViewedDate", .datetime)), nullable(system("LastReferencedDate", .datetime)),
            ]
        }
        fields += own.filter(\.isCustom)
        for index in fields.indices { fields[index].position = index }
        return fields
    }

    /// Returns the fields of a description, with the parts of compound fields, and the name that a custom object has.
    private static func declaredFields(of object: String, _ description: JSONValue) throws -> [OrgField] {
        let declared = description["fields"]?.objectValue ?? JSONObject()
        let nameField = description.nameField?.stringValue ?? "Name"
        let isWhole = description.whole?.boolValue ?? false
        // Null means a removed field.
        let members = declared.members.filter { !$0.value.isNull }.flatMap { name, json in
            isWhole
                ? [(name, json)]
                : CompoundFields.parts(of: name, json).filter { declared[$0.name] == nil } + [(name, json)]
        }
        var own = try members.map { name, json in try field(name, json, of: object, nameField: nameField) }
        if !own.contains(where: \.isNameField), object.hasSuffix("__c") {
            var name = OrgField(name: "Name", label: "Name", type: .string, length: 80)
            name.isNameField = true
            name.isDefaulted = true
            own.insert(name, at: 0)
        }
        return own
    }

    private static func system(_ name: String, _ type: OrgFieldType, referenceTo: String? = nil) -> OrgField {
        var field = OrgField(name: name, label: label(name), type: type)
        if name == "Id" { field.label = "Record ID" }
        field.length = type.storage == .id ? 18 : 0
        field.isRequired = true
        field.isDefaulted = true
        field.isCreateable = false
        field.isUpdateable = false
        field.isIdLookup = name == "Id"
        if let referenceTo {
            field.referenceTo = [referenceTo]
            field.relationshipName = String(name.dropLast(2))
        }
        return field
    }

    private static func nullable(_ field: OrgField) -> OrgField {
        var copy = field
        copy.isRequired = false
        return copy
    }

    private static func writable(_ field: OrgField) -> OrgField {
        var copy = field
        copy.isCreateable = true
        copy.isUpdateable = true
        return copy
    }

    /// Returns the type with a name in a description; nil for an unknown one.
    static func type(named name: String) -> OrgFieldType? { shorthands[name] ?? OrgFieldType(rawValue: name) }

    /// The names of all types.
    static var typeNames: [String] { OrgFieldType.allCases.map(\.rawValue) + shorthands.keys.sorted() }

    /// Types that exist in descriptions only.
    private static let shorthands: [String: OrgFieldType] = [
        "autonumber": .string, "masterdetail": .reference, "lookup": .reference, "text": .string,
    ]

    private static func field(
        _ name: String, _ json: JSONValue, of object: String, nameField: String
    ) throws -> OrgField {
        let typeName = json.type?.stringValue ?? "string"
        guard let type = type(named: typeName) else {
            throw SoupError(
                .badConfiguration, "object \(object): field \(name) has the unknown type \"\(typeName)\"",
                place: SoupError.Place(path: "objects.\(object).fields.\(name).type"))
        }
        var field = OrgField(name: name, label: json.label?.stringValue ?? label(name), type: type)
        field.isCalculated = (json.calculated?.boolValue ?? false) || json.formula?.stringValue != nil
        field.autonumber = typeName == "autonumber" ? json["format"]?.stringValue ?? "{0}" : nil
        field.isRequired = json.required?.boolValue ?? (typeName == "masterdetail" || type == .boolean)
        field.defaultValue = json["default"]
        field.isDefaulted = json["default"] != nil || type == .boolean || field.autonumber != nil
        field.isExternalId = json.externalId?.boolValue ?? false
        field.isUnique = json.unique?.boolValue ?? false
        field.isCaseSensitive = json.caseSensitive?.boolValue ?? false
        field.isIdLookup = (json.idLookup?.boolValue ?? false) || field.isExternalId
        field.isNameField = json.nameField?.boolValue ?? (name == nameField)
        field.picklist = json.picklist?.arrayValue?.compactMap(\.stringValue) ?? []
        field.isRestricted = json.restricted?.boolValue ?? false
        field.compound = json.compound?.stringValue
        setLimits(of: &field, json)
        setFilling(of: &field, json, in: object)
        if type == .reference { setReference(of: &field, json, isMasterDetail: typeName == "masterdetail") }
        let isReadOnly = json.readOnly?.boolValue ?? false
        let isWritable = !isReadOnly && !field.isCalculated && field.autonumber == nil && !field.isCompound
        field.isCreateable = isWritable
        field.isUpdateable = isWritable && !field.isMasterDetail
        return field
    }

    private static func setLimits(of field: inout OrgField, _ json: JSONValue) {
        func number(_ key: String) -> Int? { json[key]?.intValue.flatMap { Int(exactly: $0) } }
        let isTextFormula = json.formula?.stringValue != nil && field.type == .string
        field.length =
            number("length")
            ?? (isTextFormula ? 1300 : defaultLength(field.type, isAutonumber: field.autonumber != nil))
        field.precision = number("precision") ?? (field.type.storage == .real ? 18 : field.type == .int ? 9 : 0)
        field.scale = number("scale") ?? 0
    }

    /// Sets whether the org fills a field: formulas, record types, owners and names have rules of their own.
    private static func setFilling(of field: inout OrgField, _ json: JSONValue, in object: String) {
        if json.formula?.stringValue != nil {
            field.isRequired = field.type == .boolean
            field.defaultValue = nil
            field.isDefaulted = false
        }
        if field.name == "RecordTypeId" { field.isDefaulted = true }
        if field.name == "OwnerId" {
            field.isRequired = true
            field.isDefaulted = true
        }
        // The name of a custom object's record without one is its ID.
        if object.hasSuffix("__c"), field.isNameField, field.type == .string, !field.isRequired {
            field.isDefaulted = true
        }
    }

    private static func setReference(of field: inout OrgField, _ json: JSONValue, isMasterDetail: Bool) {
        field.referenceTo = json.referenceTo?.arrayValue?.compactMap(\.stringValue) ?? []
        field.relationshipName = json.relationshipName?.stringValue ?? defaultRelationship(field.name)
        field.childRelationshipName = json.childRelationshipName?.stringValue
        let standard: DeleteRule = isMasterDetail ? .cascade : field.isRequired && field.isCustom ? .restrict : .clear
        field.onDelete = json.onDelete?.stringValue.flatMap(DeleteRule.init) ?? standard
    }

    private static func defaultLength(_ type: OrgFieldType, isAutonumber: Bool) -> Int {
        switch type {
        case .id, .reference: 18
        case .phone: 40
        case .email: 80
        case .string where isAutonumber: 30
        case .string, .url, .textarea, .combobox, .picklist, .encryptedstring: 255
        case .multipicklist: 4099
        default: 0
        }
    }

    private static func defaultRelationship(_ field: String) -> String? {
        if field.hasSuffix("__c") { return String(field.dropLast(1)) + "r" }
        return field.hasSuffix("Id") ? String(field.dropLast(2)) : nil
    }
}
