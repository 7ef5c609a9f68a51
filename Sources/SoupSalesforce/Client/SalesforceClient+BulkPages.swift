// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import SoupCore

/// Reads the result of a Bulk 2.0 query job at several places in parallel.
///
/// A server lists the first five pages of a large result, and then five at a time. It also chooses their sizes, which
/// may not fit into memory. So each page is fetched in pieces, each starting where the previous one ended, until the
/// first record of the next page appears.
extension SalesforceClient {
    /// The number of places of a result that are read in parallel.
    package static let bulkConcurrency = 5

    /// Returns the next records of a job's result, after waiting until the job is complete.
    ///
    /// Except for small results, every page combines records from several places, so the records have no order, neither
    /// on a page nor across pages.
    ///
    /// - Parameter size: the number of records that are fetched, and held in memory, at a time.
    /// - Throws: ``SoupError``: `bulkQueryFailed` for a job that failed, is not done after ``bulkTimeout``, or returns
    ///   fewer records than it found; `objectNotFound` and `cursorExpired` if the job or its places no longer exist;
    ///   `unavailable` from a server that currently accepts no requests; `server`, `network`, `json`;
    ///   `CancellationError`.
    package func bulkPage(at cursor: BulkQueryCursor, of object: String, size: Int) async throws -> RecordPage {
        var place = cursor
        if place.segments == nil {
            place.found = try await waitForBulkJob(cursor.job)
            place.segments = []
            let path = "\(apiPath)/jobs/query/\(cursor.job)/result"
            // Several places are distinguished by record IDs; a small result needs only one place.
            if cursor.totalSize > size, cursor.kinds["Id"] != nil {
                place.more = path + "Pages"
            } else {
                place.waiting = [path + "s"]
            }
        }
        if place.segments?.isEmpty != false { try await begin(&place, of: object) }
        let segments = place.segments ?? []
        let share = max(1, size / max(1, segments.count))
        let pieces = try await read(segments, of: place, object, size: share)
        place.segments = pieces.rests
        place.read += pieces.batch.count
        try check(pieces.firstIds, of: segments, place)
        var page = RecordPage(
            pieces.batch, next: place.isOver ? nil : place.pageCursor, totalSize: place.totalSize,
            serverTime: place.serverTime)
        page.isUnfinished = true
        // No `expectedCount`: the number that the job reports applies, and it is compared above.
        return page
    }

    /// Throws if a response belongs to another place, or if the result is incomplete.
    private func check(
        _ firstIds: [String], of segments: [BulkQueryCursor.Segment], _ place: BulkQueryCursor
    ) throws {
        let urls = segments.map(\.url) + (place.segments ?? []).map(\.url)
        guard Set(firstIds).count == firstIds.count, Set(urls).count == urls.count else {
            throw SoupError(.json, "the server returned the same page of a bulk query twice")
        }
        guard place.isOver else { return }
        guard let found = place.found else {
            throw SoupError(.bulkQueryFailed, "the bulk query job does not report how many records it found")
        }
        guard found == place.read else {
            throw SoupError(
                .bulkQueryFailed, "the bulk query found \(found) records, and its pages have \(place.read)")
        }
    }

    // MARK: Places

    /// Creates the next segments from the waiting pages.
    private func begin(_ place: inout BulkQueryCursor, of object: String) async throws {
        // One more than is read, because each segment ends where the next one begins.
        try await list(&place, atLeast: Self.bulkConcurrency + 1)
        let urls = Array(place.waiting.prefix(Self.bulkConcurrency + 1))
        place.waiting.removeFirst(min(urls.count, Self.bulkConcurrency))
        let kinds = place.kinds
        var first: [String?] = []
        try await inParallel(Array(urls.dropFirst()), { try await text(at: $0, size: 1) }) { _, text in
            var records = CSVRecords(kinds: kinds, object: (object, ""))
            first.append(try text.add(to: &records).firstId)
        }
        var end = first.count == Self.bulkConcurrency ? first.last.flatMap { $0 } : nil
        var segments: [BulkQueryCursor.Segment] = []
        for (position, url) in urls.prefix(Self.bulkConcurrency).enumerated().reversed() {
            let start = position == 0 ? nil : first[position - 1]
            // A page without a first record is empty.
            guard position == 0 || start != nil else { continue }
            segments.insert(.init(url: url, end: end), at: 0)
            end = start
        }
        place.segments = segments
    }

