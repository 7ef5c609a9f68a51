// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A parent object with its children, level by level, as both targets need it.
public struct Family: Decodable, Sendable, Hashable {
    /// The key `parent` of a target object.
    public var parent: ParentInfo
    /// The key `children` of a target object: one kind of children or several, each with kinds of its own below it.
    ///
    /// Every kind needs a soup of its own.
    public var children: [ChildrenInfo]
    /// What becomes of children when their parent is deleted, where they do not say so themselves; under
    /// `masterDetail` their deletion is not sent.
    public var relationship: RecordLayout.Relationship

    /// Puts all kinds together; a target refuses a family whose names do not make queries.
    public init(
        parent: ParentInfo, children: [ChildrenInfo], relationship: RecordLayout.Relationship = .lookup
    ) {
        self.parent = parent
        self.children = children
        self.relationship = relationship
    }

    /// A family with one kind of children, as the mobile SDKs know them.
    public init(parent: ParentInfo, children: ChildrenInfo, relationship: RecordLayout.Relationship = .lookup) {
        self.init(parent: parent, children: [children], relationship: relationship)
    }

    private enum CodingKeys: String, CodingKey {
        case parent
        case children
        case relationshipType
    }

    /// Reads `parent`, `children` (one object, or an array) and `relationshipType` (default `LOOKUP`) of a target.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        parent = try container.decode(ParentInfo.self, forKey: .parent)
        children = try container.decode(ChildrenInfo.OneOrMore.self, forKey: .children).children
        relationship = try container.relationship(at: .relationshipType) ?? .lookup
    }

    /// The members of a target object that ``init(from:)`` reads, and its type.
    var json: JSONObject {
        [
            "type": "parent_children", "parent": .object(parent.json),
            "children": children.count == 1 ? children[0].json : .array(children.map(\.json)),
            "relationshipType": .string(relationship.rawValue),
        ]
    }
}
