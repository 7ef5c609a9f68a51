// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Checks the parts that targets make queries of, before the first request.
public enum SOQLCheck {
    /// A name of an object or of a relationship: letters, digits and underscores.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration`; its place is `path`.
    public static func object(_ name: String, at path: String) throws {
        let isName = name.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F
        }
        guard isName, !name.isEmpty else {
            throw SoupError(
                .badConfiguration, "\"\(name)\" is not the name of an object", place: Place(path: path),
                hint: "Use its API name, such as Account or Visit__c.")
        }
    }

    /// A query for records made of configured parts.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration`; its place is `path`, the part that is to blame.
    @discardableResult
    public static func query(_ soql: String, at path: String) throws -> SOQLRewriter {
        let query: SOQLRewriter
        do {
            query = try SOQLRewriter(soql)
        } catch {
            throw SoupError(
                .badConfiguration, "it does not make a query that can be read: \((error as? SoupError)?.message ?? "")",
                place: Place(path: path), hint: "The query would be: \(soql)", cause: error)
        }
        guard !query.query.isAggregate else {
            throw SoupError(
                .badConfiguration, "it makes a query that counts or groups records, whose rows cannot be saved",
                place: Place(path: path), hint: "The query would be: \(soql)")
        }
        return query
    }
}
