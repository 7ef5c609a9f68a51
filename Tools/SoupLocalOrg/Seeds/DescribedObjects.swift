// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Converts describes to the objects of a seed file.
struct DescribedObjects {
    private let describes: [JSONValue]
    private let summaries: [String: JSONValue]
    /// The names of all resulting objects, in lower case.
    private var known: Set<String>
    /// The objects by their key prefixes.
    private var prefixes: [String: String]
    /// The child relationships, by object and field in lower case.
    private var relationships: [String: String] = [:]
    /// The fields with a formula.
    private var formulas: [(object: String, field: String)] = []
    /// Objects that are referred to but not described.
    private var missing: [String] = []
    private(set) var notes: [String] = []

    /// The fields that every object has.
    private static let systemFields: Set<String> = [
        "Id", "IsDeleted", "CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp",
        "LastViewedDate", "LastReferencedDate",
    ]

    init(_ describes: [JSONValue], _ summaries: [String: JSONValue], standard: OrgSchema) {
        self.describes = describes
        self.summaries = summaries
        known = Set(standard.objects.map { $0.name.lowercased() })
        prefixes = Dictionary(standard.objects.map { ($0.keyPrefix, $0.name.lowercased()) }) { first, _ in first }
        for describe in describes {
            known.insert(Self.text(describe, "name").lowercased())
            for child in describe["childRelationships"]?.arrayValue ?? [] {
                guard let name = child["relationshipName"]?.stringValue else { continue }
                let key = "\(Self.text(child, "childSObject")).\(Self.text(child, "field"))".lowercased()
                if relationships[key] == nil { relationships[key] = name }
            }
        }
    }

    mutating func document() -> JSONValue {
        var objects = JSONObject()
        for describe in describes { objects[Self.text(describe, "name")] = object(describe) }
        for name in missing {
            var stub = head(summaries[name.lowercased()] ?? ["name": .string(name)])
            stub["owner"] = false
            if !name.hasSuffix("__c") { stub["custom"] = false }
            stub["flags"] = ["createable": false, "updateable": false, "deletable": false, "searchable": false]
            stub["fields"] = ["Name": ["type": "string", "length": 255]]
            objects[name] = .object(stub)
            notes.append("\(name) has no describe: the seed file has only its Id and Name.")
        }
        while dropFormulas(from: &objects) {}
        return ["objects": .object(objects)]
    }

    /// Removes the formulas that this org cannot compute, and notes them.
    ///
    /// - Returns: whether there were any; then other formulas may refer to a removed one.
    private mutating func dropFormulas(from objects: inout JSONObject) -> Bool {
        guard !formulas.isEmpty else { return false }
        let problems = Self.problems(of: objects)
        let before = formulas.count
        formulas.removeAll { object, field in
            let path: [ConfigurationStep] = [
                .key("objects"), .key(object), .key("fields"), .key(field), .key("formula"),
            ]
            guard let problem = problems.first(where: { $0.place.path == path.text }),
                var description = objects[object]?.objectValue, var fields = description["fields"]?.objectValue,
                var json = fields[field]?.objectValue
            else { return false }
            json["formula"] = nil
            fields[field] = .object(json)
            description["fields"] = .object(fields)
            objects[object] = .object(description)
            notes.append("\(object).\(field) is empty: \(problem.message).")
            return true
        }
        return formulas.count < before
    }

    private static func problems(of objects: JSONObject) -> [ConfigurationProblem] {
        var reader = SchemaReader()
        do {
            try StandardObjects.add(to: &reader)
            reader.add(objects)
            return try SchemaTrial(try reader.schema()).problems
        } catch {
            // Other problems are reported when the seed file is written.
            return (error as? ConfigurationError)?.problems ?? []
        }
    }

    private static func text(_ json: JSONValue, _ key: String) -> String { json[key]?.stringValue ?? "" }
    private static func isTrue(_ json: JSONValue, _ key: String) -> Bool { json[key]?.boolValue ?? false }

