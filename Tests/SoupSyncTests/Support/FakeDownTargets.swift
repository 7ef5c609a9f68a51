// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting

@testable import SoupSync

/// A sync down over the records of a ``FakeServer``.
struct FakeDownTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var pageSize: Int?
        /// Whether pages are in ascending order of the modification date.
        var isSorted: Bool?
        var reportsTotal: Bool?
        var reportsTime: Bool?
        /// A false total to report.
        var falseTotal: Int?
        /// The number of records after which the next page is the second one again.
        var loopsAfter: Int?
        /// Whether the first two pages alternate for ever, each time with another cursor.
        var alternates: Bool?
        /// Whether the cursor of the next page is valid in one run only.
        var hasTemporaryCursors: Bool?
        /// The prefix of the IDs of the fetched records.
        var prefix: String?
        var idFieldName: String?
        /// Whether the target reports deletions.
        var reportsDeletions: Bool?
        /// Whether the target reports survivors; true by default.
        var reportsSurvivors: Bool?
        /// The time before which the server does not know deletions any more.
        var deletionsKnownFrom: Int64?
        /// Whether the total is the exact number of records.
        var isExact: Bool?
        /// The current number of records.
        var currentCount: Int?
        /// Whether a field of its own, stamped on the records, contains the modification date.
        var stampsDates: Bool?
        /// The prefix of IDs that the server cannot have assigned.
        var impossibleIdPrefix: String?
        /// Whether each page reports the ID of its first record as a detail: as `first` on the first page, as `later`
        /// on the others, and as `latest` on all.
        var reportsDetails: Bool?
        /// Whether the last page reports that records are missing.
        var isIncomplete: Bool?
        /// The lookback in seconds; none by default, so that requests and marks of the tests are exact.
        var lookback: Double?
        /// Whether pages report that they contain all changes.
        var hasAllChanges: Bool?
    }

    static let name: PluginName = "fake"
    static let aliases: [PluginName] = ["FakeDownTarget"]
    let configuration: Configuration
    let ordersByModificationDate: Bool
    let idField: String
    var lookback: Duration { .seconds(configuration.lookback ?? 0) }

    init(configuration: Configuration) throws {
        self.configuration = configuration
        ordersByModificationDate = configuration.isSorted ?? true
        idField = configuration.idFieldName ?? "Id"
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let server = try context.fakeServer
        let size = configuration.pageSize ?? 100
        let round = configuration.alternates ?? false ? cursor.flatMap { Int($0.rawValue) } ?? 0 : nil
        let result = try await server.page(
            after: round.map { $0.isMultiple(of: 2) ? nil : PageCursor("0:\(size)") } ?? cursor, size: size,
            from: context.highWaterMark, sortedByDate: ordersByModificationDate
        ) { $0.parentId == nil && $0.id.hasPrefix(configuration.prefix ?? "") }
        let isLoop = configuration.loopsAfter.map { cursor == PageCursor("0:\($0)") } ?? false
        var page = RecordPage(
            RecordBatch(result.records.map { $0.text(idField: idField) }),
            next: round.map { PageCursor("\($0 + 1)") } ?? (isLoop ? PageCursor("0:1") : result.next),
            totalSize: configuration.reportsTotal ?? true ? configuration.falseTotal ?? result.total : nil,
            serverTime: configuration.reportsTime ?? true ? server.clock.now : nil)
        page.isNextTemporary = configuration.hasTemporaryCursors ?? false
        page.hasAllChanges = configuration.hasAllChanges ?? false
        if configuration.isExact ?? false { page.expectedCount = page.totalSize.map { $0...$0 } }
        if configuration.stampsDates ?? false {
            let stamps = result.records.enumerated().map {
                ($0.offset, RecordBatch.Stamp.none.setting("Changed", .string(DateText.format($0.element.date))))
            }
            page.levels[0] = page.levels[0].stamping(Dictionary(uniqueKeysWithValues: stamps))
        }
        if configuration.reportsDetails ?? false, let id = result.records.first?.id {
            page.details = [cursor == nil ? "first" : "later": id, "latest": id]
        }
        if configuration.isIncomplete ?? false, page.next == nil {
            page.failure = SoupError(.server, "some are missing")
        }
        return page
    }

    var modificationDateField: String { configuration.stampsDates ?? false ? "Changed" : "LastModifiedDate" }

    func currentCount(unchangedSince time: Date?, in context: SyncContext) async throws -> Int? {
        configuration.currentCount
    }

    func isPossibleId(_ id: String, level: Int) -> Bool {
        configuration.impossibleIdPrefix.map { !id.hasPrefix($0) } ?? true
    }

    func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        guard configuration.reportsDeletions ?? false else { return nil }
        guard let time = time?.millisecondsSince1970 else { return .incomplete }
        let server = try context.fakeServer
        server.note("deleted since \(Moment.text(time))")
        try await server.with { $0.onLookUp }?()
        guard time >= configuration.deletionsKnownFrom ?? 0 else { return .incomplete }
        let now = server.clock.now
        return .complete(
            ids: server.with { state in
                state.deletions.filter { $0.date >= time && state.records[$0.id] == nil }.map(\.id)
            }, coveredUntil: now)
    }

    func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        guard configuration.reportsSurvivors ?? true else { return nil }
        let server = try context.fakeServer
        server.note("which of \(ids.sorted().joined(separator: " "))")
        try await server.with { $0.onLookUp }?()
        return server.with { state in Set(ids.filter { state.records[$0] != nil }) }
    }
}

