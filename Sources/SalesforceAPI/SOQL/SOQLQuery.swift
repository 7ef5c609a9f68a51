// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A query as a tree.
///
/// Parsing keeps what authors wrote (case, parentheses, order) and checks the grammar only: whether objects and fields
/// exist is for the server to say. Printing gives the shortest form; parsing that gives an equal tree.
public struct SOQLQuery: Sendable, Hashable {
    public var items: [SOQLSelectItem]
    /// The object; in a child query the relationship.
    public var source: SOQLSource
    /// `, c.Account a` behind the object: names for parents.
    public var joins: [SOQLSource] = []
    /// `USING SCOPE`.
    public var scope: String?
    public var condition: SOQLCondition?
    /// The text behind `WITH`, such as `SECURITY_ENFORCED`.
    public var with: String?
    public var grouping: SOQLGrouping?
    public var having: SOQLCondition?
    public var order: [SOQLSortKey] = []
    public var limit: Int?
    public var offset: Int?
    /// `ALL ROWS`: deleted records too.
    public var allRows = false
    /// `FOR VIEW`, `FOR REFERENCE`, `FOR UPDATE`.
    public var purposes: [SOQLPurpose] = []
    /// `UPDATE TRACKING`, `UPDATE VIEWSTAT`.
    public var tracking: [String] = []

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
    public var path: SOQLPath
    public var branches: [Branch]
    /// The fields for all other objects.
    public var otherwise: [SOQLPath]

    /// The fields to take when the record is of one object.
    public struct Branch: Sendable, Hashable {
        public var object: String
        public var fields: [SOQLPath]

        public init(_ object: String, _ fields: [SOQLPath]) {
            self.object = object
            self.fields = fields
        }
    }

    public init(_ path: SOQLPath, _ branches: [Branch], otherwise: [SOQLPath] = []) {
        self.path = path
        self.branches = branches
        self.otherwise = otherwise
    }
}

/// Where records come from, and the name that the query gives it.
public struct SOQLSource: Sendable, Hashable {
    public var path: SOQLPath
    public var alias: String?

    public init(_ path: SOQLPath, alias: String? = nil) {
        self.path = path
        self.alias = alias
    }
}

/// `GROUP BY`, plainly or with subtotals.
public struct SOQLGrouping: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case plain
        case rollup
        case cube
    }

    public var kind: Kind
    public var keys: [SOQLOperand]

    public init(_ kind: Kind = .plain, _ keys: [SOQLOperand]) {
        self.kind = kind
        self.keys = keys
    }
}

/// One key of `ORDER BY`.
public struct SOQLSortKey: Sendable, Hashable {
    public enum Nulls: String, Sendable, Hashable {
        case first
        case last
    }

    public var key: SOQLOperand
    public var descending: Bool
    /// Where records without a value go; nil when the query does not say.
    public var nulls: Nulls?

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
