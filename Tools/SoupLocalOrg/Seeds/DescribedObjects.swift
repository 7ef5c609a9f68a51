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
        let object = Self.text(describe, "name")
        let fields = (describe["fields"]?.arrayValue ?? []).map { DescribedField($0) }
        result["whole"] = true
        if !fields.contains(where: { $0.name == "OwnerId" }) { result["owner"] = false }
        if let field = fields.first(where: { $0.isTrue("nameField") }) { result["nameField"] = field.json["name"] }
        for key in Self.standardChildren(of: describe) { result[key] = true }
        let flags = SchemaReader.flagPaths.map(\.name).filter { describe[$0] == .bool(false) }
        if !flags.isEmpty { result["flags"] = .object(JSONObject(flags.map { (key: $0, value: .bool(false)) })) }
        let types = Self.recordTypes(of: describe)
        if !types.isEmpty { result["recordTypes"] = .array(types) }
        let compounds = Set(fields.filter(\.isCompound).map(\.name))
        var members = JSONObject()
        for field in fields where !Self.systemFields.contains(field.name) {
            members[field.name] = .object(self.field(field, of: object, compounds))
        }
        result["fields"] = .object(members)
        return .object(result)
    }

    /// Returns the standard child objects that a custom object has, by their keys in seed files.
    private static func standardChildren(of describe: JSONValue) -> [String] {
        guard isTrue(describe, "custom") else { return [] }
        let children = describe["childRelationships"]?.arrayValue ?? []
        let all = [("activities", "Task", "WhatId"), ("attachments", "Attachment", "ParentId")]
        return all.filter { _, child, field in
            children.contains { text($0, "childSObject") == child && text($0, "field") == field }
        }.map(\.0)
    }

    private static func recordTypes(of describe: JSONValue) -> [JSONValue] {
        let types = (describe["recordTypeInfos"]?.arrayValue ?? []).filter {
            !isTrue($0, "master") && $0["active"] != .bool(false)
        }
        return types.map { type in
            var json: JSONObject = [
                "developerName": .string(text(type, "developerName")), "name": .string(text(type, "name")),
            ]
            if isTrue(type, "defaultRecordTypeMapping") { json["default"] = true }
            return .object(json)
        }
    }

    private mutating func field(_ field: DescribedField, of object: String, _ compounds: Set<String>) -> JSONObject {
        let place = "\(object).\(field.name)"
        if field.type == .id || field.type.rawValue != field.typeName {
            notes.append("\(place) is a string: its type is \(field.typeName).")
        }
        var json = field.form
        addSource(of: field, object: object, to: &json)
        for (key, value) in field.properties(compounds: compounds).members { json[key] = value }
        if field.type == .reference { addReference(field, of: object, to: &json) }
        if let picklist = field.picklist { json["picklist"] = .array(picklist) }
        if let value = field.defaultValue {
            json["default"] = value
        } else if field.type != .boolean, let formula = field.json["defaultValueFormula"]?.stringValue, !formula.isEmpty
        {
            notes.append("\(place) has no default: \(formula.prefix(100)) is not supported.")
        }
        if field.isTrue("dependentPicklist") {
            let other = field.json["controllerName"]?.stringValue ?? "another field"
            notes.append("\(place) accepts all its values, regardless of \(other).")
        }
        addRequired(field, of: object, to: &json)
        return json
    }

    /// Marks a field whose values do not come from clients: a number, a formula, or a value that the org sets.
    private mutating func addSource(of field: DescribedField, object: String, to json: inout JSONObject) {
        if field.isTrue("autoNumber") {
            json["type"] = "autonumber"
            json["format"] = "{0}"
        } else if field.isTrue("calculated") {
            json["calculated"] = true
            if let formula = field.json["calculatedFormula"]?.stringValue {
                json["formula"] = .string(formula)
                formulas.append((object, field.name))
            } else if field.isCustom {
                notes.append("\(object).\(field.name) is empty: its describe does not contain its formula.")
            }
        } else if !field.isWritable, !field.isCompound {
            json["readOnly"] = true
        }
    }

    private mutating func addReference(_ field: DescribedField, of object: String, to json: inout JSONObject) {
        let targets = (field.json["referenceTo"]?.arrayValue ?? []).compactMap(\.stringValue)
        var kept = targets.filter { known.contains($0.lowercased()) }
        // One remaining target is sufficient; without any the field could not exist.
        if kept.isEmpty, let first = targets.first {
            kept = [first]
            known.insert(first.lowercased())
            missing.append(first)
        }
        json["referenceTo"] = .array((kept.isEmpty ? ["User"] : kept).map { .string($0) })
        if let relationship = field.json["relationshipName"]?.stringValue {
            json["relationshipName"] = .string(relationship)
        }
        if let relationship = relationships["\(object).\(field.name)".lowercased()] {
            json["childRelationshipName"] = .string(relationship)
        }
        if field.isTrue("cascadeDelete") {
            if field.isCustom, field.isRequired {
                json["type"] = "masterdetail"
            } else {
                json["onDelete"] = "cascade"
            }
        } else if field.isTrue("restrictedDelete") {
            json["onDelete"] = "restrict"
        } else if field.isCustom, field.isRequired {
            json["onDelete"] = "clear"
        }
    }

    /// Marks a field as required.
    ///
    /// A field that the org fills in a way that describes do not contain is not required: clients could not set it.
    private mutating func addRequired(_ field: DescribedField, of object: String, to json: inout JSONObject) {
        guard field.isRequired, field.type != .boolean, json["type"] != "masterdetail" else { return }
        let isFilled = field.isTrue("defaultedOnCreate") && json["default"] == nil
        if isFilled, field.isWritable, !["OwnerId", "RecordTypeId"].contains(field.name) {
            notes.append("\(object).\(field.name) can be empty: its describe does not contain its default.")
        } else {
            json["required"] = true
        }
    }
}
