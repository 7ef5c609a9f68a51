// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
internal import SoupCore

/// A family as a list of its kinds of records, each parent before its children: the parts of the layout.
struct FamilyTree: Sendable {
    /// One kind of record.
    struct Member: Sendable {
        var info: ParentInfo
        /// The name of the relationship that leads here; empty for the root.
        var plural = ""
        /// The field that holds the parent's id; nil for the root.
        var parentIdField: String?
        /// The position of the parent.
        var parent = 0
        var relationship = RecordLayout.Relationship.lookup
        /// Whether updates tell the parent's id; nil when the relationship decides.
        var isReparentable: Bool?
        /// How many levels lie above.
        var depth = 0
        /// Where the configuration has it, such as `children[1].children`.
        var path: String
        /// The positions of the children.
        var children: [Int] = []
        var fieldlist: [String]?
        var createFieldlist: [String]?
        var updateFieldlist: [String]?

        /// Whether an update tells the server which parent the record is under.
        func tellsParent(of update: RecordChange) -> Bool {
            isReparentable ?? (relationship == .lookup || update.isMoved != false)
        }
    }

    private(set) var members: [Member]
    private let relationship: RecordLayout.Relationship

    /// Levels that a query of Salesforce can have, that of the root included.
    static let maximumDepth = 5

    /// - Throws: ``SoupError`` with the place of a name that cannot be one, of a soup that is there twice, or of
    ///   children that lie too deep.
    init(_ family: Family) throws {
        members = [Member(info: family.parent, relationship: family.relationship, path: "parent")]
        relationship = family.relationship
        try SOQLCheck.object(family.parent.sobjectType, at: "parent.sobjectType")
        guard !family.children.isEmpty else {
            throw SoupError(
                .badConfiguration, "a family needs children", place: Place(path: "children"),
                hint: "Use the target soql for records without children.")
        }
        try add(family.children, under: 0, path: "children")
    }

    private mutating func add(_ children: [ChildrenInfo], under parent: Int, path: String) throws {
        for (index, child) in children.enumerated() {
            let path = children.count == 1 ? path : "\(path)[\(index)]"
            let depth = members[parent].depth + 1
            try SOQLCheck.object(child.info.sobjectType, at: "\(path).sobjectType")
            try SOQLCheck.object(child.sobjectTypePlural, at: "\(path).sobjectTypePlural")
            guard !members.contains(where: { $0.info.soupName == child.info.soupName }) else {
                throw SoupError(
                    .badConfiguration, "two kinds of a family cannot live in one soup",
                    place: Place(path: "\(path).soupName"), hint: "Give these children a soup of their own.")
            }
            guard depth < Self.maximumDepth else {
                throw SoupError(
                    .badConfiguration, "a family has at most \(Self.maximumDepth) levels", place: Place(path: path),
                    hint: "Sync what lies deeper by a target of its own.")
            }
            let own = members.count
            members[parent].children.append(own)
            members.append(
                Member(
                    info: child.info, plural: child.sobjectTypePlural, parentIdField: child.parentIdFieldName,
                    parent: parent, relationship: child.relationship ?? relationship,
                    isReparentable: child.isReparentable, depth: depth, path: path,
                    fieldlist: child.fieldlist, createFieldlist: child.createFieldlist,
                    updateFieldlist: child.updateFieldlist))
            try add(child.children, under: own, path: "\(path).children")
        }
    }

    /// Gives the only kind of children a list from a key of the target that is older than the children's own.
    ///
    /// - Throws: ``SoupError`` when there are several kinds that it could be meant for.
    mutating func adopt(
        _ list: [String]?, _ key: String, as ownKey: String, _ path: WritableKeyPath<Member, [String]?>
    ) throws {
        guard let list else { return }
        guard members.count == 2 else {
            throw SoupError(
                .badConfiguration, "\(key) does not say which children it is for", place: Place(path: key),
                hint: "Write \"\(ownKey)\" in the object of each kind of children.")
        }
        if members[1][keyPath: path] == nil { members[1][keyPath: path] = list }
    }

    /// The tree with those members alone that lead to one.
    func path(to position: Int) -> FamilyTree {
        var way = [position]
        while let last = way.last, last != 0 { way.append(members[last].parent) }
        var path = self
        path.members = way.reversed().enumerated().map { index, position in
            var member = members[position]
            member.parent = max(0, index - 1)
            member.children = index == way.count - 1 ? [] : [index + 1]
            return member
        }
        return path
    }

    var layout: RecordLayout {
        RecordLayout(
            parts: members.map { member in
                RecordLayout.Part(
                    soup: SoupName(member.info.soupName), idField: member.info.idFieldName,
                    modificationDateField: member.info.modificationDateFieldName, parentIdField: member.parentIdField,
                    parentPart: member.parent,
                    relationship: member.relationship == relationship ? nil : member.relationship)
            }, relationship: relationship)
    }
}
