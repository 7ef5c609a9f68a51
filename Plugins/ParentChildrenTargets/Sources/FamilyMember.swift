// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// One side of a family: an object on the server, and the soup that holds its records.
public struct ParentInfo: Decodable, Sendable, Hashable {
    /// The object on the server, such as `Account`.
    public var sobjectType: String
    /// The soup that its records go to and come from, whatever soup the sync itself names.
    public var soupName: String
    /// The field with the server's id, which the soup needs an index on.
    public var idFieldName: String
    /// The field with the time of a record's last change on the server, ISO 8601.
    public var modificationDateFieldName: String
    /// The field that tells on the server whether a record exists already; for sync ups.
    public var externalIdFieldName: String?

    /// Puts one side together; the object's name is checked when a target is made from it.
    public init(
        sobjectType: String, soupName: String, idFieldName: String = "Id",
        modificationDateFieldName: String = "LastModifiedDate", externalIdFieldName: String? = nil
    ) {
        self.sobjectType = sobjectType
        self.soupName = soupName
        self.idFieldName = idFieldName
        self.modificationDateFieldName = modificationDateFieldName
        self.externalIdFieldName = externalIdFieldName
    }

    private enum CodingKeys: String, CodingKey {
        case sobjectType
        case soupName
        case externalIdFieldName
    }

    /// Reads `sobjectType`, `soupName`, `externalIdFieldName` and the keys of ``RecordFieldNames``.
    ///
    /// The first two must be there. An empty `externalIdFieldName` counts as none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let names = try RecordFieldNames(from: decoder)
        self.init(
            sobjectType: try container.decode(String.self, forKey: .sobjectType),
            soupName: try container.decode(String.self, forKey: .soupName), idFieldName: names.id,
            modificationDateFieldName: names.modificationDate,
            externalIdFieldName: try container.decodeIfPresent(String.self, forKey: .externalIdFieldName)
                .flatMap { $0.isEmpty ? nil : $0 })
    }

    var names: RecordFieldNames { RecordFieldNames(id: idFieldName, modificationDate: modificationDateFieldName) }
}

/// The other side of a family.
public struct ChildrenInfo: Decodable, Sendable, Hashable {
    /// The object and the soup of the children, as for a parent.
    public var info: ParentInfo
    /// The name of the relationship from the parent to its children, such as `Contacts`.
    public var sobjectTypePlural: String
    /// The field of a child that holds its parent's id.
    public var parentIdFieldName: String

    /// Makes children of a member; nothing is checked before a target is made from the family.
    public init(_ info: ParentInfo, sobjectTypePlural: String, parentIdFieldName: String) {
        self.info = info
        self.sobjectTypePlural = sobjectTypePlural
        self.parentIdFieldName = parentIdFieldName
    }

    private enum CodingKeys: String, CodingKey {
        case sobjectTypePlural
        case parentIdFieldName
    }

    /// Reads `sobjectTypePlural` and `parentIdFieldName`, and from the same object the keys of ``ParentInfo``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try ParentInfo(from: decoder),
            sobjectTypePlural: try container.decode(String.self, forKey: .sobjectTypePlural),
            parentIdFieldName: try container.decode(String.self, forKey: .parentIdFieldName))
    }
}

/// A parent object with its children, as both targets need it.
public struct Family: Decodable, Sendable, Hashable {
    /// The key `parent` of a target object.
    public var parent: ParentInfo
    /// The key `children` of a target object; its soup must be another than the parent's.
    public var children: ChildrenInfo
    /// What becomes of children when their parent is deleted; under `masterDetail` their deletion is not sent.
    public var relationship: RecordLayout.Relationship

    /// Puts both sides together; a target refuses a family whose names do not make queries.
    public init(parent: ParentInfo, children: ChildrenInfo, relationship: RecordLayout.Relationship = .lookup) {
        self.parent = parent
        self.children = children
        self.relationship = relationship
    }

    private enum CodingKeys: String, CodingKey {
        case parent
        case children
        case relationshipType
    }

    /// Reads `parent`, `children` and `relationshipType` (default `LOOKUP`) of a target object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        parent = try container.decode(ParentInfo.self, forKey: .parent)
        children = try container.decode(ChildrenInfo.self, forKey: .children)
        let type = try container.decodeIfPresent(String.self, forKey: .relationshipType) ?? ""
        guard let relationship = type.isEmpty ? .lookup : RecordLayout.Relationship(rawValue: type) else {
            throw DecodingError.dataCorruptedError(
                forKey: .relationshipType, in: container,
                debugDescription: "\"\(type)\" is no relationship type. Use MASTER_DETAIL or LOOKUP.")
        }
        self.relationship = relationship
    }

    var layout: RecordLayout {
        RecordLayout(
            parts: [
                .init(
                    soup: SoupName(parent.soupName), idField: parent.idFieldName,
                    modificationDateField: parent.modificationDateFieldName),
                .init(
                    soup: SoupName(children.info.soupName), idField: children.info.idFieldName,
                    modificationDateField: children.info.modificationDateFieldName,
                    parentIdField: children.parentIdFieldName),
            ], relationship: relationship)
    }

    /// - Throws: ``SoupError`` with the place of a name that cannot be one.
    func check() throws {
        try SOQLCheck.object(parent.sobjectType, at: "parent.sobjectType")
        try SOQLCheck.object(children.info.sobjectType, at: "children.sobjectType")
        try SOQLCheck.object(children.sobjectTypePlural, at: "children.sobjectTypePlural")
        guard parent.soupName != children.info.soupName else {
            throw SoupError(
                .badConfiguration, "parents and children cannot live in one soup",
                place: Place(path: "children.soupName"),
                hint: "Give the children a soup of their own.")
        }
    }
}
