// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Checks the objects of a seed document beyond their form: names, types, key prefixes, references, rules.
struct SchemaCheck {
    private(set) var problems: [ConfigurationProblem] = []

    private typealias Path = [ConfigurationStep]

    /// - Parameter objects: the objects of the document.
    /// - Parameter standard: the objects that every org has.
    init(_ objects: JSONObject, standard: OrgSchema) {
        let gone = objects.members.filter(\.value.isNull).map { $0.key.lowercased() }
        let names = (standard.objects.map(\.name) + objects.keys).filter { !gone.contains($0.lowercased()) }
        var prefixes = Dictionary(standard.objects.map { ($0.keyPrefix, $0.name) }) { first, _ in first }
        for (name, description) in objects.members {
            let path: Path = [.key("objects"), .key(name)]
            guard !description.isNull else {
                checkRemoval(of: standard[name], name, path)
                continue
            }
            checkName(name, of: "an object", at: path)
            checkPrefix(
                description["keyPrefix"]?.stringValue, of: name, taken: &prefixes, at: path + [.key("keyPrefix")])
            for (field, json) in description["fields"]?.objectValue?.members ?? [] {
                let place = path + [.key("fields"), .key(field)]
                guard !json.isNull else {
                    checkRemoval(of: standard[name]?.field(field), of: name, field, place)
                    continue
                }
                checkName(field, of: "a field", at: place)
                check(field: json, names, isKnown: standard[name]?.field(field) != nil, place)
            }
            for (index, rule) in (description["validationRules"]?.arrayValue ?? []).enumerated() {
                checkCondition(
                    rule["when"]?.stringValue, path + [.key("validationRules"), .index(index), .key("when")])
            }
        }
    }

    private mutating func note(_ path: Path, _ message: String, hint: String) {
        problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
    }

    private mutating func checkRemoval(of object: OrgObject?, _ name: String, _ path: Path) {
        if object == nil {
            note(path, "there is no standard object \"\(name)\" to remove", hint: "Remove the key.")
        } else if let object, Self.indispensable.contains(object.name) {
            note(path, "the org itself needs \(object.name)", hint: "Leave it.")
        }
    }

    private mutating func checkRemoval(of field: OrgField?, of object: String, _ name: String, _ path: Path) {
        guard let field else {
            return note(path, "there is no standard field \"\(name)\" to remove", hint: "Remove the key.")
        }
        if let reason = Self.reasonToKeep(field) {
            note(path, "\(object).\(field.name) \(reason.message)", hint: reason.hint)
        }
    }

    private mutating func checkName(_ name: String, of what: String, at path: Path) {
        let isName = name.first?.isLetter == true && (try? SOQLCheck.object(name, at: "")) != nil
        if !isName { note(path, "\"\(name)\" cannot be the name of \(what)", hint: "Use letters, digits and _.") }
    }

    private mutating func checkPrefix(
        _ prefix: String?, of object: String, taken: inout [String: String], at path: Path
    ) {
        guard let prefix else { return }
        guard prefix.utf8.count == 3, RecordID.normalized(prefix + "000000000000") != nil else {
            return note(path, "\"\(prefix)\" is no key prefix", hint: "Write three letters or digits.")
        }
        if let other = taken[prefix], other.lowercased() != object.lowercased() {
            return note(path, "\(other) already has the key prefix \"\(prefix)\"", hint: "Take another one, or none.")
        }
        taken[prefix] = object
    }

    private mutating func check(field: JSONValue, _ objects: [String], isKnown: Bool, _ path: Path) {
        if let name = field["type"]?.stringValue, SchemaReader.type(named: name) == nil {
            note(
                path + [.key("type")], "there is no field type \"\(name)\"",
                hint: NameDistance.hint(for: name, among: SchemaReader.typeNames))
        }
        for key in ["length", "precision", "scale"] {
            guard let number = field[key]?.intValue, !(0...131_072).contains(number) else { continue }
            note(path + [.key(key)], "\(number) is not a valid \(key)", hint: "Write a number from 0 to 131072.")
        }
        let isReference = field["type"]?.stringValue.flatMap { SchemaReader.type(named: $0) } == .reference
        let targets = field["referenceTo"]?.arrayValue
        if isReference, !isKnown, targets?.isEmpty ?? true {
            note(path, "the field refers to no object", hint: "Add \"referenceTo\" with an array of objects.")
        }
        for (index, target) in (targets ?? []).enumerated() {
            guard let name = target.stringValue, !objects.contains(where: { $0.lowercased() == name.lowercased() })
            else { continue }
            note(
                path + [.key("referenceTo"), .index(index)], "there is no object \"\(name)\"",
                hint: NameDistance.question(for: name, among: objects, else: "Describe it under \"objects\"."))
        }
    }

    private mutating func checkCondition(_ text: String?, _ path: Path) {
        guard let text else { return }
        do {
            _ = try SOQLCondition(
                parsing: text, fieldValues: true, mixedConditions: false, maximumDepth: QueryCompiler.maximumDepth)
        } catch {
            note(
                path, "the condition cannot be read: \((error as? SoupError)?.message ?? "\(error)")",
                hint: "Write it like Version__c <= OLD.Version__c.")
        }
    }
}
