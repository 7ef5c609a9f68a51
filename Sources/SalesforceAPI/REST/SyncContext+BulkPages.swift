// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

/// The result of a Bulk 2.0 query job, read at several places side by side.
///
/// A server lists where the pages of a large result begin, five at a time, and how long these are is its own affair:
/// they may not fit into memory. So what is read at each place is asked for in pieces, from the place of one piece to
/// that of the next, until the record comes that the next page begins with.
extension SyncContext {
    /// How many places of a result are read side by side.
    public static let bulkWidth = 5

    /// The next records of the result of a job, which is waited for until it is complete.
    ///
    /// Every page but those of a small result comes from several places: its records, and those of all pages, are in no
    /// order.
    ///
    /// - Parameter size: how many records are fetched, and held, at a time.
    /// - Throws: ``SoupError``: `bulkQueryFailed` for a job that failed, is not done after ``bulkPatience``, or has
    ///   not all that it found; `objectNotFound` and `cursorExpired` for one that is gone, or whose places are;
    ///   `unavailable` from a server that takes no requests for now; `server`, `network`, `json`; `CancellationError`.
    public func bulkPage(at cursor: BulkQueryCursor, of object: String, size: Int) async throws -> Page {
        var place = cursor
        if place.stretches == nil {
            place.found = try await waitForBulkJob(cursor.job)
            place.stretches = []
            let path = "\(apiPath)/jobs/query/\(cursor.job)/result"
            // The places have to be told apart by a record's id, and a small result needs no more than one.
            if cursor.totalSize > size, cursor.kinds["Id"] != nil {
                place.more = path + "Pages"
            } else {
                place.waiting = [path + "s"]
            }
        }
        if place.stretches?.isEmpty != false { try await begin(&place, of: object) }
        let stretches = place.stretches ?? []
        let share = max(1, size / max(1, stretches.count))
        let pieces = try await read(stretches, of: place, object, size: share)
        place.stretches = pieces.rests
        place.read += pieces.batch.count
        try check(pieces.firstIds, of: stretches, place)
        var page = Page(
            pieces.batch, next: place.isOver ? nil : place.pageCursor, totalSize: place.totalSize,
            serverTime: place.serverTime)
        page.isUnfinished = true
        // No `expectedCount`: the number that counts is the one that the job found, and is compared above.
        return page
    }

    /// Refuses answers that are not those of the places that were asked about, and a result that is not the whole.
    private func check(
        _ firstIds: [String], of stretches: [BulkQueryCursor.Stretch], _ place: BulkQueryCursor
    ) throws {
        let urls = stretches.map(\.url) + (place.stretches ?? []).map(\.url)
        guard Set(firstIds).count == firstIds.count, Set(urls).count == urls.count else {
            throw SoupError(.json, "the server gave the same page of a bulk query twice")
        }
        guard place.isOver else { return }
        guard let found = place.found else {
            throw SoupError(.bulkQueryFailed, "the bulk query does not say how many records it found")
        }
        guard found == place.read else {
            throw SoupError(
                .bulkQueryFailed, "the bulk query found \(found) records, and its pages have \(place.read)")
        }
    }

    // MARK: Places

    /// Makes the next stretches of the pages that wait.
    private func begin(_ place: inout BulkQueryCursor, of object: String) async throws {
        // One more than is read, since each ends where the next one begins.
        try await list(&place, atLeast: Self.bulkWidth + 1)
        let urls = Array(place.waiting.prefix(Self.bulkWidth + 1))
        place.waiting.removeFirst(min(urls.count, Self.bulkWidth))
        let kinds = place.kinds
        var first: [String?] = []
        try await sideBySide(Array(urls.dropFirst()), { try await text(at: $0, size: 1) }) { _, text in
            var records = CSVRecords(kinds: kinds, object: (object, ""))
            first.append(try text.add(to: &records).firstId)
        }
        var end = first.count == Self.bulkWidth ? first.last.flatMap { $0 } : nil
        var stretches: [BulkQueryCursor.Stretch] = []
        for (position, url) in urls.prefix(Self.bulkWidth).enumerated().reversed() {
            let start = position == 0 ? nil : first[position - 1]
            // A page that begins with no record has none.
            guard position == 0 || start != nil else { continue }
            stretches.insert(.init(url: url, end: end), at: 0)
            end = start
        }
        place.stretches = stretches
    }

    /// Asks for the places of pages until so many wait, or all do.
    private func list(_ place: inout BulkQueryCursor, atLeast count: Int) async throws {
        while place.waiting.count < count, let url = place.more {
            do {
                let (urls, more) = try await places(at: url)
                guard !urls.isEmpty, more != url else {
                    throw SoupError(.json, "a list of the pages of a bulk query leads nowhere")
                }
                place.waiting += urls
                place.more = more
            } catch let error as SoupError where [.server, .objectNotFound, .json].contains(error.code) {
                // What nobody lists is read from the last place that is known on, or from the beginning.
                log("the pages of a bulk query are not listed, reading one after the other: \(error)")
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
            throw SoupError(.json, "the list of a bulk query's pages is broken")
        }
        let urls = try pages.map { page in
            guard let url = page["resultUrl"]?.stringValue, BulkQueryCursor.isPath(url) else {
                throw SoupError(.json, "the list of a bulk query's pages names one without a path")
            }
            return url
        }
        // The reference names the key both ways.
        let more = list?["nextRecordsUrl"]?.stringValue ?? list?["nextRecordUrl"]?.stringValue
        return (urls, more.flatMap { BulkQueryCursor.isPath($0) && list?["done"] != true ? $0 : nil })
    }

    // MARK: Records

    /// A part of a result, as it came.
    private struct ResultText: Sendable {
        let body: [UInt8]
        /// How many records the server says there are.
        let count: Int?
        /// Where the next ones are; nil when there are none.
        let locator: String?

        func add(to records: inout CSVRecords, until end: String? = nil) throws -> CSVRecords.Piece {
            let piece = try records.add(body, until: end)
            guard piece.count == count else {
                throw SoupError(
                    .json, "a page of the bulk query has \(piece.count) records, and not what its head says")
            }
            return piece
        }
    }

    /// The next records of stretches, the ids that each begins with, and what is left of them.
    private func read(
        _ stretches: [BulkQueryCursor.Stretch], of place: BulkQueryCursor, _ object: String, size: Int
    ) async throws -> (batch: RecordBatch, firstIds: [String], rests: [BulkQueryCursor.Stretch]) {
        var records = CSVRecords(kinds: place.kinds, object: (object, "\(apiPath)/sobjects/\(object)/"))
        var firstIds: [String] = []
        var rests: [BulkQueryCursor.Stretch] = []
        try await sideBySide(stretches, { try await text(at: $0.url, size: size) }) { stretch, text in
            if records.batch.isEmpty { records.reserve(text.body.count * stretches.count) }
            let piece = try text.add(to: &records, until: stretch.end)
            // One that ends with its first record has none that could be another's.
            if let id = piece.firstId, id != stretch.end { firstIds.append(id) }
            guard !piece.isAtEnd, let locator = text.locator else { return }
            rests.append(
                .init(
                    url: "\(apiPath)/jobs/query/\(place.job)/results?locator=\(URLText.query(locator))",
                    end: stretch.end))
        }
        return (records.batch, firstIds, rests)
    }

    /// A part of a result, from a place on.
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

    /// Fetches something for all items at once, and takes each in the order of the items, as soon as those in front of
    /// it were taken.
    private func sideBySide<Item: Sendable, Result: Sendable>(
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