    /// Returns the description of an object without its fields, also from a global describe.
    private mutating func head(_ describe: JSONValue) -> JSONObject {
        var result = JSONObject()
        for key in ["label", "labelPlural"] {
            if let text = describe[key]?.stringValue, !text.isEmpty { result[key] = .string(text) }
        }
        let name = Self.text(describe, "name").lowercased()
        if let prefix = describe["keyPrefix"]?.stringValue, prefix.utf8.count == 3,
            prefixes[prefix, default: name] == name
        {
            prefixes[prefix] = name
            result["keyPrefix"] = .string(prefix)
        }
        return result
    }

    private mutating func object(_ describe: JSONValue) -> JSONValue {
        var result = head(describe)
        let fields = describe["fields"]?.arrayValue ?? []
        result["whole"] = true
        if !fields.contains(where: { $0["name"] == "OwnerId" }) { result["owner"] = false }
        if let name = fields.first(where: { Self.isTrue($0, "nameField") })?["name"] { result["nameField"] = name }
        if Self.isTrue(describe, "custom") {
            for (key, child, field) in [("activities", "Task", "WhatId"), ("attachments", "Attachment", "ParentId")] {
                let children = describe["childRelationships"]?.arrayValue ?? []
                if children.contains(where: {
                    Self.text($0, "childSObject") == child && Self.text($0, "field") == field
                }) {
                    result[key] = true
                }
            }
        }
        let flags = SchemaReader.flagPaths.map(\.name).filter { describe[$0] == .bool(false) }
        if !flags.isEmpty { result["flags"] = .object(JSONObject(flags.map { (key: $0, value: .bool(false)) })) }
        let types = (describe["recordTypeInfos"]?.arrayValue ?? []).filter {
            !Self.isTrue($0, "master") && $0["active"] != .bool(false)
        }
        if !types.isEmpty {
            result["recordTypes"] = .array(
                types.map { type in
                    var json: JSONObject = [
                        "developerName": .string(Self.text(type, "developerName")),
                        "name": .string(Self.text(type, "name")),
                    ]
                    if Self.isTrue(type, "defaultRecordTypeMapping") { json["default"] = true }
                    return .object(json)
                })
        }
        let object = Self.text(describe, "name")
        let compounds = Set(
            fields.filter { ["address", "location"].contains($0["type"]) }.map { Self.text($0, "name") })
        var members = JSONObject()
        for field in fields where !Self.systemFields.contains(Self.text(field, "name")) {
            members[Self.text(field, "name")] = .object(self.field(field, of: object, compounds))
        }
        result["fields"] = .object(members)
        return .object(result)
    }

    private mutating func field(_ field: JSONValue, of object: String, _ compounds: Set<String>) -> JSONObject {
        let name = Self.text(field, "name")
        let named = Self.text(field, "type")
        let type = OrgFieldType(rawValue: named) ?? .string
        if type == .id || type.rawValue != named {
            notes.append("\(object).\(name) is a string: its type is \(named).")
        }
        var json = JSONObject()
        json["type"] = .string(type == .id ? "string" : type.rawValue)
        if let label = field["label"]?.stringValue, !label.isEmpty { json["label"] = .string(label) }
        func copy(_ key: String, as other: String? = nil) {
            if Self.isTrue(field, key) { json[other ?? key] = true }
        }
        func size(_ key: String, as other: String) {
            if let number = field[key]?.intValue, number > 0 { json[other] = .int(min(number, 131_072)) }
        }
        switch type.storage {
        case .text: size("length", as: "length")
        case .int: size("digits", as: "precision")
        case .real:
            size("precision", as: "precision")
            size("scale", as: "scale")
        case .id, .boolean, .date, .dateTime, .time, .blob, .none: break
        }
        if Self.isTrue(field, "autoNumber") {
            json["type"] = "autonumber"
            json["format"] = "{0}"
        } else if Self.isTrue(field, "calculated") {
            json["calculated"] = true
            if let formula = field["calculatedFormula"]?.stringValue {
                json["formula"] = .string(formula)
                formulas.append((object, name))
            } else if name.hasSuffix("__c") {
                notes.append("\(object).\(name) is empty: its describe does not contain its formula.")
            }
        } else if !Self.isTrue(field, "createable"), !Self.isTrue(field, "updateable"),
            ![.address, .location].contains(type)
        {
            json["readOnly"] = true
        }
        for key in ["externalId", "unique", "caseSensitive"] { copy(key) }
        if !Self.isTrue(field, "externalId") { copy("idLookup") }
        copy("restrictedPicklist", as: "restricted")
        if let compound = field["compoundFieldName"]?.stringValue, compounds.contains(compound), compound != name {
            json["compound"] = .string(compound)
        }
        if type == .reference { addReference(field, of: object, to: &json) }
        let values = (field["picklistValues"]?.arrayValue ?? []).filter { $0["active"] != .bool(false) }
        if [.picklist, .multipicklist, .combobox].contains(type), !values.isEmpty {
            json["picklist"] = .array(values.compactMap { $0["value"] })
        }
        if let value = Self.defaultValue(of: field, type: type, values: values) {
            json["default"] = value
        } else if type != .boolean, let formula = field["defaultValueFormula"]?.stringValue, !formula.isEmpty {
            notes.append("\(object).\(name) has no default: \(formula.prefix(100)) is not supported.")
        }
        if Self.isTrue(field, "dependentPicklist") {
            let other = field["controllerName"]?.stringValue ?? "another field"
            notes.append("\(object).\(name) accepts all its values, regardless of \(other).")
        }
        addRequired(field, of: object, type, to: &json)
        return json
    }

