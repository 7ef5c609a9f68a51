// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Checks the rows and dates of a seed document beyond their form: objects, fields, values and references.
///
/// Values of the wrong form are ignored: ``SeedShape`` reports them.
struct SeedCheck {
    private let document: JSONValue
    private let schema: OrgSchema
    /// The objects of the rows by their keys.
    private var objects: [String: String] = [:]
    private(set) var problems: [ConfigurationProblem] = []

    private typealias Path = [ConfigurationStep]

    /// The maximum number of rows of a generator.
    static let generatorLimit = 1_000_000

    init(_ document: JSONValue, _ schema: OrgSchema) {
        self.document = document
        self.schema = schema
        for key in ["stamp", "freeze"] { checkMoment(document[key], [.key(key)]) }
        collectKeys()
        for (index, row) in rows("seed") {
            let path: Path = [.key("seed"), .index(index)]
            checkMoment(row["modified"], path + [.key("modified")])
            guard let object = object(row, path) else { continue }
            checkMasters(row["values"]?.objectValue ?? JSONObject(), of: object, at: path)
            for (name, value) in row["values"]?.objectValue?.members ?? [] {
                let place = path + [.key("values"), .key(name)]
                if let field = field(name, of: object, place) { check(value, for: field, of: object, at: place) }
            }
        }
        for (name, description) in document["objects"]?.objectValue?.members ?? [] {
            for (index, rule) in (description["validationRules"]?.arrayValue ?? []).enumerated() {
                check(rule: rule, of: name, [.key("objects"), .key(name), .key("validationRules"), .index(index)])
            }
        }
        for (index, generator) in rows("generate") { check(generator: generator, [.key("generate"), .index(index)]) }
    }

    private func rows(_ key: String) -> [(Int, JSONValue)] { Array((document[key]?.arrayValue ?? []).enumerated()) }

    private mutating func note(_ path: Path, _ message: String, hint: String?) {
        problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
    }

    // MARK: Keys

    private mutating func collectKeys() {
        let users = rows("users")
        for (index, user) in users {
            let key = user["key"] ?? .string(OrgDefinition.userKey(index + 1))
            claim(key, for: "User", at: [.key("users"), .index(index), .key("key")])
        }
        // The users that always exist.
        if users.isEmpty { objects["me"] = "User" }
        if users.count < 2, objects["other"] == nil { objects["other"] = "User" }
        for (index, row) in rows("seed") {
            guard let object = row["object"]?.stringValue else { continue }
            claim(row["key"], for: object, at: [.key("seed"), .index(index), .key("key")])
        }
    }

    private mutating func claim(_ key: JSONValue?, for object: String, at path: Path) {
        guard let key = key?.stringValue else { return }
        if let other = objects[key] {
            note(path, "the key \"\(key)\" is already the key of a \(other)", hint: "Give one of the two another key.")
        } else {
            objects[key] = object
        }
    }

    // MARK: Rules

    /// Adds a problem for a rule that the org cannot run: every write of its object would fail.
    private mutating func check(rule: JSONValue, of name: String, _ path: Path) {
        guard let object = schema[name] else { return }
        // ``SchemaCheck`` reports conditions that cannot be parsed.
        if let text = rule["when"]?.stringValue,
            (try? SOQLCondition(
                parsing: text, fieldValues: true, mixedConditions: false, maximumDepth: QueryCompiler.maximumDepth))
                != nil
        {
            do {
                _ = try RuleCondition(text, of: object, schema: schema, caller: QueryCaller(userId: "", now: 0))
            } catch {
                let message = (error as? OrgError)?.items.first?.message ?? "\(error)"
                // The last line is the message; those before it show the position.
                let last = message.utf8.split(separator: UInt8(ascii: "\n")).last ?? message.utf8[...]
                let reason = String(decoding: last.last == UInt8(ascii: ".") ? last.dropLast() : last, as: UTF8.self)
                note(
                    path + [.key("when")], "the condition cannot be asked: \(reason)",
                    hint: "Write it like Version__c <= OLD.Version__c.")
            }
        }
        if let field = rule["field"]?.stringValue, object.field(field) == nil {
            note(
                path + [.key("field")], "\(object.name) has no field \"\(field)\"",
                hint: NameDistance.question(
                    for: field, among: object.fields.map(\.name), else: "Name one of its fields, or none."))
        }
    }

