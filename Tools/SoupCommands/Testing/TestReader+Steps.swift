// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension TestReader {
    private static let kinds = ["sync", "cleanGhosts", "create", "edit", "delete", "org", "expect"]

    /// Returns the work of a step; nil if the step is faulty.
    mutating func action(_ value: JSONValue, at path: Path) -> TestStep.Action? {
        guard let step = object(value, at: path) else { return nil }
        let found = Self.kinds.filter { step[$0] != nil }
        // A key that is misspelt is reported as such if the step has another one of its kind.
        guard let kind = found.first, found.count == 1 else {
            let named = found.map { "\"\($0)\"" }.joined(separator: " and ")
            let near = step.keys.lazy.compactMap { NameDistance.nearest(to: $0, in: Self.kinds) }.first
            note(
                path, found.isEmpty ? "the step names no action" : "the step names several actions: \(named)",
                hint: (found.isEmpty ? near : nil).map { "Did you mean \"\($0)\"?" }
                    ?? "Write one of these keys: \(Self.kinds.joined(separator: ", ")).")
            return nil
        }
        switch kind {
        case "sync", "cleanGhosts": return run(kind, step, at: path)
        case "org": return org(step, at: path)
        case "expect":
            _ = object(value, at: path, keys: ["expect"])
            return .expect(expectation(step["expect"] ?? .null, at: path + [.key("expect")]))
        default: return change(kind, step, at: path)
        }
    }

    private mutating func run(_ kind: String, _ step: JSONObject, at path: Path) -> TestStep.Action? {
        let counts = kind == "sync" ? RunExpectation.syncCounts : ["removed"]
        _ = object(.object(step), at: path, keys: [kind] + counts + ["error"])
        var expected = RunExpectation()
        for key in step.keys where counts.contains(key) {
            if let count = count(key, of: step, at: path) { expected.counts.append((key, count)) }
        }
        expected.error = text("error", of: step, at: path)
        guard let name = sync(kind, of: step, at: path) else { return nil }
        return kind == "sync" ? .sync(name, expected) : .cleanGhosts(name, expected)
    }

    /// Reads a change of an entry by the app.
    private mutating func change(_ kind: String, _ step: JSONObject, at path: Path) -> TestStep.Action? {
        let keys = [kind] + (kind == "create" ? ["fields"] : kind == "edit" ? ["where", "fields"] : ["where"])
        _ = object(.object(step), at: path, keys: keys)
        var parts: [String: JSONObject] = [:]
        for key in keys.dropFirst() {
            guard let value = step[key] else {
                note(path, "\"\(key)\" is missing", hint: "Add \"\(key)\" with the fields of a record.")
                continue
            }
            parts[key] = object(value, at: path + [.key(key)])
        }
        guard let name = text(kind, of: step, at: path) else { return nil }
        let soup = soup(name, at: path + [.key(kind)])
        guard parts.count == keys.count - 1 else { return nil }
        let row = ExpectedRow(fields: parts["where"] ?? JSONObject(), path: path + [.key("where")])
        checkPatterns(row.fields, at: row.path)
        var fields = parts["fields"] ?? JSONObject()
        switch kind {
        case "delete": return .delete(soup, where: row)
        case "edit": return .edit(soup, where: row, fields)
        default:
            let idField = configuration.soups[soup]?.idField ?? "Id"
            let name = self.name(in: fields, idField, at: path + [.key("fields")])
            fields[idField] = nil
            return .create(soup, name: name, fields)
        }
    }

    /// Reads changes on the server: `{"create": {"Account": [{...}]}, "delete": {"Account": ["@name"]}}`.
    private mutating func org(_ step: JSONObject, at path: Path) -> TestStep.Action? {
        _ = object(.object(step), at: path, keys: ["org"])
        let path = path + [.key("org")]
        let kinds = TestStep.OrgChange.Kind.allCases
        let count = problems.count
        guard let changes = object(step["org"] ?? .null, at: path, keys: kinds.map(\.rawValue)) else { return nil }
        var found: [TestStep.OrgChange] = []
        // In the order of the file: a later change can refer to a record that an earlier one creates.
        for (key, value) in changes.members {
            guard let kind = TestStep.OrgChange.Kind(rawValue: key) else { continue }
            for (object, list) in self.object(value, at: path + [.key(key)])?.members ?? [] {
                let place = path + [.key(key), .key(object)]
                if list == [] { note(place, "the list is empty", hint: "Add records, or remove \"\(object)\".") }
                for (value, path) in array(list, at: place) {
                    if let change = orgChange(kind, of: object, value, at: path) { found.append(change) }
                }
            }
        }
        if found.isEmpty && problems.count == count {
            note(
                path, "the step changes nothing",
                hint: "Add \"create\", \"update\" or \"delete\" with the records of an object.")
        }
        return .org(found)
    }

    private mutating func orgChange(
        _ kind: TestStep.OrgChange.Kind, of object: String, _ value: JSONValue, at path: Path
    ) -> TestStep.OrgChange? {
        guard kind != .delete else {
            guard let id = value.stringValue, !id.isEmpty else {
                note(
                    path, "expected the ID of a record, found \(value.noun)",
                    hint: "Write \"@\" and the name of a record, or its ID.")
                return nil
            }
            return TestStep.OrgChange(kind: kind, object: object, id: id, fields: JSONObject(), path: path)
        }
        guard var fields = self.object(value, at: path) else { return nil }
        let id = kind == .create ? name(in: fields, "Id", at: path).map { "@\($0)" } : text("Id", of: fields, at: path)
        if kind == .update, fields["Id"] == nil {
            note(path, "\"Id\" is missing", hint: "Add \"Id\" with \"@\" and the name of a record, or with its ID.")
        }
        fields["Id"] = nil
        return TestStep.OrgChange(kind: kind, object: object, id: id, fields: fields, path: path)
    }
}

#endif
