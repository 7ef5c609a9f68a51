// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The cursor of targets that page through a query: the URL of the next page, and what only the first page told.
public struct QueryCursor: Sendable, Hashable {
    /// The path of the next page, as the server gave it.
    public var url: String
    /// The number of records of the whole query.
    public var totalSize: Int?
    /// The server's time when it ran the query, in milliseconds since 1970.
    ///
    /// Later pages show the records whose ids were found then, with the values that they have when the page is read.
    public var serverTime: Int64?

    /// Makes a cursor; one whose URL does not begin with `/` cannot be read back.
    public init(url: String, totalSize: Int?, serverTime: Int64?) {
        self.url = url
        self.totalSize = totalSize
        self.serverTime = serverTime
    }

    /// Reads the text of a cursor.
    ///
    /// - Throws: ``SoupError`` with `cursorExpired` for a text that is no such cursor: start anew.
    public init(_ cursor: PageCursor) throws {
        let parts = cursor.rawValue.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].hasPrefix("/") else {
            throw SoupError(.cursorExpired, "the saved cursor is not one of a query")
        }
        self.init(url: String(parts[2]), totalSize: Int(parts[0]), serverTime: Int64(parts[1]))
    }

    /// The cursor as text, `TOTALSIZE;SERVERTIME;URL`, with nothing in place of a number that is not known.
    public var pageCursor: PageCursor {
        PageCursor("\(totalSize.map { "\($0)" } ?? "");\(serverTime.map { "\($0)" } ?? "");\(url)")
    }
}

extension SyncContext {
    /// One page of a query: its first, or the one that a cursor leads to.
    ///
    /// - Parameter announce: told, while a page behind the first is still arriving, the cursor of the page behind it;
    ///   for ``SyncContext/announceNext``.
    /// - Returns: the answer, and the head of the run that goes with all of its pages.
    public func queryPage(
        after cursor: PageCursor?, of soql: @autoclosure () throws -> String, batchSize: Int,
        announcing announce: @escaping @Sendable (PageCursor) -> Void = { _ in }
    ) async throws -> (answer: HTTPAnswer, head: QueryCursor?) {
        guard let cursor else { return (try await query(try soql(), batchSize: batchSize), nil) }
        let head = try QueryCursor(cursor)
        let answer = try await nextPage(head.url) { beginning in
            guard beginning.isOK, let front = QueryPageHead(beginning.body),
                let next = front.next(answer: beginning, head: head)
            else { return }
            announce(next)
        }
        return (answer, head)
    }
}

extension QueryPageScan {
    /// The page that the engine gets, made of these parts.
    ///
    /// - Parameters:
    ///   - limit: the most records that the target wants, whatever else fits its query.
    ///   - bounds: the LIMIT and the OFFSET of the query that was sent.
    /// - Throws: ``SoupError`` with `incompleteAnswer` when the first page announced another number of rows.
    public func page(
        _ parts: [RecordBatch], answer: HTTPAnswer, head: QueryCursor?, limit: Int? = nil,
        bounds: QueryBounds = QueryBounds()
    ) throws -> Page {
        try QueryPageHead(next: next, totalSize: totalSize)
            .page(parts, answer: answer, head: head, limit: limit, bounds: bounds)
    }
}

/// What an answer to a query tells in front of its records.
struct QueryPageHead {
    var next: String?
    var totalSize: Int?

    init(next: String?, totalSize: Int?) {
        self.next = next
        self.totalSize = totalSize
    }

    /// Nil when the number of rows, and the way on or that this is the last page, do not stand in front of the records:
    /// then all of the answer is to be read.
    init?(_ bytes: [UInt8]) {
        let paths: [JSONPath] = ["nextRecordsUrl", "totalSize", "done"]
        guard let fields = JSONScanner.head(bytes, before: "records", taking: paths) else { return nil }
        func text(_ index: Int) -> JSONText? { JSONText.text(of: fields[index], in: bytes[...]) }
        next = text(0)?.string.flatMap { $0.isEmpty ? nil : $0 }
        totalSize = text(1)?.value.intValue.flatMap { Int(exactly: $0) }
        // Whatever contradicts itself is left to the reader of the whole page.
        guard totalSize != nil, (next != nil) == (fields[2].kind == .false) else { return nil }
        guard next != nil || fields[2].kind == .true else { return nil }
    }

    /// - Throws: ``SoupError`` with `incompleteAnswer` when the first page announced another number of rows.
    func page(
        _ parts: [RecordBatch], answer: HTTPAnswer, head: QueryCursor?, limit: Int?, bounds: QueryBounds
    ) throws -> Page {
        try QueryCount.check(totalSize, announced: head?.totalSize, of: "the query")
        let total = head?.totalSize ?? totalSize
        var page = Page(
            parts: parts, next: next(answer: answer, head: head), totalSize: total,
            serverTime: head?.serverTime ?? answer.serverTime, isLimited: limit.map { total ?? 0 >= $0 } ?? false)
        page.expectedCount = total.map { bounds.rows(of: $0) }
        return page
    }

    /// The cursor of the page behind this one, with what belongs to all pages of the run.
    func next(answer: HTTPAnswer, head: QueryCursor?) -> PageCursor? {
        next.map { url in
            QueryCursor(
                url: url, totalSize: head?.totalSize ?? totalSize, serverTime: head?.serverTime ?? answer.serverTime
            ).pageCursor
        }
    }
}

extension UnreadPage {
    /// A page whose one part is the records of an answer to a query.
    ///
    /// - Parameters:
    ///   - head: what belongs to all pages of the run; nil on the first one.
    ///   - limit: the most records that the target wants, whatever else fits its query.
    ///   - bounds: the LIMIT and the OFFSET of the query that was sent.
    /// - Throws: ``SoupError``: `json` when the answer is not a page, now or when it is read; `incompleteAnswer` when
    ///   it announces another number of rows than the first page.
    public init(
        query answer: HTTPAnswer, head: QueryCursor?, limit: Int? = nil, bounds: QueryBounds = QueryBounds()
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
