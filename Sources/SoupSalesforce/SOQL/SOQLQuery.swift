// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A query as a tree.
///
/// Parsing keeps case, parentheses and order as written, and checks only the grammar: the server checks whether objects
/// and fields exist. Printing gives the shortest form; parsing that gives an equal tree.
public struct SOQLQuery: Sendable, Hashable {
    /// The select list, in order; at least one item in a parsed query.
    public var items: [SOQLSelectItem]
    /// The object; in a child query the relationship.
    public var source: SOQLSource
    /// `, c.Account a` after the object: aliases for parents.
    public var joins: [SOQLSource] = []
    /// `USING SCOPE`.
    public var scope: String?
    /// The condition of `WHERE`; nil without one.
    public var condition: SOQLCondition?
    /// The text after `WITH`, such as `SECURITY_ENFORCED`.
    public var with: String?
    /// The position of that text.
    public var withPosition = SOQLPosition()
    /// The keys of `GROUP BY`; nil without one.
    public var grouping: SOQLGrouping?
    /// The condition of `HAVING`; the grammar allows it without a grouping.
    public var having: SOQLCondition?
    /// The keys of `ORDER BY`, the most significant first; empty without the clause.
    public var order: [SOQLSortKey] = []
    /// The maximum number of records; nil if the query has no LIMIT, and 0 is allowed.
    public var limit: Int?
    /// The number of records to skip; nil if the query has no OFFSET.
    public var offset: Int?
    /// `ALL ROWS`: whether deleted records are included.
    public var allRows = false
    /// `FOR VIEW`, `FOR REFERENCE`, `FOR UPDATE`.
    public var purposes: [SOQLPurpose] = []
    /// `UPDATE TRACKING`, `UPDATE VIEWSTAT`.
    public var tracking: [String] = []

    /// Creates a query with a select list and an object; its other clauses are empty and can be set.
    public init(_ items: [SOQLSelectItem], from source: SOQLSource) {
        self.items = items
        self.source = source
    }

    /// Whether its rows are not records, but counts, sums or groups of records.
    public var isAggregate: Bool { grouping != nil || items.contains(where: \.isAggregate) }
}

/// One item of a select list.
public indirect enum SOQLSelectItem: Sendable, Hashable {
    case path(SOQLPath, alias: String?)
    case call(SOQLCall, alias: String?)
    /// `(SELECT … FROM Contacts)`
    case child(SOQLQuery)
    case typeOf(SOQLTypeOf)

    /// Whether it is one value computed from many records: `count(Id)`, `max(Amount)`.
    public var isAggregate: Bool {
        if case .call(let call, _) = self { call.isAggregate } else { false }
    }
}

/// Fields that depend on the object of a record: `TYPEOF What WHEN Account THEN Phone ELSE Name END`.
public struct SOQLTypeOf: Sendable, Hashable {
    /// The relationship that may refer to several objects, such as `What`.
    public var path: SOQLPath
    /// The cases in order; at least one in a parsed query.
    public var branches: [Branch]
    /// The fields for all other objects.
    public var otherwise: [SOQLPath]

    /// The fields for records of one object.
    public struct Branch: Sendable, Hashable {
        /// The object's name, as written.
        public var object: String
        /// The fields, relative to that object.
        public var fields: [SOQLPath]

        /// Creates a case; the names are not checked.
        public init(_ object: String, _ fields: [SOQLPath]) {
            self.object = object
            self.fields = fields
        }
    }

    /// Creates the item; without `otherwise`, records of other objects have no fields.
    public init(_ path: SOQLPath, _ branches: [Branch], otherwise: [SOQLPath] = []) {
        self.path = path
        self.branches = branches
        self.otherwise = otherwise
    }
}

/// The source of the records, and its alias in the query.
public struct SOQLSource: Sendable, Hashable {
    /// The object; in a child query the relationship, in a join the path from another alias, `c.Account`.
    public var path: SOQLPath
    /// The alias in the rest of the query; nil if it has none.
    public var alias: String?

    /// Creates a source; with nil, fields are named without a prefix or with the object's name.
    public init(_ path: SOQLPath, alias: String? = nil) {
        self.path = path
        self.alias = alias
    }
}

/// `GROUP BY`, with or without subtotals.
public struct SOQLGrouping: Sendable, Hashable {
    /// The subtotals of a grouping.
    ///
    /// The raw values are the functions' names in lower case.
    public enum Kind: String, Sendable, Hashable {
        case plain
        case rollup
        case cube
    }

    /// The kind; plain unless the query uses a function for its keys.
    public var kind: Kind
    /// The fields or functions of fields whose equal values form a group, in order.
    public var keys: [SOQLOperand]

    /// Creates a grouping; the kind comes first, as in the text.
    public init(_ kind: Kind = .plain, _ keys: [SOQLOperand]) {
        self.kind = kind
        self.keys = keys
    }
}

/// One key of `ORDER BY`.
public struct SOQLSortKey: Sendable, Hashable {
    /// The two positions of records without a value, named as after `NULLS`.
    public enum Nulls: String, Sendable, Hashable {
        case first
        case last
    }

    /// The field or function to sort by.
    public var key: SOQLOperand
    /// Whether the order is `DESC`; false for `ASC` and for neither.
    public var descending: Bool
    /// The position of records without a value; nil if the query does not define it.
    public var nulls: Nulls?

    /// Creates a key; by default ascending, with the server's position for records without a value.
    public init(_ key: SOQLOperand, descending: Bool = false, nulls: Nulls? = nil) {
        self.key = key
        self.descending = descending
        self.nulls = nulls
    }
}

/// The purpose of reading the records, in addition to the result.
public enum SOQLPurpose: String, Sendable, Hashable {
    case view
    case reference
    case update
}
