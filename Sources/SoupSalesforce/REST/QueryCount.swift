// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The LIMIT and the OFFSET of a query, for checking the number of rows on its pages.
public struct QueryBounds: Sendable, Hashable {
    /// The maximum number of rows; nil without a LIMIT.
    public var limit: Int?
    /// The number of rows skipped at the beginning; nil without an OFFSET.
    public var offset: Int?

    /// Creates bounds; the defaults are those of a query without LIMIT and OFFSET.
    public init(limit: Int? = nil, offset: Int? = nil) {
        self.limit = limit
        self.offset = offset
    }

    /// Reads the bounds of a query; empty for a text that cannot be parsed.
    public init(of soql: String) {
        let query = try? SOQLQuery(parsing: soql)
        self.init(limit: query?.limit, offset: query?.offset)
    }

    /// Returns the possible numbers of rows for a `totalSize`.
    ///
    /// With a LIMIT or an OFFSET this is a range, because the server does not report whether it counted before or after
    /// applying them.
    public func rows(of totalSize: Int) -> ClosedRange<Int> {
        let total = max(0, totalSize)
        return min(max(0, total - max(0, offset ?? 0)), max(0, limit ?? .max))...total
    }
}

/// The number of rows on the pages of one query, compared with the number that the server announced.
///
/// A response counts as complete only if both agree. Otherwise rows that were lost in transit would look like deleted
/// records.
public struct QueryCount: Sendable, Hashable {
    /// The `totalSize` of the first page; nil before it.
    public private(set) var announced: Int?
    /// The rows of all pages so far.
    public private(set) var rows: Int
    /// The pages so far.
    public private(set) var pages: Int
    private let bounds: QueryBounds
    private var isContradictory = false

    /// Starts a count, or resumes one from a saved cursor.
    public init(bounds: QueryBounds = QueryBounds(), announced: Int? = nil, rows: Int = 0, pages: Int = 0) {
        self.bounds = bounds
        self.announced = announced
        self.rows = rows
        self.pages = pages
    }

    /// Counts a page.
    ///
    /// - Throws: ``SoupError`` with `incompleteAnswer` if the page announces another number than the first one, if the
    ///   numbers do not agree after the last page, and as soon as there are more rows than announced. If
    ///   ``mayHaveShrunk`` is true, the caller must find out whether rows were deleted while the pages were read.
    public mutating func add(_ page: QueryPageScan, of what: String) throws {
        do {
            try Self.check(page.totalSize, announced: announced, of: what)
        } catch {
            isContradictory = true
            throw error
        }
        announced = announced ?? page.totalSize
        rows += page.count
        pages += 1
        let expected = bounds.rows(of: announced ?? 0)
        // Each page had at least one row when the query began.
        guard pages <= max(1, expected.upperBound) else {
            isContradictory = true
            throw SoupError(
                .incompleteAnswer,
                "\(what) announced \(expected.upperBound) record(s), and the server has sent \(pages) pages without a last one",
                hint: SoupError.changedResponsesHint)
        }
        if rows > expected.upperBound { throw SoupError.incomplete(what, expected: expected.upperBound, count: rows) }
        if page.next == nil, rows < expected.lowerBound {
            throw SoupError.incomplete(what, expected: expected.lowerBound, count: rows)
        }
    }

    /// Throws if a later page announces another number of rows than the first one; the API repeats it on each page.
    static func check(_ totalSize: Int?, announced: Int?, of what: String) throws {
        guard let totalSize, let announced, totalSize != announced else { return }
        throw SoupError(
            .incompleteAnswer, "\(what): its first page announced \(announced) record(s), a later page \(totalSize)",
            hint: SoupError.changedResponsesHint)
    }

    /// Whether rows can be missing because they were deleted between two pages: there were several pages, and not more
    /// rows than announced.
    public var mayHaveShrunk: Bool { !isContradictory && pages > 1 && rows <= announced ?? 0 }
}

extension QueryCount {
    /// Adds the numbers to an object of a cursor.
    public func write(to json: inout JSONObject) {
        json["announced"] = .int(Int64(announced ?? 0))
        json["rows"] = .int(Int64(rows))
        json["pages"] = .int(Int64(pages))
    }

    /// Reads the numbers that ``write(to:)`` added; nil if they are missing.
    public init?(json: JSONValue) {
        func number(_ key: String) -> Int? { json[key]?.intValue.flatMap { Int(exactly: $0) } }
        guard let announced = number("announced"), let rows = number("rows"), let pages = number("pages") else {
            return nil
        }
        self.init(announced: announced, rows: rows, pages: pages)
    }
}
