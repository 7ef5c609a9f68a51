// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A query as a tree.
///
/// Parsing keeps what authors wrote (case, parentheses, order) and checks the grammar only: whether objects and fields
/// exist is for the server to say. Printing gives the shortest form; parsing that gives an equal tree.
public struct SOQLQuery: Sendable, Hashable {
    /// The select list, in order; at least one item in a parsed query.
    public var items: [SOQLSelectItem]
    /// The object; in a child query the relationship.
    public var source: SOQLSource
    /// `, c.Account a` behind the object: names for parents.
    public var joins: [SOQLSource] = []
    /// `USING SCOPE`.
    public var scope: String?
    /// What stands behind `WHERE`; nil without one.
    public var condition: SOQLCondition?
    /// The text behind `WITH`, such as `SECURITY_ENFORCED`.
    public var with: String?
    /// Where that text begins.
    public var withPosition = SOQLPosition()
    /// What stands behind `GROUP BY`; nil without one.
    public var grouping: SOQLGrouping?
    /// What stands behind `HAVING`; the grammar allows it without a grouping.
    public var having: SOQLCondition?
    /// The keys of `ORDER BY`, the first one deciding first; empty without the clause.
    public var order: [SOQLSortKey] = []
    /// The most records wanted; nil when the query does not say, and 0 is allowed.
    public var limit: Int?
    /// How many records to pass over; nil when the query does not say.
    public var offset: Int?
    /// `ALL ROWS`: deleted records too.
    public var allRows = false
    /// `FOR VIEW`, `FOR REFERENCE`, `FOR UPDATE`.
    public var purposes: [SOQLPurpose] = []
    /// `UPDATE TRACKING`, `UPDATE VIEWSTAT`.
    public var tracking: [String] = []

    /// A query with a select list and an object; its other clauses are empty and can be set.
    public init(_ items: [SOQLSelectItem], from source: SOQLSource) {
        self.items = items
        self.source = source
    }

    /// Whether its rows are not records, but counts, sums or groups of them.
    public var isAggregate: Bool { grouping != nil || items.contains(where: \.isAggregate) }
}

/// One item of a select list.
public indirect enum SOQLSelectItem: Sendable, Hashable {
    case path(SOQLPath, alias: String?)
    case call(SOQLCall, alias: String?)
    /// `(SELECT … FROM Contacts)`
    case child(SOQLQuery)
    case typeOf(SOQLTypeOf)

    /// Whether it is one value of many records: `count(Id)`, `max(Amount)`.
    public var isAggregate: Bool {
        if case .call(let call, _) = self { call.isAggregate } else { false }
    }
}

/// Fields that depend on the object a record is of: `TYPEOF What WHEN Account THEN Phone ELSE Name END`.
public struct SOQLTypeOf: Sendable, Hashable {
    /// The relationship that may lead to several objects, such as `What`.
    public var path: SOQLPath
    /// The cases in order; at least one in a parsed query.
    public var branches: [Branch]
    /// The fields for all other objects.
    public var otherwise: [SOQLPath]

    /// The fields to take when the record is of one object.
    public struct Branch: Sendable, Hashable {
        /// The object's name, as written.
        public var object: String
        /// The fields, seen from that object.
        public var fields: [SOQLPath]

        /// Makes a case; the names are not checked.
        public init(_ object: String, _ fields: [SOQLPath]) {
            self.object = object
            self.fields = fields
        }
    }

    /// Makes the item; without `otherwise`, records of other objects have no fields.
    public init(_ path: SOQLPath, _ branches: [Branch], otherwise: [SOQLPath] = []) {
        self.path = path
        self.branches = branches
        self.otherwise = otherwise
    }
}

/// Where records come from, and the name that the query gives it.
public struct SOQLSource: Sendable, Hashable {
    /// The object; in a child query the relationship, in a join the way there from another name, `c.Account`.
    public var path: SOQLPath
    /// The name for it in the rest of the query; nil when it has none of its own.
    public var alias: String?

    /// Makes a source; nil means that fields are named without a prefix or with the object's name.
    public init(_ path: SOQLPath, alias: String? = nil) {
        self.path = path
        self.alias = alias
    }
}

/// `GROUP BY`, plainly or with subtotals.
public struct SOQLGrouping: Sendable, Hashable {
    /// Which subtotals come with the groups.
    ///
    /// The raw values are the functions' names in lower case.
    public enum Kind: String, Sendable, Hashable {
        case plain
        case rollup
        case cube
    }

    /// Plain unless the query names a function for its keys.
    public var kind: Kind
    /// The fields or functions of fields whose equal values make a group, in order.
    public var keys: [SOQLOperand]

    /// Makes a grouping; the kind comes first, as in the text.
    public init(_ kind: Kind = .plain, _ keys: [SOQLOperand]) {
        self.kind = kind
        self.keys = keys
    }
}

/// One key of `ORDER BY`.
public struct SOQLSortKey: Sendable, Hashable {
    /// The two places for records without a value, named as behind `NULLS`.
    public enum Nulls: String, Sendable, Hashable {
        case first
        case last
    }

    /// The field or function to sort by.
    public var key: SOQLOperand
    /// Whether the order is `DESC`; false for `ASC` and for neither.
    public var descending: Bool
    /// Where records without a value go; nil when the query does not say.
    public var nulls: Nulls?

    /// Makes a key that sorts upwards and leaves records without a value to the server, unless told otherwise.
    public init(_ key: SOQLOperand, descending: Bool = false, nulls: Nulls? = nil) {
        self.key = key
        self.descending = descending
        self.nulls = nulls
    }
}

/// What the records are read for, beside reading them.
public enum SOQLPurpose: String, Sendable, Hashable {
    case view
    case reference
    case update
}
