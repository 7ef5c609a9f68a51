// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
internal import SoupCore

/// The queries of a family, made of the configured parts.
struct FamilyQueries: Sendable {
    private let configuration: ParentChildrenSyncDownTarget.Configuration
    /// Everything about the parents but the select list, which holds the id alone.
    private let parents: SOQLRewriter

    /// - Throws: ``SoupError`` with the place of the part that does not make a query.
    init(_ configuration: ParentChildrenSyncDownTarget.Configuration) throws {
        self.configuration = configuration
        let parent = configuration.family.parent
        let all = try SOQLCheck.query("select \(parent.idFieldName) from \(parent.sobjectType)", at: "parent")
        let filter = configuration.parentSoqlFilter
        if filter.allSatisfy(\.isWhitespace) {
            parents = all
        } else {
            try SOQLCheck.query("\(all.text) where \(filter)", at: "parentSoqlFilter")
            parents = all.adding(condition: filter)
        }
        try SOQLCheck.query("select \(parentFields) from \(parent.sobjectType)", at: "parentFieldlist")
        try SOQLCheck.query(
            "select \(childFields) from \(configuration.family.children.sobjectTypePlural)", at: "childrenFieldlist")
    }

    private var parentFields: String {
        let parent = configuration.family.parent
        return configuration.parentFieldlist
            .completed(with: [parent.idFieldName, parent.modificationDateFieldName]).joined(separator: ", ")
    }

    private var childFields: String {
        let child = configuration.family.children.info
        return configuration.childrenFieldlist
            .completed(with: [child.idFieldName, child.modificationDateFieldName]).joined(separator: ", ")
    }

    /// The query for parents with their children, all of them or those changed since a mark.
    func records(from mark: HighWaterMark?) throws -> String {
        let parent = configuration.family.parent
        let children = configuration.family.children
        var nested = try SOQLRewriter("select \(childFields) from \(children.sobjectTypePlural)")
        var outer = parents
        if let mark {
            if configuration.changedChildrenOnly {
                nested = nested.changed(after: mark, modificationDateField: children.info.modificationDateFieldName)
            }
            outer = outer.changed(after: mark, modificationDateField: parent.modificationDateFieldName)
        }
        return outer.replacing(fields: "\(parentFields), (\(nested.text))")
            .ordered(by: parent.modificationDateFieldName).text
    }

    /// The query for the ids of all parents.
    var parentIds: String { parents.text }

    /// The query for the ids of all children of these parents.
    var childIds: String {
        let family = configuration.family
        let nested = "(select \(family.children.info.idFieldName) from \(family.children.sobjectTypePlural))"
        return parents.replacing(fields: "\(family.parent.idFieldName), \(nested)").text
    }
}
