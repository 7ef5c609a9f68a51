// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SyncContext {
    /// Calls `body` with each page of a query, one page held at a time.
    ///
    /// - Parameters:
    ///   - paths: the fields that `body` asks the page for.
    ///   - dateField: the field with the time of a record's last change; with it, a run during which records were
    ///     deleted and others created does not fail. See ``currentCount(of:dateField:unchangedSince:)``.
    /// - Throws: ``SoupError``: `incompleteAnswer` when the pages hold another number of rows than the server
    ///   announced; what `body` throws; as ``query(_:batchSize:)``. Only if it returns, `body` has seen every row.
    public func forEachPage(
        of soql: String, projecting paths: [JSONPath] = [], dateField: String? = nil,
        _ body: (QueryPageScan) throws -> Void
    ) async throws {
        var count = QueryCount(bounds: QueryBounds(of: soql))
        var followed: Set<String> = []
        var answer = try await query(soql)
        let start = answer.serverTime
        while true {
            let page = try QueryPageScan(answer, projecting: paths)
            try body(page)
            try await self.count(page, of: soql, in: &count, dateField: dateField, unchangedSince: start)
            guard let next = page.next else { return }
            guard followed.insert(next).inserted else {
                throw SoupError(
                    .json, "the pages of the query \(soql.prefix(300)) lead back to an earlier one",
                    hint: SoupError.changedResponsesHint)
            }
            try Task.checkCancellation()
            answer = try await nextPage(next)
        }
    }

    /// Counts a page of a query that is read in one go.
    ///
    /// - Throws: ``SoupError`` with `incompleteAnswer` when the pages hold another number of rows than announced,
    ///   unless the query finds no more rows by now: rows that were deleted between two pages are missing rightly. The
    ///   last two parameters are those of ``currentCount(of:dateField:unchangedSince:)``.
    public func count(
        _ page: QueryPageScan, of soql: String, in count: inout QueryCount, dateField: String? = nil,
        unchangedSince time: Int64? = nil
    ) async throws {
        do {
            try count.add(page, of: "the query \(soql.prefix(300))")
        } catch let error as SoupError where count.mayHaveShrunk {
            guard let now = try await currentCount(of: soql, dateField: dateField, unchangedSince: time),
                now <= count.rows
            else { throw error }
        }
    }

    /// How many rows a query finds now, by one request for `count()`.
    ///
    /// - Parameters:
    ///   - dateField: the field with the time of a record's last change; nil to count all rows.
    ///   - time: the server's time when the query began; with both, only rows whose last change is older are counted.
    /// - Returns: nil for a query that cannot be counted so: one that cannot be read, groups rows, or has an OFFSET.
    public func currentCount(
        of soql: String, dateField: String? = nil, unchangedSince time: Int64? = nil
    ) async throws -> Int? {
        guard let rewriter = try? SOQLRewriter(soql), !rewriter.query.isAggregate, rewriter.query.offset == nil else {
            return nil
        }
        var counting = rewriter.counting
        if let dateField, let time { counting = counting.unchanged(since: time, modificationDateField: dateField) }
        return try QueryPageScan(try await query(counting.text)).totalSize
    }
}
