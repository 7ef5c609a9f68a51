// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A full-text search as a tree.
///
/// ```swift
/// let search = try SOSLQuery(parsing: "FIND {acme} IN NAME FIELDS RETURNING Account(Name LIMIT 5)")
/// ```
///
/// Parsing checks only the grammar; the server checks whether objects and fields exist. Printing gives the shortest
/// form; parsing that gives an equal tree.
package struct SOSLQuery: Sendable, Hashable {
    /// The fields that are searched.
    ///
    /// The raw values are the words between `IN` and `FIELDS`, in upper case.
    package enum FieldGroup: String, Sendable, Hashable, CaseIterable {
        case all = "ALL"
        case name = "NAME"
        case email = "EMAIL"
        case phone = "PHONE"
        case sidebar = "SIDEBAR"
    }

    /// The search term.
    package var term: SOSLTerm
    /// The fields to search; nil if the search does not define them, which means all fields.
    package var group: FieldGroup?
    /// The objects to return, in order; empty for the server's choice.
    package var returning: [SOSLObject] = []
    /// The texts after each `WITH`, such as `DIVISION = 'Global'` or `SNIPPET(target_length=120)`.
    package var with: [String] = []
    /// The maximum number of records in total; nil if the search has no limit.
    package var limit: Int?
    /// `UPDATE TRACKING`, `UPDATE VIEWSTAT`.
    package var tracking: [String] = []

    /// Creates a search for a term in all objects; its other clauses are empty and can be set.
    package init(_ term: SOSLTerm, in group: FieldGroup? = nil) {
        self.term = term
        self.group = group
    }
}

/// One object of a search, with the clauses for its records: `Account(Name WHERE Rating = 'Hot' LIMIT 5)`.
package struct SOSLObject: Sendable, Hashable {
    /// The object's name, as written.
    package var name: String
    /// The fields; empty for only the ID.
    package var items: [SOQLSelectItem] = []
    /// The text after `USING`, such as `ListView=Recent`.
    package var using: String?
    /// The condition of `WHERE`; nil without one.
    package var condition: SOQLCondition?
    /// The text after `WITH`, such as `NETWORK = '0DB000000000001'`.
    package var with: String?
    /// The keys of `ORDER BY`; empty without the clause.
    package var order: [SOQLSortKey] = []
    /// The maximum number of records of this object.
    package var limit: Int?
    /// The number of its records to skip.
    package var offset: Int?
    /// The position of its name.
    package var position: SOQLPosition

    /// Creates an object that returns the IDs of all its records that match the term.
    package init(_ name: String, at position: SOQLPosition = SOQLPosition()) {
        self.name = name
        self.position = position
    }
}
