// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// A child object in a record tree, with its own children.
public struct ChildrenInfo: Decodable, Sendable, Hashable {
    /// The object and the soup of the children, as for a parent.
    public var info: ParentInfo
    /// The name of the relationship from the parent to its children, such as `Contacts`.
    public var sobjectTypePlural: String
    /// The field of a child that contains its parent's ID.
    public var parentIdFieldName: String
    /// The fields to fetch, and to send if the two lists below are nil; nil means the list of the target.
    public var fieldlist: [String]?
    /// The fields to send when a child is created.
    public var createFieldlist: [String]?
    /// The fields to send when a child is updated; the parent's ID need not be listed, see ``isReparentable``.
    public var updateFieldlist: [String]?
    /// The effect on these children when their parent is deleted; nil means the tree's default.
    public var relationship: RecordLayout.Relationship?
    /// Whether updates of a child send its parent's ID: always, or never.
    ///
    /// Servers refuse the ID in updates of master-detail fields, unless reparenting is allowed. Therefore nil, the
    /// default, sends it under `masterDetail` only if the child was moved to another parent, or if that is unknown;
    /// under `lookup` it is always sent.
    public var isReparentable: Bool?
    /// The children of these children; each object has its own soup.
    public var children: [ChildrenInfo]

    /// Creates children of a parent; the values are checked when a target is created.
    public init(
        _ info: ParentInfo, sobjectTypePlural: String, parentIdFieldName: String, fieldlist: [String]? = nil,
        createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil,
        relationship: RecordLayout.Relationship? = nil, isReparentable: Bool? = nil, children: [ChildrenInfo] = []
    ) {
        self.info = info
        self.sobjectTypePlural = sobjectTypePlural
        self.parentIdFieldName = parentIdFieldName
        self.fieldlist = fieldlist
        self.createFieldlist = createFieldlist
        self.updateFieldlist = updateFieldlist
        self.relationship = relationship
        self.isReparentable = isReparentable
        self.children = children
    }

    private enum CodingKeys: String, CodingKey {
        case sobjectTypePlural
        case parentIdFieldName
        case fieldlist
        case createFieldlist
        case updateFieldlist
        case relationshipType
        case reparentable
        case children
    }

    /// Reads the keys that have the names of the properties, `relationshipType`, `reparentable`, and those of
    /// ``ParentInfo``.
    ///
    /// `sobjectTypePlural` and `parentIdFieldName` are required; `children` is an object or an array of objects.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func list(_ key: CodingKeys) throws -> [String]? { try container.decodeIfPresent([String].self, forKey: key) }
        self.init(
            try ParentInfo(from: decoder),
            sobjectTypePlural: try container.decode(String.self, forKey: .sobjectTypePlural),
            parentIdFieldName: try container.decode(String.self, forKey: .parentIdFieldName),
            fieldlist: try list(.fieldlist), createFieldlist: try list(.createFieldlist),
            updateFieldlist: try list(.updateFieldlist),
            relationship: try container.relationship(at: .relationshipType),
            isReparentable: try container.decodeIfPresent(Bool.self, forKey: .reparentable),
            children: try container.decodeIfPresent(OneOrMore.self, forKey: .children)?.children ?? [])
    }

    /// The value of a key `children`: one object, or an array of them.
    struct OneOrMore: Decodable {
        var children: [ChildrenInfo]

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer().decode(JSONValue.self)
            children =
                value.arrayValue == nil ? [try ChildrenInfo(from: decoder)] : try [ChildrenInfo](from: decoder)
        }
    }

    /// The object that ``init(from:)`` reads.
    var json: JSONValue {
        var json = info.json
        json["sobjectTypePlural"] = .string(sobjectTypePlural)
        json["parentIdFieldName"] = .string(parentIdFieldName)
        json["fieldlist"] = fieldlist.map { .strings($0) }
        json["createFieldlist"] = createFieldlist.map { .strings($0) }
        json["updateFieldlist"] = updateFieldlist.map { .strings($0) }
        json["relationshipType"] = relationship.map { .string($0.rawValue) }
        json["reparentable"] = isReparentable.map { .bool($0) }
        if !children.isEmpty { json["children"] = .array(children.map(\.json)) }
        return .object(json)
    }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension KeyedDecodingContainer {
    /// Reads a relationship type; nil if the key is missing or its text is empty.
    func relationship(at key: Key) throws -> RecordLayout.Relationship? {
        let type = try decodeIfPresent(String.self, forKey: key) ?? ""
        return type.isEmpty ? nil : try decode(RecordLayout.Relationship.self, forKey: key)
    }
}
