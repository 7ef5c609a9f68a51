// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// The queries of a family, built from the configured parts.
struct FamilyQueries: Sendable {
    let tree: FamilyTree
    private let changedChildrenOnly: Bool
    /// The query for parents; its select list contains only the ID.
    private let parents: SOQLRewriter
    /// Whether the parents' query can be nested in a condition of another query: such conditions cannot be nested
    /// twice.
    private let parentsFitIntoCondition: Bool

    /// - Throws: ``SoupError`` with the place of the part that does not form a valid query; `ConfigurationError` for
    ///   several problems.
    init(_ configuration: ParentChildrenSyncDownTarget.Configuration) throws {
        var faults = ConfigurationFaults()
        var tree = FamilyTree(configuration.family, faults: &faults)
        // A problem of the names must not be reported as a problem of the filter and the lists.
        let hasNames = faults.errors.isEmpty
        tree.adopt(
            configuration.childrenFieldlist, "childrenFieldlist", as: "fieldlist", \.fieldlist, faults: &faults)
        self.tree = tree
        changedChildrenOnly = configuration.changedChildrenOnly
        let parent = configuration.family.parent
        let all = try SOQLCheck.query(
            hasNames ? "select \(parent.idFieldName) from \(parent.sobjectType)" : "select Id from Account",
            at: "parent")
        let filter = configuration.parentSoqlFilter
        if filter.allSatisfy(\.isWhitespace) {
            parents = all
            parentsFitIntoCondition = true
        } else {
            let filtered = faults.check { try SOQLCheck.query("\(all.text) where \(filter)", at: "parentSoqlFilter") }
            parentsFitIntoCondition = filtered?.query.condition.map { !$0.asksAnotherQuery } ?? true
            parents = filtered == nil ? all : all.adding(condition: filter)
        }
        for (position, member) in tree.members.enumerated() {
            let list = position == 0 ? configuration.parentFieldlist : member.fieldlist
            guard let list else {
                faults.add(
                    SoupError(
                        .badConfiguration, "no field list says what to bring",
                        place: Place(path: "\(member.path).fieldlist"),
                        hint:
                            "Add \"fieldlist\" to these children, or \"childrenFieldlist\" to the target when there are no others."
                    ))
                continue
            }
            let own = list.completed(with: [member.info.idFieldName, member.info.modificationDateFieldName])
            fields.append(own)
            listPaths.append(
                position == 0
                    ? "parentFieldlist"
                    : member.path == "children" && configuration.family.children[0].fieldlist == nil
                        ? "childrenFieldlist" : "\(member.path).fieldlist")
            let source = position == 0 ? parent.sobjectType : member.plural
            faults.check {
                try SOQLCheck.query(
                    hasNames
                        ? "select \(own.joined(separator: ", ")) from \(source)"
                        : "select \((list + ["Id"]).joined(separator: ", ")) from Account",
                    at: listPaths.last ?? "")
            }
        }
        try faults.finish()
    }

    /// The fields of each type, with ID and modification date.
    private(set) var fields: [[String]] = []
    /// The places of the field lists in the target object.
    private(set) var listPaths: [String] = []

    /// Returns the query for parents with all descendants: all parents, or those that changed since a mark.
    ///
    /// - Parameter partMarks: the marks of the children, from the first type on.
    func records(from mark: HighWaterMark?, _ partMarks: [HighWaterMark?]) throws -> String {
        var outer = parents
        if let mark {
            outer = outer.changed(after: mark, modificationDateField: tree.members[0].info.modificationDateFieldName)
        }
        let marks = mark == nil || !changedChildrenOnly ? [] : [mark] + partMarks
        return outer.replacing(fields: try selected(0, marks))
            .ordered(by: tree.members[0].info.modificationDateFieldName).text
    }

    /// Returns the query for children that changed since a mark, with all descendants.
    ///
    /// If ``isRestricted(_:)`` is false, the caller must check whether their parents belong to the family.
    func changed(_ position: Int, from mark: HighWaterMark?) throws -> String {
        let member = tree.members[position]
        let dateField = member.info.modificationDateFieldName
        let extra = fields[position].completed(with: [member.parentIdField ?? ""])
        var query = try SOQLRewriter("select \(member.info.idFieldName) from \(member.info.sobjectType)")
        let field = member.parentIdField ?? ""
        query = query.adding(
            condition: isRestricted(position) ? "\(field) in (\(parents.text))" : "\(field) != null")
        if let mark { query = query.changed(after: mark, modificationDateField: dateField) }
        return query.replacing(fields: try selected(position, [], extra)).ordered(by: dateField).text
    }

    /// Returns whether the query for changed children finds only those of the family.
    func isRestricted(_ position: Int) -> Bool {
        let (parent, child) = (tree.members[0].info, tree.members[position])
        return child.parent == 0 && parentsFitIntoCondition
            && parent.sobjectType.lowercased() != child.info.sobjectType.lowercased()
    }

    /// Returns the query for checking which records belong to the family.
    ///
    /// It finds those parents that match the filter, or those children that exist, with their parents' IDs.
    func known(_ slice: SOQLIdList.Slice, _ position: Int) throws -> String {
        let member = tree.members[position]
        let condition = "\(member.info.idFieldName) in \(slice.text)"
        guard let field = member.parentIdField else { return parents.adding(condition: condition).text }
        return "select \(member.info.idFieldName), \(field) from \(member.info.sobjectType) where \(condition)"
    }

    /// Returns a select list: the fields of a type, and a subquery for each type of children.
    private func selected(
        _ position: Int, _ marks: [HighWaterMark?], _ own: [String]? = nil
    ) throws -> String {
        let children = try tree.members[position].children.map { child in
            let member = tree.members[child]
            var nested = try SOQLRewriter("select \(member.info.idFieldName) from \(member.plural)")
            if child < marks.count, let mark = marks[child] {
                nested = nested.changed(after: mark, modificationDateField: member.info.modificationDateFieldName)
            }
            return "(\(nested.replacing(fields: try selected(child, marks)).text))"
        }
        return ((own ?? fields[position]) + children).joined(separator: ", ")
    }

    /// The query for the ids of all parents.
    var parentIds: String { parents.text }

    /// Returns the query for the IDs of all records of one type, nested in those of its ancestors.
    func ids(of position: Int) -> String {
        var nested = ""
        var position = position
        while position != 0 {
            let member = tree.members[position]
            let list = [member.info.idFieldName, nested].filter { !$0.isEmpty }.joined(separator: ", ")
            nested = "(select \(list) from \(member.plural))"
            position = member.parent
        }
        return parents.replacing(fields: "\(tree.members[0].info.idFieldName), \(nested)").text
    }
}

extension SOQLCondition {
    /// Whether the condition contains a subquery.
    var asksAnotherQuery: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.contains(where: \.asksAnotherQuery)
        case .not(let inner), .group(let inner): inner.asksAnotherQuery
        case .comparison(let comparison): if case .isInQuery = comparison.test { true } else { false }
        }
    }
}
