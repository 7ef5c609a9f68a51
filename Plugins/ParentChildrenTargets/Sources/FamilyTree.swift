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

    /// - Parameter faults: gains names that cannot be, soups that are there twice and children that lie too deep, each
    ///   with its place; the tree is not to be used then.
    init(_ family: Family, faults: inout ConfigurationFaults) {
        members = [Member(info: family.parent, relationship: family.relationship, path: "parent")]
        relationship = family.relationship
        Self.check(family.parent, at: "parent", in: &faults)
        if family.children.isEmpty {
            faults.add(
                SoupError(
                    .badConfiguration, "a family needs children", place: Place(path: "children"),
                    hint: "Use the target soql for records without children."))
        }
        add(family.children, under: 0, path: "children", faults: &faults)
    }

    private static func check(_ info: ParentInfo, at path: String, in faults: inout ConfigurationFaults) {
        if info.soupName.isEmpty {
            faults.add(
                SoupError(
                    .badConfiguration, "the soup has no name", place: Place(path: "\(path).soupName"),
                    hint: "Name the soup of these records."))
        }
        faults.check { try SOQLCheck.object(info.sobjectType, at: "\(path).sobjectType") }
        faults.check { try SOQLCheck.field(info.idFieldName, at: "\(path).idFieldName") }
        faults.check {
            try SOQLCheck.field(info.modificationDateFieldName, at: "\(path).modificationDateFieldName")
        }
        if let field = info.externalIdFieldName {
            faults.check { try SOQLCheck.field(field, at: "\(path).externalIdFieldName", isOwn: true) }
        }
    }

    private mutating func add(
        _ children: [ChildrenInfo], under parent: Int, path: String, faults: inout ConfigurationFaults
    ) {
        for (index, child) in children.enumerated() {
            let path = children.count == 1 ? path : "\(path)[\(index)]"
            let depth = members[parent].depth + 1
            guard depth < Self.maximumDepth else {
                faults.add(
                    SoupError(
                        .badConfiguration, "a family has at most \(Self.maximumDepth) levels", place: Place(path: path),
                        hint: "Sync what lies deeper by a target of its own."))
                continue
            }
            Self.check(child.info, at: path, in: &faults)
            faults.check { try SOQLCheck.object(child.sobjectTypePlural, at: "\(path).sobjectTypePlural") }
            faults.check { try SOQLCheck.field(child.parentIdFieldName, at: "\(path).parentIdFieldName", isOwn: true) }
            if !child.info.soupName.isEmpty, members.contains(where: { $0.info.soupName == child.info.soupName }) {
                faults.add(
                    SoupError(
                        .badConfiguration, "two kinds of a family cannot live in one soup",
                        place: Place(path: "\(path).soupName"), hint: "Give these children a soup of their own."))
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
            add(child.children, under: own, path: "\(path).children", faults: &faults)
        }
    }

    /// Gives the only kind of children a list from a key of the target that is older than the children's own.
    ///
    /// - Parameter faults: gains that there are several kinds that it could be meant for.
    mutating func adopt(
        _ list: [String]?, _ key: String, as ownKey: String, _ path: WritableKeyPath<Member, [String]?>,
        faults: inout ConfigurationFaults
    ) {
        guard let list else { return }
        guard members.count <= 2 else {
            faults.add(
                SoupError(
                    .badConfiguration, "\(key) does not say which children it is for", place: Place(path: key),
                    hint: "Write \"\(ownKey)\" in the object of each kind of children."))
            return
        }
        guard members.count == 2 else { return }
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
