// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A query compiled to SQL: one statement that finds the rows, one that reads a page of them, and one for each child
/// query.
struct QueryPlan: Sendable {
    /// A statement with its parameters.
    struct SQL: Sendable {
        var text: String
        var values: [CellValue] = []
    }

    var object: OrgObject
    /// Finds rows: `_row`, in order.
    ///
    /// In a child query: the position of the parent in the page, which is parameter 1, and `_row`.
    var find: SQL
    /// Reads the rows whose numbers are in the JSON array of parameter 1, in its order; column 0 is the ID.
    var read: String
    /// The column of ``read`` with the position in that array.
    var keyColumn: Int
    var items: [OutputItem]
    var children: [Child]
    /// Whether reading the rows counts as viewing or as referencing them.
    var isForView = false
    var isForReference = false

    struct Child: Sendable {
        var plan: QueryPlan
    }
}

/// An item of a row, in the order of the select list.
indirect enum OutputItem: Sendable {
    /// `"Name":` and the column.
    case value(key: [UInt8], type: OrgFieldType, column: Int)
    /// A parent: null if the column of its ID is null. Its object is known, or determined by the prefix of the ID.
    case parent(key: [UInt8], object: OrgObject?, idColumn: Int, items: [OutputItem])
    /// The result of a child query.
    case children(key: [UInt8], index: Int)
    /// A parent with different fields for different objects: null for objects without fields.
    case typeOf(key: [UInt8], idColumn: Int, branches: [String: [OutputItem]], otherwise: [OutputItem]?)
    /// An address or a location, with one column for each part.
    case address(key: [UInt8], parts: [(key: [UInt8], type: OrgFieldType, column: Int)])
}

/// A query that groups: its rows are read by one statement and cannot be paged.
struct AggregatePlan: Sendable {
    var sql: QueryPlan.SQL
    var columns: [(key: [UInt8], type: OrgFieldType)]
}

/// A compiled query.
enum CompiledQuery: Sendable {
    case rows(QueryPlan)
    /// A query that counts rows: `SELECT COUNT() FROM X`.
    case count(QueryPlan.SQL)
    case groups(AggregatePlan)
}

extension OutputItem {
    /// Returns a key with its colon: `"Name":`.
    static func key(_ name: String) -> [UInt8] {
        Array("\"".utf8) + Array(name.utf8) + Array("\":".utf8)
    }
}