/// A sync down of parents with their children.
struct FakeTreeDownTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var pageSize: Int?
        var relationship: RecordLayout.Relationship?
        /// The index of the parents' level in the layout.
        var parentLevel: Int?
        /// The lookback in seconds; none by default.
        var lookback: Double?
    }

    static let name: PluginName = "fakeTree"
    let pageSize: Int
    let layout: RecordLayout?
    let lookback: Duration
    var ordersByModificationDate: Bool { true }

    init(configuration: Configuration) {
        pageSize = configuration.pageSize ?? 100
        lookback = .seconds(configuration.lookback ?? 0)
        var layout = RecordLayout.accountsAndContacts(configuration.relationship ?? .masterDetail)
        if let level = configuration.parentLevel { layout.levels[1].parentLevel = level }
        self.layout = layout
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let server = try context.fakeServer
        let result = try await server.page(
            after: cursor, size: pageSize, from: context.highWaterMark, sortedByDate: true
        ) { $0.parentId == nil }
        let ids = result.records.map(\.id)
        let children = server.with { state in
            state.records.values.filter { $0.parentId.map(ids.contains) ?? false }.sorted { $0.id < $1.id }
        }
        let batch = RecordBatch(children.map { $0.text() })
        // As in real targets, the server's bytes lack the parent's ID; it is stamped on.
        let stamped = RecordBatch(
            bytes: batch.bytes, ranges: batch.ranges,
            stamps: children.map { RecordBatch.Stamp().setting("AccountId", .string($0.parentId ?? "")) })
        return RecordPage(
            levels: [RecordBatch(result.records.map { $0.text() }), stamped], next: result.next,
            totalSize: result.total,
            serverTime: server.clock.now)
    }

    func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        let server = try context.fakeServer
        server.note("which of level \(level) \(ids.sorted().joined(separator: " "))")
        return server.with { state in Set(ids.filter { state.records[$0] != nil }) }
    }
}

/// A sync down of unrelated records into two soups, selected by the first letter of their IDs.
struct FakeTwoSoupsTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {}

    static let name: PluginName = "fakeTwoSoups"
    let layout: RecordLayout? = RecordLayout(
        levels: [RecordLayout.Level(soup: "accounts"), RecordLayout.Level(soup: "contacts")])
    let lookback = Duration.zero

    init(configuration: Configuration) {}

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let server = try context.fakeServer
        let result = try await server.page(
            after: cursor, size: 2, from: context.highWaterMark, sortedByDate: true
        ) { _ in true }
        return RecordPage(
            levels: ["a", "c"].map { letter in
                RecordBatch(result.records.filter { $0.id.hasPrefix(letter) }.map { $0.text() })
            }, next: result.next, totalSize: result.total, serverTime: server.clock.now)
    }

    func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        let server = try context.fakeServer
        return server.with { state in Set(ids.filter { state.records[$0] != nil }) }
    }
}

extension RecordLayout {
    static func accountsAndContacts(_ relationship: Relationship) -> RecordLayout {
        RecordLayout(
            levels: [Level(soup: "accounts"), Level(soup: "contacts", parentIdField: "AccountId")],
            relationship: relationship)
    }
}

extension SyncContext {
    var fakeServer: FakeServer {
        get throws {
            var base = (transport as? RequestTimeRecorder)?.base ?? transport
            base = (base as? MeteredTransport)?.base ?? base
            guard let server = base as? FakeServer else { throw SoupError(.network, "no fake server") }
            return server
        }
    }
}

extension FakeServer {
    struct Result: Sendable {
        var records: [Record]
        var next: PageCursor?
        var total: Int
    }

    /// Returns a page of a query.
    ///
    /// The query keeps the IDs that it finds first. Each page contains the records as they are at that time.
    func page(
        after cursor: PageCursor?, size: Int, from mark: HighWaterMark?, sortedByDate: Bool,
        where isIncluded: (Record) -> Bool
    ) async throws -> Result {
        let sign = mark.map { $0.inclusive ? ">=" : ">" } ?? ""
        note(
            cursor.map { "page \($0.rawValue)" } ?? "query"
                + (mark.map { " \(sign) \(Moment.text($0.milliseconds))" } ?? ""))
        let number = with { state in
            state.pages += 1
            return state.pages
        }
        try await with { $0.onPage }?(number)
        return try with { state in
            var query = state.queries.count
            var offset = 0
            if let cursor {
                let levels = cursor.rawValue.split(separator: ":").compactMap { Int($0) }
                guard levels.count == 2, state.queries.indices.contains(levels[0]), !state.queries[levels[0]].isEmpty
                else {
                    throw SoupError(.cursorExpired, "no query \(cursor.rawValue)")
                }
                (query, offset) = (levels[0], levels[1])
            } else {
                let found = state.records.values.filter(isIncluded).filter { record in
                    mark.map { $0.inclusive ? record.date >= $0.milliseconds : record.date > $0.milliseconds } ?? true
                }
                state.queries.append(
                    found.sorted { sortedByDate ? ($0.date, $0.id) < ($1.date, $1.id) : $0.id > $1.id }.map(\.id))
            }
            let ids = state.queries[query]
            let end = min(offset + size, ids.count)
            return Result(
                records: ids[offset..<end].compactMap { state.records[$0] },
                next: end < ids.count ? PageCursor("\(query):\(end)") : nil, total: ids.count)
        }
    }

    /// Removes all queries, so that their cursors have expired.
    func expireCursors() { with { state in for index in state.queries.indices { state.queries[index] = [] } } }
}

extension FakeServer.Record {
    func text(idField: String = "Id") -> JSONText {
        var object: JSONObject = [idField: .string(id)]
        for (key, value) in values.members { object[key] = value }
        object["LastModifiedDate"] = .string(DateText.format(date))
        return (try? JSONValue.object(object).jsonText()) ?? .null
    }
}
