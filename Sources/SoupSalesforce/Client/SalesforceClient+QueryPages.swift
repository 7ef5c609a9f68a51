// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SalesforceClient {
    /// Calls `body` with each page of a query, with one page in memory at a time.
    ///
    /// - Parameters:
    ///   - paths: the fields that `body` reads from the page.
    ///   - dateField: the field with the time of a record's last change; with it, the call does not fail if records are
    ///     deleted and others are created while it runs. See ``currentCount(of:dateField:unchangedSince:)``.
    /// - Throws: ``SoupError``: `incompleteAnswer` if the pages contain another number of rows than the server
    ///   announced; the errors of `body`; as ``query(_:batchSize:)``. Only if it returns, `body` has received every
    ///   row.
    package func forEachPage(
        of soql: String, projecting paths: [JSONPath] = [], dateField: String? = nil,
        _ body: (QueryPageScan) throws -> Void
    ) async throws {
        try await walkPages(of: soql, projecting: paths, dateField: dateField) { page in
            try body(page)
            return true
        }
    }

    /// Calls `body` with each page of a query, as ``forEachPage(of:projecting:dateField:_:)``, until it returns false.
    ///
    /// After that no page is requested, and the rows are not counted.
    package func walkPages(
        of soql: String, projecting paths: [JSONPath] = [], dateField: String? = nil,
        _ body: (QueryPageScan) throws -> Bool
    ) async throws {
        var count = QueryCount(bounds: QueryBounds(of: soql))
        var followed: Set<String> = []
        var answer = try await query(soql)
        let start = answer.serverTime
        while true {
            let page = try QueryPageScan(answer, projecting: paths)
            guard try body(page) else { return }
            try await self.count(page, of: soql, in: &count, dateField: dateField, unchangedSince: start)
            guard let next = page.next else { return }
            guard followed.insert(next).inserted else {
                throw SoupError(
                    .json, "the pages of the query \(soql.prefix(300)) lead back to an earlier page",
                    hint: SoupError.changedResponsesHint)
            }
            try Task.checkCancellation()
            answer = try await nextPage(next)
        }
    }

    /// Counts a page of a query whose pages are read in one call.
    ///
    /// - Throws: ``SoupError`` with `incompleteAnswer` if the pages contain another number of rows than announced,
    ///   unless the query now finds no more rows than that: rows that were deleted between two pages are correctly
    ///   missing. The last two parameters are those of ``currentCount(of:dateField:unchangedSince:)``.
    package func count(
        _ page: QueryPageScan, of soql: String, in count: inout QueryCount, dateField: String? = nil,
        unchangedSince time: Date? = nil
    ) async throws {
        do {
            try count.add(page, of: "the query \(soql.prefix(300))")
        } catch let error as SoupError where count.mayHaveShrunk {
            guard let now = try await currentCount(of: soql, dateField: dateField, unchangedSince: time),
                now <= count.rows
            else { throw error }
        }
    }

    /// Returns the number of rows that a query finds now, with one request for `count()`.
    ///
    /// - Parameters:
    ///   - dateField: the field with the time of a record's last change; nil to count all rows.
    ///   - time: the server's time when the query began; with both, only rows whose last change is older are counted.
    /// - Returns: nil for a query that cannot be counted this way: one that cannot be parsed, groups rows, or has an
    ///   OFFSET.
    public func currentCount(
        of soql: String, dateField: String? = nil, unchangedSince time: Date? = nil
    ) async throws -> Int? {
        guard let rewriter = try? SOQLRewriter(soql), !rewriter.query.isAggregate, rewriter.query.offset == nil else {
            return nil
        }
        var counting = rewriter.counting
        if let dateField, let time { counting = counting.unchanged(since: time, modificationDateField: dateField) }
        return try QueryPageScan(try await query(counting.text)).totalSize
    }
}
