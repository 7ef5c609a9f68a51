// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSalesforce

/// Queries and searches that nest as deep as the parsers allow, on a stack of 256 KiB.
@Suite struct SmallQueryStackTests {
    private static func nested(_ open: String, around middle: String, _ close: String, depth: Int) -> String {
        String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
    }

    /// Conditions, negations, calls and queries in queries.
    private static func queries(depth: Int, inner: Int) -> [String] {
        [
            "SELECT Id FROM A WHERE " + nested("(", around: "B = 1", ")", depth: depth),
            "SELECT Id FROM A WHERE " + nested("NOT ", around: "B = 1", "", depth: depth),
            "SELECT Id FROM A WHERE " + nested("(C = 2 AND ", around: "B = 1", ")", depth: depth),
            "SELECT " + nested("f(", around: "B", ")", depth: depth) + " FROM A",
            "SELECT Id FROM A WHERE " + nested("f(", around: "B", ")", depth: depth) + " = 1",
            "SELECT " + nested("(SELECT ", around: "Id", " FROM A)", depth: inner) + " FROM A",
            nested("SELECT Id FROM A WHERE B IN (", around: "'x'", ")", depth: inner),
        ]
    }

    /// The number of levels that remain inside one query.
    private static let deepest = SOQLParser.maximumDepth - SOQLParser.levelsOfQuery
    private static let queriesInside = deepest / SOQLParser.levelsOfQuery

    @Test(arguments: queries(depth: deepest - 1, inner: queriesInside) + queries(depth: 5, inner: 5))
    func `Queries are parsed, compared, printed and released`(_ text: String) async throws {
        try await SmallStack.run {
            let query = try SOQLQuery(parsing: text)
            let again = try SOQLQuery(parsing: query.description)
            #expect(again.description == query.description)
            #expect(Set([query, query]).count == 1)
            _ = try SOQLRewriter(text)
        }
    }

    @Test(arguments: queries(depth: deepest + 1, inner: queriesInside + 1) + queries(depth: 1000, inner: 1000))
    func `Deeper queries are rejected`(_ text: String) async throws {
        try await SmallStack.run {
            #expect(throws: SoupError.self) { try SOQLQuery(parsing: text) }
            #expect(throws: SoupError.self) { try SOQLRewriter(text) }
        }
    }

    @Test(arguments: [SOQLParser.maximumDepth, SOQLParser.maximumDepth + 1, 1000])
    func `Searches are parsed up to the maximum depth`(_ depth: Int)
        async throws
    {
        try await SmallStack.run {
            let text = "FIND {\(Self.nested("(a AND ", around: "b", ")", depth: depth))} RETURNING Account(Id)"
            guard depth <= SOQLParser.maximumDepth else {
                #expect(throws: SoupError.self) { try SOSLQuery(parsing: text) }
                return
            }
            let query = try SOSLQuery(parsing: text)
            #expect(try SOSLQuery(parsing: query.description).description == query.description)
        }
    }
}
