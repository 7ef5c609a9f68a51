// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// The queries of a record tree, built from the configured parts.
struct RecordTreeQueries: Sendable {
    let tree: RecordTree
    private let changedChildrenOnly: Bool
    /// The query for parents; its select list contains only the ID.
    private let parents: SOQLRewriter
    /// Whether parents must meet a condition.
    let hasFilter: Bool
    /// Whether the parents' query can be nested in a condition of another query: such conditions cannot be nested
    /// twice.
    private let parentsFitIntoCondition: Bool

    /// - Throws: ``SoupError`` with the place of the level that does not form a valid query; `ConfigurationError` for
    ///   several problems.
    init(_ configuration: ParentChildrenSyncDownTarget.Configuration) throws {
        var faults = ConfigurationFaults()
        var tree = RecordTree(configuration.tree, faults: &faults)
        // A problem of the names must not be reported as a problem of the filter and the lists.
        let hasNames = faults.errors.isEmpty
        tree.assign(
            configuration.childrenFieldlist, from: "childrenFieldlist", to: "fieldlist", at: \.fieldlist,
            faults: &faults)
        self.tree = tree
        changedChildrenOnly = configuration.changedChildrenOnly
        let parent = configuration.tree.parent
        let all = try SOQLCheck.query(
            hasNames ? "select \(parent.idFieldName) from \(parent.sobjectType)" : "select Id from Account",
            at: "parent")
        let filter = configuration.parentSoqlFilter
        hasFilter = !filter.allSatisfy(\.isWhitespace)
        if !hasFilter {
            parents = all
            parentsFitIntoCondition = true
        } else {
            let filtered = faults.check { try SOQLCheck.query("\(all.text) where \(filter)", at: "parentSoqlFilter") }
            parentsFitIntoCondition = filtered?.query.condition.map { !$0.containsSubquery } ?? true
            parents = filtered == nil ? all : all.adding(condition: filter)
        }
        for level in tree.levels where hasNames {
            if let problem = level.info.names.problem(with: configuration.deletes) { faults.add(problem) }
        }
        for position in tree.levels.indices {
            addFields(ofLevel: position, configuration, hasNames: hasNames, faults: &faults)
        }
        try faults.finish()
    }

    /// - Parameter hasNames: whether the names of the objects are valid; otherwise only the fields are checked.
    private mutating func addFields(
        ofLevel position: Int, _ configuration: ParentChildrenSyncDownTarget.Configuration, hasNames: Bool,
        faults: inout ConfigurationFaults
    ) {
        let level = tree.levels[position]
        let list = position == 0 ? configuration.parentFieldlist : level.fieldlist
        guard let list else {
            return faults.add(
                SoupError(
                    .badConfiguration, "there is no list of the fields to fetch",
                    place: SoupError.Place(path: "\(level.path).fieldlist"),
                    hint:
                        "Add \"fieldlist\" to these children, or \"childrenFieldlist\" to the target if it has no other children."
                ))
        }
        let own = list.completed(with: [level.info.idFieldName, level.info.modificationDateFieldName])
        fields.append(own)
        listPaths.append(
            position == 0
                ? "parentFieldlist"
                : level.path == "children" && configuration.tree.children[0].fieldlist == nil
                    ? "childrenFieldlist" : "\(level.path).fieldlist")
        let source = position == 0 ? configuration.tree.parent.sobjectType : level.plural
        faults.check {
            try SOQLCheck.query(
                hasNames
                    ? "select \(own.joined(separator: ", ")) from \(source)"
                    : "select \((list + ["Id"]).joined(separator: ", ")) from Account",
                at: listPaths.last ?? "")
        }
    }

    /// The fields of each level, with ID and modification date.
    private(set) var fields: [[String]] = []
    /// The places of the field lists in the target object.
    private(set) var listPaths: [String] = []