    private mutating func addReference(_ field: JSONValue, of object: String, to json: inout JSONObject) {
        let name = Self.text(field, "name")
        let targets = (field["referenceTo"]?.arrayValue ?? []).compactMap(\.stringValue)
        var kept = targets.filter { known.contains($0.lowercased()) }
        // One remaining target is sufficient; without any the field could not exist.
        if kept.isEmpty, let first = targets.first {
            kept = [first]
            known.insert(first.lowercased())
            missing.append(first)
        }
        json["referenceTo"] = .array((kept.isEmpty ? ["User"] : kept).map { .string($0) })
        if let relationship = field["relationshipName"]?.stringValue {
            json["relationshipName"] = .string(relationship)
        }
        if let relationship = relationships["\(object).\(name)".lowercased()] {
            json["childRelationshipName"] = .string(relationship)
        }
        let isRequired = field["nillable"] == .bool(false)
        let isCustom = name.hasSuffix("__c")
        if Self.isTrue(field, "cascadeDelete") {
            if isCustom, isRequired {
                json["type"] = "masterdetail"
            } else {
                json["onDelete"] = "cascade"
            }
        } else if Self.isTrue(field, "restrictedDelete") {
            json["onDelete"] = "restrict"
        } else if isCustom, isRequired {
            json["onDelete"] = "clear"
        }
    }

    /// Marks a field as required.
    ///
    /// A field that the org fills in a way that describes do not contain is not required: clients could not set it.
    private mutating func addRequired(
        _ field: JSONValue, of object: String, _ type: OrgFieldType, to json: inout JSONObject
    ) {
        guard field["nillable"] == .bool(false), type != .boolean, json["type"] != "masterdetail" else { return }
        let name = Self.text(field, "name")
        let isFilled = Self.isTrue(field, "defaultedOnCreate") && json["default"] == nil
        let isWritable = Self.isTrue(field, "createable") || Self.isTrue(field, "updateable")
        if isFilled, isWritable, !["OwnerId", "RecordTypeId"].contains(name) {
            notes.append("\(object).\(name) can be empty: its describe does not contain its default.")
        } else {
            json["required"] = true
        }
    }

    private static func defaultValue(of field: JSONValue, type: OrgFieldType, values: [JSONValue]) -> JSONValue? {
        switch type.storage {
        case .boolean: return field["defaultValue"] == .bool(true) ? true : nil
        case .text where type == .picklist:
            return values.first { isTrue($0, "defaultValue") }?["value"]
        case .text, .int, .real:
            // Only a formula that is a number or a quoted text can be converted.
            guard let formula = field["defaultValueFormula"]?.stringValue,
                let value = try? JSONValue(parsing: formula)
            else { return nil }
            return (type.storage == .text ? value.stringValue != nil : value.doubleValue != nil) ? value : nil
        case .id, .date, .dateTime, .time, .blob, .none: return nil
        }
    }
}
