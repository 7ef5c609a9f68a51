// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Checks that an org can have the objects and fields of a seed document: the properties of types, masters, and
/// duplicate names.
///
/// An object described as a whole is a copy of one that an org has: its lists may be empty and its names are not
/// checked.
struct ShapeCheck {
    private let schema: OrgSchema
    private(set) var problems: [ConfigurationProblem] = []

    private typealias Path = [ConfigurationStep]

    /// - Parameters:
    /// - objects: the objects of the document.
    /// - schema: the resulting schema.
    ///   - standard: the objects that every org has.
    init(_ objects: JSONObject, _ schema: OrgSchema, standard: OrgSchema) {
        self.schema = schema
        for (name, description) in objects.members where !description.isNull {
            let path: Path = [.key("objects"), .key(name)]
            let isWhole = description["whole"]?.boolValue ?? false
            let isOwn = name.lowercased().utf8.suffix(3).elementsEqual("__c".utf8)
            let isForeign = isWhole || description["custom"]?.boolValue == false
            // ``SchemaCheck`` and ``DescribedFieldCheck`` report invalid names.
            let isName = (try? SOQLCheck.object(name, at: "")) != nil && !name.lowercased().hasPrefix("sqlite_")
            if standard[name] == nil, isName, !isOwn, !isForeign {
                note(
                    path, "\"\(name)\" is not a standard object of this org, and the names of others end with __c",
                    hint: "Call it \(name)__c, or add \"custom\": false for a standard object of another org.")
            }
            checkRecordTypes(description["recordTypes"]?.arrayValue ?? [], path + [.key("recordTypes")])
            guard let object = schema[name] else { continue }
            for (fieldName, json) in description["fields"]?.objectValue?.members ?? [] {
                guard let field = object.field(fieldName), !json.isNull else { continue }
                let place = path + [.key("fields"), .key(fieldName)]
                checkNumbers(field, json, at: place)
                checkFormat(field, json, at: place)
                checkMaster(field, of: object, place)
                if !isWhole {
                    checkPicklist(field, json, at: place)
                    checkKey(field, json, at: place)
                    checkRelationships(field, json, of: object, at: place)
                }
            }
        }
    }

    private mutating func note(_ path: Path, _ message: String, hint: String) {
        problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
    }

    private mutating func checkRecordTypes(_ types: [JSONValue], _ path: Path) {
        var names: Set<String> = []
        var hasDefault = false
        for (index, type) in types.enumerated() {
            if let name = type["developerName"]?.stringValue, !names.insert(name.lowercased()).inserted {
                note(
                    path + [.index(index), .key("developerName")], "the record type \"\(name)\" is there already",
                    hint: "Give it another developerName.")
            }
            guard type["default"]?.boolValue == true else { continue }
            if hasDefault {
                note(
                    path + [.index(index), .key("default")], "another record type is the default already",
                    hint: "Leave \"default\" to one of them.")
            }
            hasDefault = true
        }
    }

    private mutating func checkNumbers(_ field: OrgField, _ json: JSONValue, at path: Path) {
        guard field.type.storage == .real, json["scale"] != nil || json["precision"] != nil,
            (0...field.precision).contains(field.scale) == false, field.scale >= 0, field.precision >= 0
        else { return }
        note(
            path + [.key(json["scale"] != nil ? "scale" : "precision")],
            "\(field.name) has \(field.precision) digits, and \(field.scale) of them after the point",
            hint: "Write a scale that is no larger than the precision.")
    }

    private mutating func checkFormat(_ field: OrgField, _ json: JSONValue, at path: Path) {
        guard let format = field.autonumber, json["format"]?.stringValue != nil else { return }
        if AutonumberFormat(format) == nil {
            note(
                path + [.key("format")], "\"\(format)\" has no place for the number",
                hint: "Write it like V-{00000}; {YYYY}, {YY}, {MM} and {DD} are parts of the day.")
        }
    }

    private mutating func checkMaster(_ field: OrgField, of object: OrgObject, _ path: Path) {
        guard field.isMasterDetail, field.referenceTo.contains(object.name) else { return }
        note(
            path + [.key("referenceTo")], "\(object.name) cannot be its own master",
            hint: "Make it a lookup: \"type\": \"reference\".")
    }

    private mutating func checkPicklist(_ field: OrgField, _ json: JSONValue, at path: Path) {
        let isList = [.picklist, .multipicklist].contains(field.type)
        if isList, field.isCustom, field.picklist.isEmpty {
            note(
                path + [.key("picklist")], "\(field.name) has no values to pick from",
                hint: "Add \"picklist\" with an array of values.")
        }
        guard let values = json["picklist"]?.arrayValue?.compactMap(\.stringValue) else { return }
        if !isList, field.type != .combobox {
            note(
                path + [.key("picklist")], "a field of the type \(field.type.rawValue) has no list of values",
                hint: "Make it a picklist, or remove \"picklist\".")
        }
        var known: Set<String> = []
        for (index, value) in values.enumerated() where !known.insert(value).inserted {
            note(
                path + [.key("picklist"), .index(index)], "the value \"\(value)\" is there already",
                hint: "Remove one of the two.")
        }
    }

    /// The types of external IDs.
    private static let keyTypes: [OrgFieldType] = [.string, .email, .int, .double]

    private mutating func checkKey(_ field: OrgField, _ json: JSONValue, at path: Path) {
        for key in ["externalId", "unique"] where json[key]?.boolValue == true {
            // Any comparable value may be unique; only values of some types can be part of a path.
            let fits =
                key == "unique"
                ? !field.isLongText && !field.isCompound && !field.isBlob
                    && ![.boolean, .multipicklist].contains(field.type)
                : Self.keyTypes.contains(field.type)
            guard !fits else { continue }
            note(
                path + [.key(key)],
                "a field of the type \(field.type.rawValue) cannot be \(key == "unique" ? "unique" : "an external id")",
                hint: "Take a field of the type \(Self.keyTypes.map(\.rawValue).joined(separator: ", ")) or autonumber."
            )
        }
    }

    private mutating func checkRelationships(
        _ field: OrgField, _ json: JSONValue, of object: OrgObject, at path: Path
    ) {
        guard field.isReference else { return }
        if let name = field.relationshipName, let other = object.reference(name), other.name != field.name {
            note(
                path + [.key("relationshipName")],
                "\(object.name).\(other.name) has the relationship name \"\(name)\" already",
                hint: "Give one of the two another \"relationshipName\".")
        }
        guard let name = json["childRelationshipName"]?.stringValue else { return }
        for target in field.referenceTo {
            guard let other = schema[target]?.child(name), (other.object, other.field) != (object.name, field.name)
            else { continue }
            note(
                path + [.key("childRelationshipName")],
                "\(target) has the child relationship \"\(name)\" already, by \(other.object).\(other.field)",
                hint: "Give one of the two another \"childRelationshipName\".")
        }
    }
}