    // MARK: Objects, fields, values

    private mutating func object(_ row: JSONValue, _ path: Path) -> OrgObject? {
        guard let name = row["object"]?.stringValue else { return nil }
        if let object = schema[name] { return object }
        note(
            path + [.key("object")], "there is no object \"\(name)\"",
            hint: NameDistance.question(
                for: name, among: schema.objects.map(\.name), else: "Describe it under \"objects\"."))
        return nil
    }

    private mutating func field(_ name: String, of object: OrgObject, _ path: Path) -> OrgField? {
        guard let field = object.field(name) else {
            let names = object.fields.map(\.name)
            note(
                path, "\(object.name) has no field \"\(name)\"",
                hint: NameDistance.question(
                    for: name, among: names, else: "Its fields: \(names.joined(separator: ", "))."))
            return nil
        }
        let own: [String: String] = [
            "CreatedDate": "Set \"modified\" on the row.", "LastModifiedDate": "Set \"modified\" on the row.",
            "SystemModstamp": "Set \"modified\" on the row.", "IsDeleted": "Set \"deleted\" on the row.",
        ]
        let isSystem = field.type == .id || ["CreatedById", "LastModifiedById"].contains(field.name)
        let isMade = field.autonumber != nil || field.formula != nil || field.isCompound
        if isSystem || own[field.name] != nil || isMade {
            let remedy = field.isCompound ? "Set its parts." : own[field.name] ?? "Remove it."
            note(path, "\(object.name).\(field.name) is filled by the org", hint: remedy)
            return nil
        }
        return field
    }

    private mutating func check(_ value: JSONValue, for field: OrgField, of object: OrgObject, at path: Path) {
        if field.isReference, let text = value.stringValue, !text.isEmpty {
            return checkReference(text, in: field, of: object, at: path)
        }
        guard let cell = try? FieldCoercion.cell(value, for: field) else {
            return note(
                path, "\(value) is not a value for \(object.name).\(field.name)", hint: "Write \(Self.noun(field)).")
        }
        // The key is replaced by the row's ID.
        if let key = value.stringValue, key.hasPrefix("@"), objects[String(key.dropFirst())] != nil { return }
        do throws(OrgError) {
            try RecordValidation.checkLimits(field, cell)
        } catch {
            note(
                path, "the org refuses this for \(object.name).\(field.name): \(Self.reason(error))",
                hint: Self.remedy(field))
        }
    }

    /// Returns the message of an error, shortened: it contains the value that is too long.
    static func reason(_ error: OrgError) -> String {
        let message = error.items.first?.message ?? ""
        return message.unicodeScalars.count > 160
            ? String(String.UnicodeScalarView(message.unicodeScalars.prefix(100))) + "..." : message
    }

    /// Returns the hint for a value that exceeds the limits of its field.
    static func remedy(_ field: OrgField) -> String {
        switch field.type {
        case .picklist, .multipicklist:
            return field.isRestricted
                ? "Write one of: \(field.picklist.joined(separator: ", "))."
                : "Write \(field.length) characters at most."
        case .email: return "Write an address such as ana@example.org, of \(field.length) characters at most."
        case .int, .double, .currency, .percent:
            return field.compound != nil
                ? "Write degrees."
                : "Write a number with \(max(0, field.precision - field.scale)) digits before the point at most."
        default: return "Write \(field.length) characters at most."
        }
    }

