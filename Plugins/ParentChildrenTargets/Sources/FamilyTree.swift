// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// A family as a list of its types of records, each parent before its children: the parts of the layout.
struct FamilyTree: Sendable {
    /// One type of record.
    struct Member: Sendable {
        var info: ParentInfo
        /// The name of the relationship from the parent; empty for the root.
        var plural = ""
        /// The field that contains the parent's ID; nil for the root.
        var parentIdField: String?
        /// The position of the parent.
        var parent = 0
        var relationship = RecordLayout.Relationship.lookup
        /// Whether updates send the parent's ID; nil if the relationship determines it.
        var isReparentable: Bool?
        /// The number of levels above.
        var depth = 0
        /// The place in the configuration, such as `children[1].children`.
        var path: String
        /// The positions of the children.
        var children: [Int] = []
        var fieldlist: [String]?
        var createFieldlist: [String]?
        var updateFieldlist: [String]?

        /// Returns whether an update sends the record's parent to the server.
        func tellsParent(of update: RecordChange) -> Bool {
            isReparentable ?? (relationship == .lookup || update.isMoved != false)
        }
    }

    private(set) var members: [Member]
    private let relationship: RecordLayout.Relationship

    /// The maximum number of levels in a Salesforce query, including the root.
    static let maximumDepth = 5

    /// - Parameter faults: receives invalid names, duplicate soups and children at too deep a level, each with its
    ///   place; the tree must not be used if there are faults.
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

    /// Assigns a list from an older key of the target to the only type of children.
    ///
    /// - Parameter faults: receives an error if there are several types, because the list is ambiguous.
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

    /// Returns the tree with only the members on the path to one member.
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
