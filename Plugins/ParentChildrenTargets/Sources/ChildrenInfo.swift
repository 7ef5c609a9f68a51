// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// A kind of children in a family, with the children that they have themselves.
public struct ChildrenInfo: Decodable, Sendable, Hashable {
    /// The object and the soup of the children, as for a parent.
    public var info: ParentInfo
    /// The name of the relationship from the parent to its children, such as `Contacts`.
    public var sobjectTypePlural: String
    /// The field of a child that holds its parent's id.
    public var parentIdFieldName: String
    /// The fields to bring, and to send where the two lists below say nothing; nil means the list of the target.
    public var fieldlist: [String]?
    /// The fields to send when a child is created.
    public var createFieldlist: [String]?
    /// The fields to send when a child is updated; the parent's id need not be listed, see ``isReparentable``.
    public var updateFieldlist: [String]?
    /// What becomes of these children when their parent is deleted; nil means what the family says.
    public var relationship: RecordLayout.Relationship?
    /// Whether updates of a child tell the server its parent's id: always, or never.
    ///
    /// Servers refuse it in updates of master-detail fields, unless these are made to be reparented. So nil, the
    /// default, tells it under `masterDetail` only when the child was put under another parent, or when nobody knows
    /// whether it was; under `lookup` it always does.
    public var isReparentable: Bool?
    /// The children of these children; each kind in a soup of its own.
    public var children: [ChildrenInfo]

    /// Makes children of a member; nothing is checked before a target is made from the family.
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

    /// Reads the keys named like the properties, `relationshipType`, `reparentable`, and those of ``ParentInfo``.
    ///
    /// `sobjectTypePlural` and `parentIdFieldName` must be there; `children` is an object or an array of them.
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
    /// A relationship type; nil when the key is absent or its text empty.
    func relationship(at key: Key) throws -> RecordLayout.Relationship? {
        let type = try decodeIfPresent(String.self, forKey: key) ?? ""
        return type.isEmpty ? nil : try decode(RecordLayout.Relationship.self, forKey: key)
    }
}
