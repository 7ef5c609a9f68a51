// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The IDs of the rows of one query, on all of its pages: no ID may occur twice.
///
/// A response with repeated rows has the correct number of rows, but other rows are missing.
package struct QueryRowIDs: Sendable {
    private let field: String
    private let isId: Bool
    /// Contains hashes, because a query can have millions of rows.
    private var seen: Set<Int> = []

    /// - Parameter field: the field that the IDs are read from.
    package init(field: String) {
        self.field = field
        isId = field.lowercased() == "id"
    }

    /// Adds the ID of the next row.
    ///
    /// - Returns: the ID.
    /// - Throws: ``SoupError`` with `json` for a repeated ID, and for an `Id` with characters other than ASCII letters
    ///   and digits.
    package mutating func add(_ id: String) throws -> String {
        guard !isId || SalesforceID.hasIDCharacters(id) else {
            throw SoupError(
                .json,
                "a row of the server's page has \"\(id.excerpt(40))\" at \"\(field)\", which is not a record ID",
                hint: SoupError.changedResponsesHint)
        }
        guard seen.insert((isId ? SalesforceID.key(id) : id).hashValue).inserted else {
            throw SoupError(
                .json, "the record \(id) occurs twice on the server's pages", hint: SoupError.changedResponsesHint)
        }
        return id
    }
}
