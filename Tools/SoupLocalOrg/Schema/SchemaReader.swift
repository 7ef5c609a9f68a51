// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Creates the objects of an org from their descriptions in JSON: the built-in one and those of seed files.
struct SchemaReader {
    private var names: [String] = []
    private var descriptions: [String: JSONValue] = [:]

    /// Adds objects.
    ///
    /// An object that already exists gets the fields, rules and flags of the new description in addition; if that is
    /// `whole`, it replaces the object.
    mutating func add(_ objects: JSONObject) {
        for (name, description) in objects.members {
            let key = names.first { $0.lowercased() == name.lowercased() }
            guard !description.isNull else {
                names.removeAll { $0 == key }
                descriptions[key ?? name] = nil
                continue
            }
            guard let key, let known = descriptions[key] else {
                names.append(name)
                descriptions[name] = description
                continue
            }
            if description.whole?.boolValue == true {
                descriptions[key] = description
                continue
            }
            descriptions[key] = Self.merged(known, description)
        }
    }

    private static func merged(_ old: JSONValue, _ new: JSONValue) -> JSONValue {
        guard case .object(var result) = old, case .object(let added) = new else { return new }
        for (key, value) in added.members {
            if let existing = result[key], case .object = existing, case .object = value {
                result[key] = merged(existing, value)
            } else {
                result[key] = value
            }
        }
        return .object(result)
    }

    /// - Throws: ``SoupError`` with `badConfiguration` that names the invalid object and field; ``ConfigurationError``
    /// with all invalid formulas.
    func schema() throws -> OrgSchema {
        var fields: [String: [OrgField]] = [:]
        var problems: [ConfigurationProblem] = []
        let spelled = Dictionary(names.map { ($0.lowercased(), $0) }) { first, _ in first }
        for name in names {
            let read = try Self.fields(of: name, descriptions[name] ?? .null).map { field in
                var field = field
                field.referenceTo = field.referenceTo.map { spelled[$0.lowercased()] ?? $0 }
                return field
            }
            fields[name] = Self.withFormulas(read, of: name, descriptions[name] ?? .null, problems: &problems)
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        openReferences(&fields)
        var prefixes = Set(descriptions.values.compactMap { $0.keyPrefix?.stringValue })
        var objects: [OrgObject] = []
        for name in names {
            let description = descriptions[name] ?? .null
            let prefix = try description.keyPrefix?.stringValue ?? Self.freePrefix(&prefixes)
            guard prefix.utf8.count == 3, prefix.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw Self.problem(name, "its keyPrefix \"\(prefix)\" must have three letters or digits")
            }
            objects.append(
                OrgObject(
                    name: name, label: description.label?.stringValue ?? Self.label(name),
                    labelPlural: description.labelPlural?.stringValue ?? Self.label(name) + "s", keyPrefix: prefix,
                    flags: Self.flags(description.flags), fields: fields[name] ?? [],
                    children: children(of: name, fields), rules: Self.rules(description),
                    recordTypes: Self.recordTypes(description, objects)))
        }
        return OrgSchema(objects)
    }

    /// A flag of an object, and the references of standard objects that it allows.
    private static let opened: [(key: String, references: [(object: String, field: String)])] = [
        ("activities", [("Task", "WhatId"), ("Event", "WhatId")]),
        ("attachments", [("Attachment", "ParentId"), ("Note", "ParentId")]),
    ]

    /// Adds the objects that allow it as targets of tasks and events, attachments and notes.
    private func openReferences(_ fields: inout [String: [OrgField]]) {
        for name in names {
            for (key, references) in Self.opened where descriptions[name]?[key]?.boolValue == true {
                for (object, field) in references {
                    guard let index = fields[object]?.firstIndex(where: { $0.name == field }),
                        fields[object]?[index].referenceTo.contains(name) == false
                    else { continue }
                    fields[object]?[index].referenceTo.append(name)
                }
            }
        }
    }

    private static func problem(_ object: String, _ text: String) -> SoupError {
        SoupError(.badConfiguration, "object \(object): \(text)", place: SoupError.Place(path: "objects.\(object)"))
    }

    /// Returns an unused key prefix for a custom object and marks it as used.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` if all are used: two objects cannot have the same prefix.
    static func freePrefix(_ taken: inout Set<String>) throws(SoupError) -> String {
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        for first in digits {
            for second in digits where taken.insert("a\(first)\(second)").inserted { return "a\(first)\(second)" }
        }
        throw SoupError(
            .badConfiguration, "there are too many objects: all key prefixes from a00 to azz are taken",
            hint: "Give some objects a keyPrefix of their own.")
    }

    private func children(of parent: String, _ fields: [String: [OrgField]]) -> [OrgObject.Child] {
        names.flatMap { name in
            (fields[name] ?? []).filter { field in
                field.referenceTo.contains { $0.lowercased() == parent.lowercased() }
                    && !["CreatedById", "LastModifiedById", "OwnerId"].contains(field.name)
            }.map { field in
                OrgObject.Child(
                    object: name, field: field.name, relationshipName: field.childRelationshipName,
                    onDelete: field.onDelete)
            }
        }
    }

    private static func flags(_ json: JSONValue?) -> OrgObject.Flags {
        var flags = OrgObject.Flags()
        for (name, path) in flagPaths {
            if let value = json?[name]?.boolValue { flags[keyPath: path] = value }
        }
        return flags
    }

    static var flagPaths: [(name: String, path: WritableKeyPath<OrgObject.Flags, Bool>)] {
        [
            ("createable", \.createable), ("updateable", \.updateable), ("deletable", \.deletable),
            ("queryable", \.queryable), ("searchable", \.searchable), ("replicateable", \.replicateable),
            ("layoutable", \.layoutable), ("mruEnabled", \.mruEnabled),
        ]
    }

    private static func rules(_ description: JSONValue) -> [OrgObject.Rule] {
        (description.validationRules?.arrayValue ?? []).compactMap { rule in
            guard let condition = rule["when"]?.stringValue else { return nil }
            let event = rule["on"]?.stringValue
            return OrgObject.Rule(
                name: rule.name?.stringValue ?? "", condition: condition, onInsert: event != "update",
                onUpdate: event != "insert", message: rule.message?.stringValue ?? "Validation failed",
                field: rule.field?.stringValue)
        }
    }

    private static func recordTypes(_ description: JSONValue, _ before: [OrgObject]) -> [OrgObject.RecordType] {
        let first = before.reduce(0) { $0 + $1.recordTypes.count } + 1
        return (description.recordTypes?.arrayValue ?? []).enumerated().map { index, type in
            OrgObject.RecordType(
                id: type["id"]?.stringValue.flatMap(RecordID.normalized) ?? RecordID.make("012", Int64(first + index)),
                developerName: type.developerName?.stringValue ?? "",
                name: type.name?.stringValue ?? "", isDefault: type["default"]?.boolValue ?? false)
        }
    }

    /// Returns the label of a name: `BillingCity` gives "Billing City", `AccountId` "Account ID".
    static func label(_ name: String) -> String {
        var plain = name.hasSuffix("__c") ? String(name.dropLast(3)) : name
        plain = String(plain.map { $0 == "_" ? " " : $0 })
        var label = ""
        for character in plain {
            if character.isUppercase, let last = label.last, last.isLowercase { label.append(" ") }
            label.append(character)
        }
        return label.hasSuffix(" Id") ? String(label.dropLast(2)) + "ID" : label
    }
}
