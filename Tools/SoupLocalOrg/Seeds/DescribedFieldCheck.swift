// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Checks the fields of a seed document's objects against the resulting schema: duplicate names, and default values.
struct DescribedFieldCheck {
    private(set) var problems: [ConfigurationProblem] = []

    private typealias Path = [ConfigurationStep]

    /// - Parameter objects: the objects of the document.
    init(_ objects: JSONObject, _ schema: OrgSchema) {
        var names: [String: String] = [:]
        for (name, description) in objects.members where !description.isNull {
            let path: Path = [.key("objects"), .key(name)]
            if let other = names.updateValue(name, forKey: name.lowercased()) {
                note(path, "the object \(other) is described already", hint: "Describe it in one place.")
            }
            if name.lowercased().hasPrefix("sqlite_") {
                note(path, "no object can have the name \(name)", hint: "Use a name that does not begin with sqlite_.")
            }
            if let object = schema[name] {
                check(description["fields"]?.objectValue ?? JSONObject(), of: object, at: path)
            }
        }
    }

    private mutating func note(_ path: Path, _ message: String, hint: String) {
        problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
    }

    private mutating func check(_ fields: JSONObject, of object: OrgObject, at path: Path) {
        let known = Dictionary(grouping: object.fields) { $0.name.lowercased() }
        var before: Set<String> = []
        for (name, json) in fields.members where !json.isNull {
            let place = path + [.key("fields"), .key(name)]
            let same = known[name.lowercased()] ?? []
            let other = same.first { $0.name != name }
            if same.count(where: { $0.name == name }) > 1 {
                note(place, "every object has the field \(name)", hint: "Remove it.")
            } else if let other, fields[other.name] == nil || before.contains(other.name) {
                note(
                    place, "\(object.name) has the field \(other.name), and names are not case-sensitive",
                    hint: "Write \"\(other.name)\" to refer to it, or use another name.")
            }
            before.insert(name)
            if let value = json["default"], let field = same.first(where: { $0.name == name }) {
                checkDefault(value, for: field, of: object, at: place + [.key("default")])
            }
        }
    }

    private mutating func checkDefault(_ value: JSONValue, for field: OrgField, of object: OrgObject, at path: Path) {
        // A formula has no default, regardless of its description.
        guard field.formula == nil else { return }
        let cell = try? FieldCoercion.cell(value, for: field)
        if let cell, !field.isReference || cell.isNull || value.stringValue.flatMap(RecordID.normalized) != nil {
            do throws(OrgError) {
                try RecordValidation.checkLimits(field, cell)
            } catch {
                note(
                    path, "the org refuses this for \(object.name).\(field.name): \(SeedCheck.reason(error))",
                    hint: SeedCheck.remedy(field))
            }
            return
        }
        note(path, "\(value) is not a value for \(object.name).\(field.name)", hint: "Write \(SeedCheck.noun(field)).")
    }
}