    /// Requests page lists until enough pages are waiting, or there are no more.
    private func list(_ place: inout BulkQueryCursor, atLeast count: Int) async throws {
        while place.waiting.count < count, let url = place.more {
            do {
                let (urls, more) = try await places(at: url)
                guard !urls.isEmpty, more != url else {
                    throw SoupError(.json, "a list of the pages of a bulk query is empty or refers to itself")
                }
                place.waiting += urls
                place.more = more
            } catch let error as SoupError where [.server, .objectNotFound, .json].contains(error.code) {
                // If the server returns no list, the rest is read from the last known place, or from the beginning.
                context.log(
                    "the server does not list the pages of a bulk query; reading them one after the other: \(error)")
                place.more = nil
                if place.waiting.isEmpty { place.waiting = ["\(apiPath)/jobs/query/\(place.job)/results"] }
            }
        }
    }

    private func places(at url: String) async throws -> (urls: [String], more: String?) {
        let answer = try await send(.get, url)
        guard answer.status == 200 else { throw answer.salesforceFailure(of: "the list of a bulk query's pages") }
        let list = try? JSONValue(parsing: answer.body)
        guard let pages = list?["resultPages"]?.arrayValue else {
            throw SoupError(.json, "the list of a bulk query's pages cannot be read")
        }
        let urls = try pages.map { page in
            guard let url = page["resultUrl"]?.stringValue, BulkQueryCursor.isPath(url) else {
                throw SoupError(.json, "the list of a bulk query's pages contains a page without a path")
            }
            return url
        }
        // The Salesforce reference uses both spellings of the key.
        let more = list?["nextRecordsUrl"]?.stringValue ?? list?["nextRecordUrl"]?.stringValue
        return (urls, more.flatMap { BulkQueryCursor.isPath($0) && list?["done"] != true ? $0 : nil })
    }

    // MARK: Records

    /// A part of a result, as received.
    private struct ResultText: Sendable {
        let body: [UInt8]
        /// The number of records that the server reports.
        let count: Int?
        /// The locator of the next records; nil if there are none.
        let locator: String?

        func add(to records: inout CSVRecords, until end: String? = nil) throws -> CSVRecords.Piece {
            let piece = try records.add(body, until: end)
            guard piece.count == count else {
                throw SoupError(
                    .json, "a page of the bulk query has \(piece.count) records, and its header reports another number")
            }
            return piece
        }
    }

    /// Returns the next records of segments, the ID that each begins with, and the rest of the segments.
    private func read(
        _ segments: [BulkQueryCursor.Segment], of place: BulkQueryCursor, _ object: String, size: Int
    ) async throws -> (batch: RecordBatch, firstIds: [String], rests: [BulkQueryCursor.Segment]) {
        var records = CSVRecords(kinds: place.kinds, object: (object, "\(apiPath)/sobjects/\(object)/"))
        var firstIds: [String] = []
        var rests: [BulkQueryCursor.Segment] = []
        try await inParallel(segments, { try await text(at: $0.url, size: size) }) { segment, text in
            if records.batch.isEmpty { records.reserve(text.body.count * segments.count) }
            let piece = try text.add(to: &records, until: segment.end)
            // A piece that ends at its first record has no record that could belong to another place.
            if let id = piece.firstId, id != segment.end { firstIds.append(id) }
            guard !piece.isAtEnd, let locator = text.locator else { return }
            rests.append(
                .init(
                    url: "\(apiPath)/jobs/query/\(place.job)/results?locator=\(URLText.query(locator))",
                    end: segment.end))
        }
        return (records.batch, firstIds, rests)
    }

    /// Fetches a part of a result, starting at a place.
    private func text(at url: String, size: Int) async throws -> ResultText {
        var headers = HTTPFields()
        headers[.accept] = "text/csv"
        let mark = url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let answer = try await send(.get, "\(url)\(mark)maxRecords=\(size)", headers: headers)
        guard answer.status == 200 else { throw answer.salesforceFailure(of: "the result of a bulk query") }
        func head(_ name: String) -> String? { HTTPField.Name(name).flatMap { answer.response.headerFields[$0] } }
        let locator = head("Sforce-Locator")
        return ResultText(
            body: answer.body, count: head("Sforce-NumberOfRecords").flatMap { Int($0) },
            locator: locator == "null" || locator == "" ? nil : locator)
    }

    /// Fetches for all items in parallel, and passes each result to `take` in the order of the items, as soon as the
    /// results before it were passed.
    private func inParallel<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ fetch: @escaping @Sendable (Item) async throws -> Result,
        take: (Item, Result) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup { group in
            for (position, item) in items.enumerated() {
                group.addTask { (position, try await fetch(item)) }
            }
            var waiting: [Int: Result] = [:]
            var taken = 0
            for try await (position, result) in group {
                waiting[position] = result
                while let next = waiting.removeValue(forKey: taken) {
                    try take(items[taken], next)
                    taken += 1
                }
            }
        }
    }
}