    /// Returns the query for parents with all descendants: all parents, or those that changed since a mark.
    ///
    /// - Parameters:
    ///   - levelMarks: the marks of the children, from the first child level on.
    ///   - dateField: the field with the time of a change, by the names of a level.
    func records(
        from mark: HighWaterMark?, levelMarks: [HighWaterMark?], by dateField: RecordFieldNames.DateField
    ) throws -> String {
        var outer = parents
        if let mark {
            outer = outer.changed(after: mark, modificationDateField: tree.levels[0].info.names.name(of: dateField))
        }
        let marks = mark == nil || !changedChildrenOnly ? [] : [mark] + levelMarks
        return outer.replacing(fields: try selectList(of: 0, marks: marks, by: dateField))
            .ordered(by: tree.levels[0].info.modificationDateFieldName).text
    }

    /// Returns the query for children that changed since a mark, with all descendants.
    ///
    /// If ``isRestricted(_:)`` is false, the caller must check whether their parents belong to the tree.
    func changed(
        _ position: Int, from mark: HighWaterMark?, by dateField: RecordFieldNames.DateField
    ) throws -> String {
        let level = tree.levels[position]
        let extra = fields[position].completed(with: [level.parentIdField ?? ""])
        var query = try SOQLRewriter("select \(level.info.idFieldName) from \(level.info.sobjectType)")
        let field = level.parentIdField ?? ""
        query = query.adding(
            condition: isRestricted(position) ? "\(field) in (\(parents.text))" : "\(field) != null")
        if let mark {
            query = query.changed(after: mark, modificationDateField: level.info.names.name(of: dateField))
        }
        return query.replacing(fields: try selectList(of: position, marks: [], by: dateField, fields: extra))
            .ordered(by: level.info.modificationDateFieldName).text
    }

    /// Returns whether the query for changed children finds only those of the tree.
    func isRestricted(_ position: Int) -> Bool {
        let (parent, child) = (tree.levels[0].info, tree.levels[position])
        return child.parent == 0 && parentsFitIntoCondition
            && parent.sobjectType.lowercased() != child.info.sobjectType.lowercased()
    }

    /// Returns the query for checking which records belong to the tree.
    ///
    /// It finds those parents that match the filter, or those children that exist, with their parents' IDs.
    func known(_ slice: SOQLIdList.Slice, at position: Int) throws -> String {
        let level = tree.levels[position]
        let condition = "\(level.info.idFieldName) in \(slice.text)"
        guard let field = level.parentIdField else { return parents.adding(condition: condition).text }
        return "select \(level.info.idFieldName), \(field) from \(level.info.sobjectType) where \(condition)"
    }

    /// Returns the select list of a level: its fields, and a subquery for each of its child levels.
    ///
    /// - Parameter ownFields: the fields of the level; nil for the configured ones.
    private func selectList(
        of position: Int, marks: [HighWaterMark?], by dateField: RecordFieldNames.DateField,
        fields ownFields: [String]? = nil
    ) throws -> String {
        let children = try tree.levels[position].children.map { child in
            let level = tree.levels[child]
            var nested = try SOQLRewriter("select \(level.info.idFieldName) from \(level.plural)")
            if child < marks.count, let mark = marks[child] {
                nested = nested.changed(after: mark, modificationDateField: level.info.names.name(of: dateField))
            }
            return "(\(nested.replacing(fields: try selectList(of: child, marks: marks, by: dateField)).text))"
        }
        return ((ownFields ?? fields[position]) + children).joined(separator: ", ")
    }

    /// The query for the IDs of all parents.
    var parentIds: String { parents.text }

    /// Returns the query for the IDs of all records of one level, nested in those of its ancestors.
    func ids(of position: Int) -> String {
        var nested = ""
        var position = position
        while position != 0 {
            let level = tree.levels[position]
            let list = [level.info.idFieldName, nested].filter { !$0.isEmpty }.joined(separator: ", ")
            nested = "(select \(list) from \(level.plural))"
            position = level.parent
        }
        return parents.replacing(fields: "\(tree.levels[0].info.idFieldName), \(nested)").text
    }
}

extension SOQLCondition {
    /// Whether the condition contains a subquery.
    var containsSubquery: Bool {
        switch self {
        case .and(let levels), .or(let levels): levels.contains(where: \.containsSubquery)
        case .not(let inner), .group(let inner): inner.containsSubquery
        case .comparison(let comparison): if case .isInQuery = comparison.test { true } else { false }
        }
    }
}
