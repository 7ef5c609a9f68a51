// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// Checks the names of records, objects and fields in a test before its first step.
///
/// A misspelt name would otherwise compare nothing, or fail far from its place.
struct TestCheck {
    /// The fields of the org's objects.
    let schema: [String: [String]]
    private var names: Set<String>
    private(set) var problems: [ConfigurationProblem] = []

    /// The hint for an object that the org does not have.
    static let objectHint =
        "Describe own objects under \"objects\" in a seed; soup org import-describe reads them from an org."

    /// - Parameter names: the names of the rows and users of the org.
    init(_ test: TestCase, names: Set<String>, schema: [String: [String]]) {
        self.schema = schema
        self.names = names
        for object in test.objects { _ = hasObject(object.name, at: object.path) }
        for step in test.steps { check(step) }
    }

    /// Checks only the names in the rows of a test.
    ///
    /// - Parameter seeded: the names of the rows and users of the seed.
    init(rowsOf test: TestCase, seeded: Set<String>) {
        schema = [:]
        names = seeded
        for row in test.rows {
            if let name = row.name { claim(name, at: row.path + [.key("Id")]) }
        }
        for row in test.rows { checkNames(in: .object(row.fields), at: row.path) }
    }

    private mutating func note(_ path: [ConfigurationStep], _ message: String, hint: String) {
        problems.append(ConfigurationProblem(at: SoupError.Place(path: path.text), message, hint: hint))
    }

    private mutating func check(_ step: TestStep) {
        let fields = step.path + [.key("fields")]
        switch step.action {
        case .sync, .cleanGhosts: break
        case .create(_, let name, let values):
            checkNames(in: .object(values), at: fields)
            if let name { claim(name, at: fields) }
        case .edit(_, let row, let values):
            checkNames(in: .object(row.fields), at: row.path)
            checkNames(in: .object(values), at: fields)
        case .delete(_, let row): checkNames(in: .object(row.fields), at: row.path)
        case .org(let changes): for change in changes { check(change) }
        case .expect(let expected):
            for rows in expected {
                for row in rows.rows { checkNames(in: .object(row.fields), at: row.path) }
                guard case .object(let object) = rows.source, hasObject(object, at: rows.path) else { continue }
                for row in rows.rows { checkFields(row.fields, of: object, at: row.path) }
            }
        }
    }

    private mutating func check(_ change: TestStep.OrgChange) {
        checkNames(in: .object(change.fields), at: change.path)
        if change.kind == .create {
            if let id = change.id { claim(String(id.dropFirst()), at: change.path) }
        } else if let id = change.id {
            checkNames(in: .string(id), at: change.path + (change.kind == .update ? [.key("Id")] : []))
        }
        if hasObject(change.object, at: change.path) { checkFields(change.fields, of: change.object, at: change.path) }
    }

    private mutating func claim(_ name: String, at path: [ConfigurationStep]) {
        if !names.insert(name).inserted {
            note(path, "the name \"@\(name)\" is already used", hint: "Give one of the two records another name.")
        }
    }

    private mutating func hasObject(_ name: String, at path: [ConfigurationStep]) -> Bool {
        if schema[name] != nil { return true }
        note(
            path, "the org has no object \"\(name)\"",
            hint: (NameDistance.nearest(to: name, in: schema.keys).map { "Did you mean \"\($0)\"? " } ?? "")
                + Self.objectHint)
        return false
    }

    private mutating func checkFields(_ fields: JSONObject, of object: String, at path: [ConfigurationStep]) {
        let known = schema[object] ?? []
        for name in fields.keys where !known.contains(name) {
            note(
                path + [.key(name)], "\(object) has no field \"\(name)\"",
                hint: (NameDistance.nearest(to: name, in: known).map { "Did you mean \"\($0)\"? " } ?? "")
                    + "Describe own fields under \"objects\" in a seed.")
        }
    }

    /// Adds a problem for each name of a record that no row and no earlier step has.
    private mutating func checkNames(in value: JSONValue, at path: [ConfigurationStep]) {
        switch value {
        case .object(let object): for (key, value) in object.members { checkNames(in: value, at: path + [.key(key)]) }
        case .array(let values):
            for (index, value) in values.enumerated() { checkNames(in: value, at: path + [.index(index)]) }
        case .string(let text) where text.hasPrefix("@") && !text.hasPrefix("@@"):
            let name = String(text.dropFirst())
            guard !names.contains(name) else { return }
            note(
                path, "no record has the name \"\(text)\"",
                hint: NameDistance.nearest(to: name, in: names).map { "Did you mean \"@\($0)\"?" }
                    ?? "Give a row or a new record \"Id\": \"\(text)\", or write \"@\(text)\" for the text itself.")
        default: break
        }
    }
}

#endif
