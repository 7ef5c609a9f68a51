// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A query as a tree.
///
/// Parsing keeps case, parentheses and order as written, and checks only the grammar: the server checks whether objects
/// and fields exist. Printing gives the shortest form; parsing that gives an equal tree.
package struct SOQLQuery: Sendable, Hashable {
    /// The select list, in order; at least one item in a parsed query.
    package var items: [SOQLSelectItem]
    /// The object; in a child query the relationship.
    package var source: SOQLSource
    /// `, c.Account a` after the object: aliases for parents.
    package var joins: [SOQLSource] = []
    /// `USING SCOPE`.
    package var scope: String?
    /// The condition of `WHERE`; nil without one.
    package var condition: SOQLCondition?
    /// The text after `WITH`, such as `SECURITY_ENFORCED`.
    package var with: String?
    /// The position of that text.
    package var withPosition = SOQLPosition()
    /// The keys of `GROUP BY`; nil without one.
    package var grouping: SOQLGrouping?
    /// The condition of `HAVING`; the grammar allows it without a grouping.
    package var having: SOQLCondition?
    /// The keys of `ORDER BY`, the most significant first; empty without the clause.
    package var order: [SOQLSortKey] = []
    /// The maximum number of records; nil if the query has no LIMIT, and 0 is allowed.
    package var limit: Int?
    /// The number of records to skip; nil if the query has no OFFSET.
    package var offset: Int?
    /// `ALL ROWS`: whether deleted records are included.
    package var allRows = false
    /// `FOR VIEW`, `FOR REFERENCE`, `FOR UPDATE`.
    package var purposes: [SOQLPurpose] = []
    /// `UPDATE TRACKING`, `UPDATE VIEWSTAT`.
    package var tracking: [String] = []

    /// Creates a query with a select list and an object; its other clauses are empty and can be set.
    package init(_ items: [SOQLSelectItem], from source: SOQLSource) {
        self.items = items
        self.source = source
    }

    /// Whether its rows are not records, but counts, sums or groups of records.
    package var isAggregate: Bool { grouping != nil || items.contains(where: \.isAggregate) }
}

/// One item of a select list.
package indirect enum SOQLSelectItem: Sendable, Hashable {
    case path(SOQLPath, alias: String?)
    case call(SOQLCall, alias: String?)
    /// `(SELECT … FROM Contacts)`
    case child(SOQLQuery)
    case typeOf(SOQLTypeOf)

    /// Whether it is one value computed from many records: `count(Id)`, `max(Amount)`.
    package var isAggregate: Bool {
        if case .call(let call, _) = self { call.isAggregate } else { false }
    }
}

/// Fields that depend on the object of a record: `TYPEOF What WHEN Account THEN Phone ELSE Name END`.
package struct SOQLTypeOf: Sendable, Hashable {
    /// The relationship that may refer to several objects, such as `What`.
    package var path: SOQLPath
    /// The cases in order; at least one in a parsed query.
    package var branches: [Branch]
    /// The fields for all other objects.
    package var otherwise: [SOQLPath]

    /// The fields for records of one object.
    package struct Branch: Sendable, Hashable {
        /// The object's name, as written.
        package var object: String
        /// The fields, relative to that object.
        package var fields: [SOQLPath]

        /// Creates a case; the names are not checked.
        package init(_ object: String, _ fields: [SOQLPath]) {
            self.object = object
            self.fields = fields
        }
    }

    /// Creates the item; without `otherwise`, records of other objects have no fields.
    package init(_ path: SOQLPath, _ branches: [Branch], otherwise: [SOQLPath] = []) {
        self.path = path
        self.branches = branches
        self.otherwise = otherwise
    }
}

/// The source of the records, and its alias in the query.
package struct SOQLSource: Sendable, Hashable {
    /// The object; in a child query the relationship, in a join the path from another alias, `c.Account`.
    package var path: SOQLPath
    /// The alias in the rest of the query; nil if it has none.
    package var alias: String?

    /// Creates a source; with nil, fields are named without a prefix or with the object's name.
    package init(_ path: SOQLPath, alias: String? = nil) {
        self.path = path
        self.alias = alias
    }
}

/// `GROUP BY`, with or without subtotals.
package struct SOQLGrouping: Sendable, Hashable {
    /// The subtotals of a grouping.
    ///
    /// The raw values are the functions' names in lower case.
    package enum Kind: String, Sendable, Hashable {
        case plain
        case rollup
        case cube
    }

    /// The kind; plain unless the query uses a function for its keys.
    package var kind: Kind
    /// The fields or functions of fields whose equal values form a group, in order.
    package var keys: [SOQLOperand]

    /// Creates a grouping; the kind comes first, as in the text.
    package init(_ kind: Kind = .plain, _ keys: [SOQLOperand]) {
        self.kind = kind
        self.keys = keys
    }
}

/// One key of `ORDER BY`.
package struct SOQLSortKey: Sendable, Hashable {
    /// The two positions of records without a value, named as after `NULLS`.
    package enum Nulls: String, Sendable, Hashable {
        case first
        case last
    }

    /// The field or function to sort by.
    package var key: SOQLOperand
    /// Whether the order is `DESC`; false for `ASC` and for neither.
    package var descending: Bool
    /// The position of records without a value; nil if the query does not define it.
    package var nulls: Nulls?

    /// Creates a key; by default ascending, with the server's position for records without a value.
    package init(_ key: SOQLOperand, descending: Bool = false, nulls: Nulls? = nil) {
        self.key = key
        self.descending = descending
        self.nulls = nulls
    }
}

/// The purpose of reading the records, in addition to the result.
package enum SOQLPurpose: String, Sendable, Hashable {
    case view
    case reference
    case update
}
