// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension TestReader {
    /// Reads `{"store": {"soup": [{...}]}, "org": {"Object": [{...}]}}`.
    mutating func expectation(_ value: JSONValue, at path: Path) -> [ExpectedRows] {
        let count = problems.count
        guard let parts = object(value, at: path, keys: ["store", "org"]) else { return [] }
        var found: [ExpectedRows] = []
        for (key, value) in parts.members where ["store", "org"].contains(key) {
            for (name, list) in object(value, at: path + [.key(key)])?.members ?? [] {
                let place = path + [.key(key), .key(name)]
                let source: ExpectedRows.Source = key == "org" ? .object(name) : .soup(soup(name, at: place))
                var rows: [ExpectedRow] = []
                for (value, path) in array(list, at: place) {
                    guard let fields = object(value, at: path) else { continue }
                    checkPatterns(fields, at: path)
                    rows.append(ExpectedRow(fields: fields, path: path))
                }
                found.append(ExpectedRows(source: source, path: place, rows: rows))
            }
        }
        if found.isEmpty && problems.count == count {
            note(path, "the expectation is empty", hint: "Add \"store\" with soups, or \"org\" with objects.")
        }
        return found
    }

    /// Adds a problem for each unknown placeholder, such as `$anny`.
    mutating func checkPatterns(_ fields: JSONObject, at path: Path) {
        for (key, value) in fields.members { checkPattern(value, at: path + [.key(key)]) }
    }

    private mutating func checkPattern(_ value: JSONValue, at path: Path) {
        switch value {
        case .object(let object): checkPatterns(object, at: path)
        case .array(let values):
            for (index, value) in values.enumerated() { checkPattern(value, at: path + [.index(index)]) }
        case .string(let text) where ExpectedValue.isUnknownPlaceholder(text):
            note(
                path, "no placeholder \"\(text)\"",
                hint: NameDistance.hint(for: text, among: ExpectedValue.placeholders)
                    + " Write \"$\(text)\" for the text itself.")
        default: break
        }
    }

    /// Returns the name that a new record has in the test: `"Id": "@name"`; nil for a record without an ID.
    mutating func name(in fields: JSONObject, _ idField: String, at path: Path) -> String? {
        guard let value = fields[idField], !value.isNull else { return nil }
        guard let text = value.stringValue, text.hasPrefix("@"), text.count > 1, !text.hasPrefix("@@") else {
            note(
                path + [.key(idField)], "a new record gets its ID from the org or from the store",
                hint: "Write \"@\" and a name, which stands for the ID in the rest of the test, or omit the field.")
            return nil
        }
        return String(text.dropFirst())
    }
}

#endif
