// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The cursor of targets that page through a query: the URL of the next page, and data of the first page.
package struct QueryPageCursor: Sendable, Hashable {
    /// The path of the next page, as the server returned it.
    package var url: String
    /// The number of records of the whole query.
    package var totalSize: Int?
    /// The server's time when it ran the query.
    ///
    /// Later pages contain the records that the query found at that time, with their values at the time of the page.
    package var serverTime: Date?

    /// Creates a cursor; one whose URL does not begin with `/` cannot be read back.
    package init(url: String, totalSize: Int?, serverTime: Date?) {
        self.url = url
        self.totalSize = totalSize
        self.serverTime = serverTime
    }

    /// Reads the text of a cursor.
    ///
    /// - Throws: ``SoupError`` with `cursorExpired` for any other text: start again from the beginning.
    package init(_ cursor: PageCursor) throws {
        let levels = cursor.rawValue.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false)
        guard levels.count == 3, levels[2].hasPrefix("/") else {
            throw SoupError(.cursorExpired, "the saved cursor is not a cursor of a query")
        }
        self.init(
            url: String(levels[2]), totalSize: Int(levels[0]),
            serverTime: Int64(levels[1]).map { Date(millisecondsSince1970: $0) })
    }

    /// The cursor as text, `TOTALSIZE;SERVERTIME;URL`, with an empty text for an unknown number.
    package var pageCursor: PageCursor {
        let time = serverTime.map { "\($0.millisecondsSince1970)" } ?? ""
        return PageCursor("\(totalSize.map { "\($0)" } ?? "");\(time);\(url)")
    }
}

extension QueryPageScan {
    /// Returns the page for the engine, with these levels.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of records that the target needs.
    ///   - bounds: the LIMIT and the OFFSET of the query that was sent.
    /// - Throws: ``SoupError`` with `incompleteAnswer` if the first page announced another number of rows.
    package func page(
        _ levels: [RecordBatch], answer: HTTPAnswer, head: QueryPageCursor?, limit: Int? = nil,
        bounds: QueryBounds = QueryBounds()
    ) throws -> RecordPage {
        try QueryPageHead(next: next, totalSize: totalSize)
            .page(levels, answer: answer, head: head, limit: limit, bounds: bounds)
    }
}

/// The members of a query response that precede its records.
struct QueryPageHead {
    var next: String?
    var totalSize: Int?

    init(next: String?, totalSize: Int?) {
        self.next = next
        self.totalSize = totalSize
    }

    /// Returns nil unless the number of rows, and either the next URL or the end of the result, precede the records;
    /// the caller then has to read the whole response.
    init?(_ bytes: [UInt8]) {
        let paths: [JSONPath] = ["nextRecordsUrl", "totalSize", "done"]
        guard let fields = JSONScanner.head(bytes, before: "records", taking: paths) else { return nil }
        func text(_ index: Int) -> JSONText? { JSONText.text(of: fields[index], in: bytes[...]) }
        next = text(0)?.string.flatMap { $0.isEmpty ? nil : $0 }
        totalSize = text(1)?.value.intValue.flatMap { Int(exactly: $0) }
        // Contradictions are reported when the whole page is read.
        guard totalSize != nil, (next != nil) == (fields[2].kind == .false) else { return nil }
        guard next != nil || fields[2].kind == .true else { return nil }
    }

    /// - Throws: ``SoupError`` with `incompleteAnswer` if the first page announced another number of rows.
    func page(
        _ levels: [RecordBatch], answer: HTTPAnswer, head: QueryPageCursor?, limit: Int?, bounds: QueryBounds
    ) throws -> RecordPage {
        try QueryCount.check(totalSize, announced: head?.totalSize, of: "the query")
        let total = head?.totalSize ?? totalSize
        var page = RecordPage(
            levels: levels, next: next(answer: answer, head: head), totalSize: total,
            serverTime: head?.serverTime ?? answer.serverTime, isLimited: limit.map { total ?? 0 >= $0 } ?? false)
        page.expectedCount = total.map { bounds.rows(of: $0) }
        return page
    }

    /// Returns the cursor of the next page, with the data that applies to all pages of the run.
    func next(answer: HTTPAnswer, head: QueryPageCursor?) -> PageCursor? {
        next.map { url in
            QueryPageCursor(
                url: url, totalSize: head?.totalSize ?? totalSize, serverTime: head?.serverTime ?? answer.serverTime
            ).pageCursor
        }
    }
}

extension UnreadPage {
    /// Creates a page whose only level is the records of a query response.
    ///
    /// - Parameters:
    ///   - head: the data that applies to all pages of the run; nil on the first one.
    ///   - limit: the maximum number of records that the target needs.
    ///   - bounds: the LIMIT and the OFFSET of the query that was sent.
    /// - Throws: ``SoupError``: `json` if the response is not a page, now or when it is read; `incompleteAnswer` if it
    ///   announces another number of rows than the first page.
    package init(
        query answer: HTTPAnswer, head: QueryPageCursor?, limit: Int? = nil, bounds: QueryBounds = QueryBounds()
    ) throws {
        guard let front = QueryPageHead(answer.body) else {
            let scan = try QueryPageScan(answer)
            self.init(try scan.page([scan.batch()], answer: answer, head: head, limit: limit, bounds: bounds))
            return
        }
        self.init(head: try front.page([], answer: answer, head: head, limit: limit, bounds: bounds)) {
            [try QueryPageScan(answer).batch()]
        }
    }
}
