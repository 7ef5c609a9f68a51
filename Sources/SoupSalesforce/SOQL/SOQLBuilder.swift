// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A builder of a query from the texts of its clauses.
///
/// ```swift
/// var query = SOQLBuilder(fields: ["Id", "Name"], from: "Account")
/// query.condition = "Name = \(SOQLLiteral.string(name))"
/// let text = try query.build()
/// ```
///
/// The texts are inserted unchanged: escape user input with ``SOQLLiteral``. Empty texts, and numbers that are not
/// above 0, omit their clause.
public struct SOQLBuilder: Sendable, Hashable {
    /// The select list, separated by commas.
    public var fields: String
    /// The object, with an optional alias.
    public var from: String
    /// The condition of `where`.
    public var condition = ""
    /// The keys of `group by`.
    public var groupBy = ""
    /// The condition of `having`; it is not checked that there is a grouping.
    public var having = ""
    /// The keys of `order by`, such as `Name desc, Id`.
    public var orderBy = ""
    /// The maximum number of records.
    public var limit = 0
    /// The number of records to skip.
    public var offset = 0

    /// Starts a query with a select list in one text.
    public init(fields: String, from: String) {
        self.fields = fields
        self.from = from
    }

    /// Starts a query with fields, which are joined by commas.
    public init(fields: [String], from: String) {
        self.init(fields: fields.joined(separator: ", "), from: from)
    }

    /// Returns the query.
    ///
    /// - Throws: ``SoupError`` with `soql` if there are no fields or no object.
    public func build() throws -> String {
        guard !fields.isEmpty else {
            throw SoupError(.soql, "no field is selected", hint: "Pass at least one field, such as Id.")
        }
        guard !from.isEmpty else {
            throw SoupError(.soql, "no object is specified", hint: "Pass the object as `from`, such as Contact.")
        }
        return "select \(fields) from \(from)" + clause("where", condition) + clause("group by", groupBy)
            + clause("having", having) + clause("order by", orderBy) + clause("limit", limit > 0 ? "\(limit)" : "")
            + clause("offset", offset > 0 ? "\(offset)" : "")
    }

    /// Returns the path and query of the request that runs the query.
    ///
    /// - Parameter apiPath: such as `/services/data/v66.0`.
    /// - Throws: as ``build()``.
    public func path(under apiPath: String, percentEncoded: Bool = true) throws -> String {
        let slash = apiPath.isEmpty || apiPath.hasSuffix("/") ? "" : "/"
        let query = try build()
        return "\(apiPath)\(slash)query/?q=" + (percentEncoded ? URLText.form(query) : query)
    }

    private func clause(_ keyword: String, _ text: String) -> String { text.isEmpty ? "" : " \(keyword) \(text)" }
}
