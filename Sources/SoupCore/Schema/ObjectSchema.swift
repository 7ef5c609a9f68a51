// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The schema of an object that other code than a `Decodable` type reads.
package struct ObjectSchema {
    var properties: [(key: String, schema: JSONValue)]
    var required: [String]
    /// Conditions with further members.
    var rules: [JSONValue]

    package init(
        _ properties: [(key: String, schema: JSONValue)], required: [String] = [], rules: [JSONValue] = []
    ) {
        self.properties = properties
        self.required = required
        self.rules = rules
    }

    /// The schema, which allows no other keys than its own and comments.
    var json: JSONValue {
        var schema: JSONObject = [
            "type": "object", "properties": .object(JSONObject(properties.map { (key: $0.key, value: $0.schema) })),
        ]
        if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
        if !rules.isEmpty { schema["allOf"] = .array(rules) }
        return TypeSchemas.closed(schema)
    }
}
