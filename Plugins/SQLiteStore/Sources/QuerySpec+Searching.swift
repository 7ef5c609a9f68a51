// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension QuerySpec {
    /// Runs what asks SQLite for this query; what it says of a search text is told in the terms of its author.
    ///
    /// SQLite reads the text of a match query only when the query runs, and calls a fault in it a fault of SQL.
    func searching<T>(_ body: () throws -> T) throws -> T {
        guard case .match(_, let key) = kind else { return try body() }
        do { return try body() } catch let error as SoupError
            where error.code == .sql && error.place == nil && error.hint == nil
        {
            throw SoupError(
                .sql, "the matchKey \(JSONValue.string(key)) is no search expression: \(error.message)",
                place: Place(path: "matchKey"),
                hint: "Words that hold more than letters and digits stand in double quotes: "
                    + "\(Self.searchKey(for: key, lastWordGoesOn: false)); QuerySpec.match(_:_:text:) does that to what users "
                    + "type",
                cause: error)
        }
    }
}
