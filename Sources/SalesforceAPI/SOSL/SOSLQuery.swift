// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A full-text search as a tree.
///
/// ```swift
/// let search = try SOSLQuery(parsing: "FIND {acme} IN NAME FIELDS RETURNING Account(Name LIMIT 5)")
/// ```
///
/// Parsing checks the grammar only; whether objects and fields exist is for the server to say. Printing gives the
/// shortest form; parsing that gives an equal tree.
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

    /// What to look for.
    public var term: SOSLTerm
    /// Where to look; nil when the search does not say, which means all fields.
    public var group: FieldGroup?
    /// The objects whose records are wanted, in order; empty for the server's choice.
    public var returning: [SOSLObject] = []
    /// The texts behind each `WITH`, such as `DIVISION = 'Global'` or `SNIPPET(target_length=120)`.
    public var with: [String] = []
    /// The most records wanted in all; nil when the search does not say.
    public var limit: Int?
    /// `UPDATE TRACKING`, `UPDATE VIEWSTAT`.
    public var tracking: [String] = []

    /// A search for a term in all objects; its other clauses are empty and can be set.
    public init(_ term: SOSLTerm, in group: FieldGroup? = nil) {
        self.term = term
        self.group = group
    }
}

/// One object of a search, and what is wanted of its records: `Account(Name WHERE Rating = 'Hot' LIMIT 5)`.
public struct SOSLObject: Sendable, Hashable {
    /// The object's name, as written.
    public var name: String
    /// The fields; empty for the id alone.
    public var items: [SOQLSelectItem] = []
    /// The text behind `USING`, such as `ListView=Recent`.
    public var using: String?
    /// What stands behind `WHERE`; nil without one.
    public var condition: SOQLCondition?
    /// The text behind `WITH`, such as `NETWORK = '0DB000000000001'`.
    public var with: String?
    /// The keys of `ORDER BY`; empty without the clause.
    public var order: [SOQLSortKey] = []
    /// The most records wanted of this object.
    public var limit: Int?
    /// How many of its records to pass over.
    public var offset: Int?
    /// Where its name begins.
    public var position: SOQLPosition

    /// The ids of all records of an object that have the term.
    public init(_ name: String, at position: SOQLPosition = SOQLPosition()) {
        self.name = name
        self.position = position
    }
}
