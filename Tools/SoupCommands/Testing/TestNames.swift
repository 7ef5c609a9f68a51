// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The IDs of the records that a test has named.
struct TestNames: Sendable {
    private(set) var ids: [String: String]
    /// The first name of each ID.
    private var names: [String: String] = [:]

    init(_ ids: [String: String] = [:]) {
        self.ids = ids
        for (name, id) in ids.sorted(by: { $0.key < $1.key }) where names[id] == nil { names[id] = name }
    }

    /// Sets the current ID of a record: a record that the app creates has another one after its sync up.
    mutating func set(_ name: String, to id: String) {
        if let old = ids.updateValue(id, forKey: name), names[old] == name { names[old] = nil }
        if names[id] == nil { names[id] = name }
    }

    /// Returns the ID of a record that a text names: `@name`.
    func id(of text: String) -> String? {
        text.hasPrefix("@") && !text.hasPrefix("@@") ? ids[String(text.dropFirst())] : nil
    }

    /// Returns the name of a record, with its `@`.
    func name(of id: String) -> String? { names[id].map { "@\($0)" } }

    /// Returns a value with the names in it replaced: `@name` by an ID, and `@@text` by `@text`.
    func resolved(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text) where text.hasPrefix("@@"): .string(String(text.dropFirst()))
        case .string(let text): .string(id(of: text) ?? text)
        case .array(let values): .array(values.map(resolved))
        case .object(let object): .object(resolved(object))
        default: value
        }
    }

    func resolved(_ fields: JSONObject) -> JSONObject {
        JSONObject(fields.members.map { (key: $0.key, value: resolved($0.value)) })
    }
}

#endif
