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
public struct SOSLQuery: Sendable, Hashable {
    /// The fields that are searched.
    ///
    /// The raw values are the words between `IN` and `FIELDS`, in upper case.
    public enum FieldGroup: String, Sendable, Hashable, CaseIterable {
        case all = "ALL"
        case name = "NAME"
        case email = "EMAIL"
        case phone = "PHONE"
        case sidebar = "SIDEBAR"
    }

    /// The search term.
    public var term: SOSLTerm
    /// The fields to search; nil if the search does not define them, which means all fields.
    public var group: FieldGroup?
    /// The objects to return, in order; empty for the server's choice.
    public var returning: [SOSLObject] = []
    /// The texts after each `WITH`, such as `DIVISION = 'Global'` or `SNIPPET(target_length=120)`.
    public var with: [String] = []
    /// The maximum number of records in total; nil if the search has no limit.
    public var limit: Int?
    /// `UPDATE TRACKING`, `UPDATE VIEWSTAT`.
    public var tracking: [String] = []

    /// Creates a search for a term in all objects; its other clauses are empty and can be set.
    public init(_ term: SOSLTerm, in group: FieldGroup? = nil) {
        self.term = term
        self.group = group
    }
}

/// One object of a search, with the clauses for its records: `Account(Name WHERE Rating = 'Hot' LIMIT 5)`.
public struct SOSLObject: Sendable, Hashable {
    /// The object's name, as written.
    public var name: String
    /// The fields; empty for only the ID.
    public var items: [SOQLSelectItem] = []
    /// The text after `USING`, such as `ListView=Recent`.
    public var using: String?
    /// The condition of `WHERE`; nil without one.
    public var condition: SOQLCondition?
    /// The text after `WITH`, such as `NETWORK = '0DB000000000001'`.
    public var with: String?
    /// The keys of `ORDER BY`; empty without the clause.
    public var order: [SOQLSortKey] = []
    /// The maximum number of records of this object.
    public var limit: Int?
    /// The number of its records to skip.
    public var offset: Int?
    /// The position of its name.
    public var position: SOQLPosition

    /// Creates an object that returns the IDs of all its records that match the term.
    public init(_ name: String, at position: SOQLPosition = SOQLPosition()) {
        self.name = name
        self.position = position
    }
}
