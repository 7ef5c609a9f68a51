// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSalesforce

/// Queries and searches that nest as deep as the parsers allow, on a stack of 256 KiB.
@Suite struct SmallQueryStackTests {
    private static func nested(_ open: String, _ middle: String, _ close: String, _ depth: Int) -> String {
        String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
    }

    /// Conditions, negations, calls and queries in queries.
    private static func queries(depth: Int, inner: Int) -> [String] {
        [
            "SELECT Id FROM A WHERE " + nested("(", "B = 1", ")", depth),
            "SELECT Id FROM A WHERE " + nested("NOT ", "B = 1", "", depth),
            "SELECT Id FROM A WHERE " + nested("(C = 2 AND ", "B = 1", ")", depth),
            "SELECT " + nested("f(", "B", ")", depth) + " FROM A",
            "SELECT Id FROM A WHERE " + nested("f(", "B", ")", depth) + " = 1",
            "SELECT " + nested("(SELECT ", "Id", " FROM A)", inner) + " FROM A",
            nested("SELECT Id FROM A WHERE B IN (", "'x'", ")", inner),
        ]
    }

    /// What one query leaves of the levels.
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
    func `Deeper queries are refused`(_ text: String) async throws {
        try await SmallStack.run {
            #expect(throws: SoupError.self) { try SOQLQuery(parsing: text) }
            #expect(throws: SoupError.self) { try SOQLRewriter(text) }
        }
    }

    @Test(arguments: [SOQLParser.maximumDepth, SOQLParser.maximumDepth + 1, 1000]) func `Searches`(_ depth: Int)
        async throws
    {
        try await SmallStack.run {
            let text = "FIND {\(Self.nested("(a AND ", "b", ")", depth))} RETURNING Account(Id)"
            guard depth <= SOQLParser.maximumDepth else {
                #expect(throws: SoupError.self) { try SOSLQuery(parsing: text) }
                return
            }
            let query = try SOSLQuery(parsing: text)
            #expect(try SOSLQuery(parsing: query.description).description == query.description)
        }
    }
}
