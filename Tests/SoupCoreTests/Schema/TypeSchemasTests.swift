// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupCore

private enum Size: String, Decodable, CaseIterable { case small, large }

private struct Item: Decodable {
    var name: String
    var size: Size?
    var count: Int?
    var weight: Double
    var isOpen: Bool?
    var notes: [String]?
    var labels: [String: Int]?
    var other: JSONValue?
    var children: [Item]?
}

/// A text, or an object with the same content.
private struct Field: Decodable {
    var path: String
    private enum CodingKeys: String, CodingKey { case path }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            path = text
            return
        }
        path = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .path)
    }
}

/// An object whose keys depend on its type.
private enum Login: Decodable {
    case token(String)
    case user(String, password: String?)
    private enum Kind: String, Decodable, CaseIterable { case token, user }
    private enum CodingKeys: String, CodingKey { case type, token, name, password, comment }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        _ = try container.decodeIfPresent(String.self, forKey: .comment)
        switch try container.decode(Kind.self, forKey: .type) {
        case .token: self = .token(try container.decode(String.self, forKey: .token))
        case .user:
            self = .user(
                try container.decode(String.self, forKey: .name),
                password: try container.decodeIfPresent(String.self, forKey: .password))
        }
    }
}

/// One item, or several.
private struct Items: Decodable {
    var items: [Item]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let isList = try container.decode(JSONValue.self).arrayValue != nil
        items = isList ? try [Item](from: decoder) : [try Item(from: decoder)]
    }
}

/// A text with a default for an empty one.
private struct Relation: Decodable {
    var size: Size?
    private enum CodingKeys: String, CodingKey { case size }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decodeIfPresent(String.self, forKey: .size) ?? ""
        size = text.isEmpty ? nil : try container.decode(Size.self, forKey: .size)
    }
}

@Suite struct TypeSchemasTests {
    private let comments = TypeSchemas.comments
    private let optionalInteger: JSONValue = [
        "type": ["integer", "null"], "minimum": .int(Int64.min), "maximum": .int(Int64.max),
    ]
    private let integer: JSONValue = ["type": "integer", "minimum": .int(Int64.min), "maximum": .int(Int64.max)]

    @Test func `Members have their types, and some are required`() {
        var types = TypeSchemas()
        let reference = types.schema(of: Item.self)
        #expect(reference == ["$ref": "#/$defs/SoupCoreTests.Item"])
        let expected: JSONValue = [
            "type": "object",
            "properties": [
                "name": ["type": "string"],
                "size": ["enum": ["small", "large", nil]],
                "count": optionalInteger,
                "weight": ["type": "number"],
                "isOpen": ["type": ["boolean", "null"]],
                "notes": ["type": ["array", "null"], "items": ["type": "string"]],
                "labels": ["type": ["object", "null"], "additionalProperties": integer],
                "other": [:],
                "children": ["type": ["array", "null"], "items": reference],
            ],
            "required": ["name", "weight"], "patternProperties": comments, "additionalProperties": false,
        ]
        #expect(types.definitions["SoupCoreTests.Item"] == expected, "\(types.definitions)")
    }

    @Test func `A text in place of an object is an alternative`() {
        var types = TypeSchemas()
        let object: JSONValue = [
            "type": "object", "properties": ["path": ["type": "string"]], "required": ["path"],
            "patternProperties": comments, "additionalProperties": false,
        ]
        #expect(types.schema(of: Field.self) == ["anyOf": [["type": "string"], object]])
    }

    @Test func `A list in place of one object is an alternative`() {
        var types = TypeSchemas()
        let schema = types.schema(of: Items.self)
        #expect(schema["anyOf"]?[0] == ["type": "array", "items": ["$ref": "#/$defs/SoupCoreTests.Item"]], "\(schema)")
        #expect(schema["anyOf"]?[1]?["required"] == ["name", "weight"])
        #expect(schema["anyOf"]?.arrayValue?.count == 2)
    }

    @Test func `Keys that depend on a name have conditions`() throws {
        var types = TypeSchemas()
        _ = types.schema(of: Login.self)
        let schema = try #require(types.definitions["SoupCoreTests.Login"])
        #expect(
            schema["properties"] == ["comment": ["type": ["string", "null"]], "type": ["enum": ["token", "user"]]],
            "\(schema)")
        #expect(schema["required"] == ["type"] && schema["unevaluatedProperties"] == false)
        let rules = try #require(schema["allOf"]?.arrayValue)
        #expect(
            rules == [
                [
                    "if": ["properties": ["type": ["const": "token"]], "required": ["type"]],
                    "then": ["properties": ["token": ["type": "string"]], "required": ["token"]],
                ],
                [
                    "if": ["properties": ["type": ["const": "user"]], "required": ["type"]],
                    "then": [
                        "properties": ["name": ["type": "string"], "password": ["type": ["string", "null"]]],
                        "required": ["name"],
                    ],
                ],
            ], "\(rules)")
    }

    @Test func `An empty text can stand for the default of a closed set`() {
        var types = TypeSchemas()
        let schema = types.objectSchema(of: Relation.self)
        let expected: JSONValue = ["size": ["enum": ["small", "large", "", nil]]]
        #expect(schema?["properties"] == expected, "\(schema ?? [:])")
        // Also inside another object.
        _ = types.schema(of: Relation.self)
        #expect(types.definitions["SoupCoreTests.Relation"]?["properties"] == expected, "\(types.definitions)")
    }

    @Test func `A store inside another one has the schema of all stores`() {
        var types = TypeSchemas()
        #expect(types.schema(of: StoreReference.self) == ["$ref": "#/$defs/backend"])
    }

    @Test func `A type without members accepts any object`() {
        struct Empty: Decodable {}
        var types = TypeSchemas()
        #expect(types.objectSchema(of: Empty.self) == nil)
    }

    @Test func `The members of other code are added to an object`() {
        var types = TypeSchemas()
        let schema = types.objectSchema(of: Relation.self, adding: ["type": ["type": "string"]])
        #expect(schema?["properties"]?.objectValue?.keys == ["type", "size"])
        #expect(schema?["additionalProperties"] == nil)
    }

    @Test(
        arguments: [
            (["type": "string"], ["type": ["string", "null"]]), (["enum": ["a"]], ["enum": ["a", nil]]),
            (["anyOf": [["type": "string"]]], ["anyOf": [["type": "string"], ["type": "null"]]]), ([:], [:]),
            (["$ref": "#/$defs/a"], ["anyOf": [["$ref": "#/$defs/a"], ["type": "null"]]]),
        ] as [(JSONValue, JSONValue)])
    func `An optional value may be null`(schema: JSONValue, expected: JSONValue) {
        #expect(TypeSchemas.nullable(schema) == expected)
    }
}
