// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension QuerySpec {
    /// Runs `body`, which executes this query, and converts SQLite's errors about the search text to errors about the
    /// query.
    ///
    /// SQLite parses the text of a match query only when the query runs, and reports a fault in it as a fault of the
    /// SQL.
    func searching<T>(_ body: () throws -> T) throws -> T {
        guard case .match(_, let key) = kind else { return try body() }
        do { return try body() } catch let error as SoupError
            where error.code == .sql && error.place == nil && error.hint == nil
        {
            throw SoupError(
                .sql, "the matchKey \(JSONValue.string(key)) is not a search expression: \(error.message)",
                place: SoupError.Place(path: "matchKey"),
                hint: "Put words with other characters than letters and digits in double quotes: "
                    + "\(Self.searchKey(for: key, lastWordIsPrefix: false)). For user input, use "
                    + "QuerySpec.match(_:_:text:).",
                cause: error)
        }
    }
}
