// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The objects of a record tree: a parent object with its children, level by level, for both targets.
public struct RecordTreeInfo: Decodable, Sendable, Hashable {
    /// The key `parent` of a target object.
    public var parent: ParentInfo
    /// The key `children` of a target object: one or more child objects, each with its own children.
    ///
    /// Every object needs its own soup.
    public var children: [ChildrenInfo]
    /// The effect on children when their parent is deleted, unless they define it themselves; under `masterDetail`
    /// their deletion is not sent.
    public var relationship: RecordLayout.Relationship

    /// Creates a tree; a target rejects it if its names do not form valid queries.
    public init(
        parent: ParentInfo, children: [ChildrenInfo], relationship: RecordLayout.Relationship = .lookup
    ) {
        self.parent = parent
        self.children = children
        self.relationship = relationship
    }

    /// Creates a tree with one child object, as in the mobile SDKs.
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
