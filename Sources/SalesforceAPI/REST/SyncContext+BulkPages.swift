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
    /// - Throws: ``SoupError``: `server` for a job that failed, is gone, or is not done after ``bulkPatience``;
    ///   `network`, `json`; `CancellationError`.
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
        let (job, kinds) = (place.job, place.kinds)
        let pieces = try await sideBySide(stretches) { stretch in
            try await piece(of: stretch, job: job, kinds: kinds, of: object, size: share)
        }
        place.stretches = pieces.compactMap(\.rest)
        place.read += pieces.reduce(0) { $0 + $1.batch.count }
        try check(pieces, of: stretches, place)
        var page = Page(
            RecordBatch(joining: pieces.map(\.batch)), next: place.isOver ? nil : place.pageCursor,
            totalSize: place.totalSize, serverTime: place.serverTime)
        page.isUnfinished = true
        return page
    }

    /// Refuses answers that are not those of the places that were asked about, and a result that is not the whole.
    private func check(
        _ pieces: [(batch: RecordBatch, rest: BulkQueryCursor.Stretch?)], of stretches: [BulkQueryCursor.Stretch],
        _ place: BulkQueryCursor
    ) throws {
        let first = pieces.compactMap { $0.batch.id(of: 0) }
        let urls = stretches.map(\.url) + pieces.compactMap(\.rest?.url)
        guard Set(first).count == first.count, Set(urls).count == urls.count else {
            throw SoupError(.json, "the server gave the same page of a bulk query twice")
        }
        if place.isOver, let found = place.found, found != place.read {
            throw SoupError(.json, "the bulk query found \(found) records, and its pages have \(place.read)")
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
        let first = try await sideBySide(Array(urls.dropFirst())) { url in
            try await records(at: url, size: 1, kinds: kinds, of: object).batch.id(of: 0)
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

    /// The next records of a stretch, and what is left of it.
    private func piece(
        of stretch: BulkQueryCursor.Stretch, job: String, kinds: [String: CSVRecords.Kind], of object: String, size: Int
    ) async throws -> (batch: RecordBatch, rest: BulkQueryCursor.Stretch?) {
        let (batch, locator) = try await records(at: stretch.url, size: size, kinds: kinds, of: object)
        if let end = stretch.end, let index = batch.firstIndex(ofId: end) {
            return (batch.filter { $0 < index }, nil)
        }
        let rest = locator.map { locator in
            BulkQueryCursor.Stretch(
                url: "\(apiPath)/jobs/query/\(job)/results?locator=\(URLText.query(locator))", end: stretch.end)
        }
        return (batch, rest)
    }

    /// Records of a result from a place on, and where the next ones are; nil when there are none.
    private func records(
        at url: String, size: Int, kinds: [String: CSVRecords.Kind], of object: String
    ) async throws -> (batch: RecordBatch, locator: String?) {
        var headers = HTTPFields()
        headers[.accept] = "text/csv"
        let mark = url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let answer = try await send(.get, "\(url)\(mark)maxRecords=\(size)", headers: headers)
        guard answer.status == 200 else { throw answer.salesforceFailure(of: "the result of a bulk query") }
        let batch = try CSVRecords.batch(
            answer.body, kinds: kinds, object: (object, "\(apiPath)/sobjects/\(object)/"))
        guard let told = HTTPField.Name("Sforce-NumberOfRecords").flatMap({ answer.response.headerFields[$0] }),
            Int(told) == batch.count
        else {
            throw SoupError(.json, "a page of the bulk query has \(batch.count) records, and not what its head says")
        }
        let locator = HTTPField.Name("Sforce-Locator").flatMap { answer.response.headerFields[$0] }
        return (batch, locator == "null" || locator == "" ? nil : locator)
    }

    /// Does the same for all items at once; the results are in the order of the items.
    private func sideBySide<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup { group in
            for (position, item) in items.enumerated() {
                group.addTask { (position, try await body(item)) }
            }
            var results = [Result?](repeating: nil, count: items.count)
            for try await (position, result) in group { results[position] = result }
            return results.compactMap { $0 }
        }
    }
}

extension RecordBatch {
    private static let idProjection = JSONProjection(["Id"])

    /// The records of several batches, one batch behind the other.
    fileprivate init(joining batches: [RecordBatch]) {
        guard batches.count != 1 else {
            self = batches[0]
            return
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(batches.reduce(0) { $0 + $1.bytes.count })
        var ranges: [Range<Int>] = []
        for batch in batches {
            let start = bytes.count
            bytes += batch.bytes
            ranges += batch.ranges.map { $0.lowerBound + start..<$0.upperBound + start }
        }
        self.init(bytes: bytes, ranges: ranges)
    }

    /// The id of a record; nil when there is no such record, or it has none.
    fileprivate func id(of index: Int) -> String? {
        var projected = JSONProjected()
        guard index < count, (try? project(Self.idProjection, of: index, into: &projected)) != nil else { return nil }
        return JSONText.text(of: projected.fields[0], in: bytes[...])?.string
    }

    /// Where the record with an id is.
    fileprivate func firstIndex(ofId id: String) -> Int? {
        let wanted = Array("\"\(id)\"".utf8)
        var projected = JSONProjected()
        return ranges.indices.first { index in
            guard (try? project(Self.idProjection, of: index, into: &projected)) != nil else { return false }
            return bytes[projected.fields[0].range].elementsEqual(wanted)
        }
    }
}