    /// Adds a problem for a detail record without a master.
    private mutating func checkMasters(_ values: JSONObject, of object: OrgObject, at path: Path) {
        for field in object.fields where field.isMasterDetail {
            let value = values.members.first { $0.key.lowercased() == field.name.lowercased() }?.value ?? .null
            guard value.isNull || value.stringValue?.isEmpty == true else { continue }
            note(
                path + [.key("values")], "\(object.name).\(field.name) is missing: the record would have no master",
                hint: "Write \"@\" and the key of a row of \(field.referenceTo.joined(separator: " or ")).")
        }
    }

    private mutating func checkReference(_ text: String, in field: OrgField, of object: OrgObject, at path: Path) {
        guard text.hasPrefix("@") else {
            guard RecordID.normalized(text) == nil else { return }
            return note(
                path, "\"\(text)\" is neither an id nor \"@\" with a key",
                hint: "Give the row a \"key\", and write \"@\" and that key.")
        }
        let key = String(text.dropFirst())
        guard let other = objects[key] else {
            return note(
                path, "no row has the key \"\(key)\"",
                hint: NameDistance.question(
                    for: key, among: Array(objects.keys), else: "Give the row this \"key\"."))
        }
        let targets = field.referenceTo
        if !targets.isEmpty, !targets.contains(where: { $0.lowercased() == other.lowercased() }) {
            note(
                path,
                "\"\(text)\" is a \(other), and \(object.name).\(field.name) refers to \(targets.joined(separator: " or "))",
                hint: "Refer to a row of that object.")
        }
    }

    private mutating func check(generator: JSONValue, _ path: Path) {
        if let count = generator["count"]?.intValue, !(0...Int64(Self.generatorLimit)).contains(count) {
            note(
                path + [.key("count")], "\(count) is not a number of rows that can be generated",
                hint: "Write a number from 0 to \(Self.generatorLimit).")
        }
        guard let object = object(generator, path) else { return }
        checkMasters(generator["values"]?.objectValue ?? JSONObject(), of: object, at: path)
        for (name, template) in generator["values"]?.objectValue?.members ?? [] {
            let place = path + [.key("values"), .key(name)]
            guard let field = field(name, of: object, place) else { continue }
            guard let parts = template.objectValue else {
                // A text with a counter differs in each row and is longest in the last; keys with a counter are
                // resolved when the rows are created.
                guard let text = template.stringValue, text.utf8.contains(UInt8(ascii: "{")) else {
                    check(template, for: field, of: object, at: place)
                    continue
                }
                let last = SeedLoader.counted(text, Int(clamping: generator["count"]?.intValue ?? 1))
                if last == text || !text.hasPrefix("@") { check(.string(last), for: field, of: object, at: place) }
                continue
            }
            if parts.keys == ["int"], let bounds = parts["int"]?.arrayValue?.compactMap(\.intValue), bounds.count == 2,
                bounds[0] <= bounds[1]
            {
                for bound in Set(bounds).sorted() { check(.int(bound), for: field, of: object, at: place) }
            } else if parts.keys == ["pick"], let choices = parts["pick"]?.arrayValue, !choices.isEmpty {
                for (index, choice) in choices.enumerated() {
                    check(choice, for: field, of: object, at: place + [.key("pick"), .index(index)])
                }
            } else {
                note(
                    place, "this does not say how to make a value",
                    hint: "Write {\"int\": [low, high]}, {\"pick\": [values]}, or a value in which {n} counts.")
            }
        }
    }

    private mutating func checkMoment(_ value: JSONValue?, _ path: Path) {
        guard let text = value?.stringValue, DateText.milliseconds(text) == nil else { return }
        note(path, "\"\(text)\" is not a datetime", hint: "Write it like 2024-01-15T12:00:00Z.")
    }

    /// Returns the kind of value that a field expects.
    static func noun(_ field: OrgField) -> String {
        switch field.type.storage {
        case .text, .none: "a text"
        case .id: "an id"
        case .blob: "bytes in Base64"
        case .boolean: "true or false"
        case .int: "a whole number"
        case .real: "a number"
        case .date: "a date such as 2024-01-15"
        case .dateTime: "a datetime such as 2024-01-15T12:00:00Z"
        case .time: "a time such as 12:30:00Z"
        }
    }
}
