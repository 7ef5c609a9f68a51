// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// A record tree as a list of its levels, each parent before its children, as in the layout.
struct RecordTree: Sendable {
    /// One object of the tree, with its place in the tree.
    struct Level: Sendable {
        var info: ParentInfo
        /// The name of the relationship from the parent; empty for the root.
        var plural = ""
        /// The field that contains the parent's ID; nil for the root.
        var parentIdField: String?
        /// The position of the parent level.
        var parent = 0
        var relationship = RecordLayout.Relationship.lookup
        /// Whether updates send the parent's ID; nil if the relationship determines it.
        var isReparentable: Bool?
        /// The number of ancestors.
        var depth = 0
        /// The place in the configuration, such as `children[1].children`.
        var path: String
        /// The positions of the child levels.
        var children: [Int] = []
        var fieldlist: [String]?
        var createFieldlist: [String]?
        var updateFieldlist: [String]?

        /// Returns whether an update sends the parent's ID to the server.
        func sendsParentId(of update: RecordChange) -> Bool {
            isReparentable ?? (relationship == .lookup || update.isMoved != false)
        }
    }

    private(set) var levels: [Level]
    private let relationship: RecordLayout.Relationship

    /// The maximum number of levels in a Salesforce query, including the root.
    static let maximumDepth = 5

    /// - Parameter faults: receives invalid names, duplicate soups and children at too deep a level, each with its
    ///   place; the tree must not be used if there are faults.
    init(_ info: RecordTreeInfo, faults: inout ConfigurationFaults) {
        levels = [Level(info: info.parent, relationship: info.relationship, path: "parent")]
        relationship = info.relationship
        Self.check(info.parent, at: "parent", in: &faults)
        if info.children.isEmpty {
            faults.add(
                SoupError(
                    .badConfiguration, "a record tree needs children", place: SoupError.Place(path: "children"),
                    hint: "Use the target soql for records without children."))
        }
        add(info.children, under: 0, path: "children", faults: &faults)
    }

    private static func check(_ info: ParentInfo, at path: String, in faults: inout ConfigurationFaults) {
        if info.soupName.isEmpty {
            faults.add(
                SoupError(
                    .badConfiguration, "the soup has no name", place: SoupError.Place(path: "\(path).soupName"),
                    hint: "Add the name of the soup for these records."))
        }
        faults.check { try SOQLCheck.object(info.sobjectType, at: "\(path).sobjectType") }
        faults.check { try SOQLCheck.field(info.idFieldName, at: "\(path).idFieldName") }
        faults.check {
            try SOQLCheck.field(info.modificationDateFieldName, at: "\(path).modificationDateFieldName")
        }
        if let field = info.externalIdFieldName {
            faults.check { try SOQLCheck.field(field, at: "\(path).externalIdFieldName", isOwn: true) }
        }
        if let field = info.clientKeyFieldName {
            faults.check {
                try SOQLCheck.clientKey(field, besides: info.names, at: "\(path).clientKeyFieldName")
            }
        }
    }

    private mutating func add(
        _ children: [ChildrenInfo], under parent: Int, path: String, faults: inout ConfigurationFaults
    ) {
        for (index, child) in children.enumerated() {
            let path = children.count == 1 ? path : "\(path)[\(index)]"
            let depth = levels[parent].depth + 1
            guard depth < Self.maximumDepth else {
                faults.add(
                    SoupError(
                        .badConfiguration, "a record tree is at most \(Self.maximumDepth) levels deep",
                        place: SoupError.Place(path: path),
                        hint: "Sync deeper levels with a separate target."))
                continue
            }
            Self.check(child.info, at: path, in: &faults)
            faults.check { try SOQLCheck.object(child.sobjectTypePlural, at: "\(path).sobjectTypePlural") }
            faults.check { try SOQLCheck.field(child.parentIdFieldName, at: "\(path).parentIdFieldName", isOwn: true) }
            if !child.info.soupName.isEmpty, levels.contains(where: { $0.info.soupName == child.info.soupName }) {
                faults.add(
                    SoupError(
                        .badConfiguration, "two levels of a record tree cannot share a soup",
                        place: SoupError.Place(path: "\(path).soupName"),
                        hint: "Use a separate soup for these children."))
            }
            let own = levels.count
            levels[parent].children.append(own)
            levels.append(
                Level(
                    info: child.info, plural: child.sobjectTypePlural, parentIdField: child.parentIdFieldName,
                    parent: parent, relationship: child.relationship ?? relationship,
                    isReparentable: child.isReparentable, depth: depth, path: path,
                    fieldlist: child.fieldlist, createFieldlist: child.createFieldlist,
                    updateFieldlist: child.updateFieldlist))
            add(child.children, under: own, path: "\(path).children", faults: &faults)
        }
    }

    /// Assigns a field list from an older key of the target to the only child level.
    ///
    /// - Parameter faults: receives an error if there are several child levels, because the list is ambiguous.
    mutating func assign(
        _ list: [String]?, from key: String, to ownKey: String, at path: WritableKeyPath<Level, [String]?>,
        faults: inout ConfigurationFaults
    ) {
        guard let list else { return }
        guard levels.count <= 2 else {
            faults.add(
                SoupError(
                    .badConfiguration, "\(key) is ambiguous, because there are several kinds of children",
                    place: SoupError.Place(path: key),
                    hint: "Add \"\(ownKey)\" to the object of each kind of children."))
            return
        }
        guard levels.count == 2 else { return }
        if levels[1][keyPath: path] == nil { levels[1][keyPath: path] = list }
    }

    /// Returns the tree with only one level and its ancestors.
    func path(to position: Int) -> RecordTree {
        var ancestors = [position]
        while let last = ancestors.last, last != 0 { ancestors.append(levels[last].parent) }
        var path = self
        path.levels = ancestors.reversed().enumerated().map { index, position in
            var level = levels[position]
            level.parent = max(0, index - 1)
            level.children = index == ancestors.count - 1 ? [] : [index + 1]
            return level
        }
        return path
    }

    var layout: RecordLayout {
        RecordLayout(
            levels: levels.map { level in
                RecordLayout.Level(
                    soup: SoupName(level.info.soupName), idField: level.info.idFieldName,
                    modificationDateField: level.info.modificationDateFieldName, parentIdField: level.parentIdField,
                    parentLevel: level.parent,
                    relationship: level.relationship == relationship ? nil : level.relationship)
            }, relationship: relationship)
    }
}
