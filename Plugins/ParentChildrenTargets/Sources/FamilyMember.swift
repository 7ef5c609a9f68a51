// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// One side of a family: an object on the server, and the soup that holds its records.
public struct ParentInfo: Decodable, Sendable, Hashable {
    public var sobjectType: String
    public var soupName: String
    public var idFieldName: String
    public var modificationDateFieldName: String
    /// The field that tells on the server whether a record exists already; for sync ups.
    public var externalIdFieldName: String?

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
    public var info: ParentInfo
    /// The name of the relationship from the parent to its children, such as `Contacts`.
    public var sobjectTypePlural: String
    /// The field of a child that holds its parent's id.
    public var parentIdFieldName: String

    public init(_ info: ParentInfo, sobjectTypePlural: String, parentIdFieldName: String) {
        self.info = info
        self.sobjectTypePlural = sobjectTypePlural
        self.parentIdFieldName = parentIdFieldName
    }

    private enum CodingKeys: String, CodingKey {
        case sobjectTypePlural
        case parentIdFieldName
    }

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
    public var parent: ParentInfo
    public var children: ChildrenInfo
    public var relationship: RecordLayout.Relationship

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
