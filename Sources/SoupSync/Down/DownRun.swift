// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One run of a sync down, which fetches the records of a target and saves them in the store.
///
/// The run is a pipeline: while one page is read and written, the next one is fetched (see ``PageReader``). The entries
/// of a page, the cursor of the next page and the high-water mark are saved in one transaction. Therefore the row of
/// the sync always describes exactly the records that are in the store.
struct DownRun: RunOperation {
    let services: RunServices
    let target: any SyncDownTarget
    var connectionName: String? { target.connectionName }
    let layout: RecordLayout
    let resolver: (any ConflictResolver)?
    let report: RunReport
    let observation: SyncObservation?
    private(set) var row: SyncRow
    private(set) var result: SyncResult
    private var query: QueryProgress
    private var cursor: PageCursor?
    private var isBulkLoad = false
    private var timing: PageTiming
    /// The number of records that a restarted query is expected to return again although this run has counted them.
    private var repeated = 0
    /// The records that this run has counted.
    private let counted = CountedRecords()
    private var repeatedPages = RepeatedPages()
    /// The records that the current query has returned.
    private var returned = ReturnedRecords()
    /// Whether the soups were empty when the run began.
    ///
    /// In that case no entry can be older than the query, so there are no earlier deletions to apply.
    private var startsEmpty = false
    /// The entries that are left out of requests because of their IDs.
    private let impossible: ImpossibleIds
    /// Whether the last step of the run cleans ghosts, because the target reports deletions.
    private var cleansGhosts = false

    /// The maximum number of restarts after an expired cursor while the high-water mark does not rise.
    static let maximumRestarts = 3

    /// - Parameter skipsLookback: whether the run may omit to look back, if the last one that did is more recent than
    ///   the target's lookback.
    init(
        _ row: SyncRow, target: any SyncDownTarget, resolver: (any ConflictResolver)?, services: RunServices,
        report: RunReport, skipsLookback: Bool = false
    ) {
        self.row = row
        self.target = target
        self.resolver = resolver
        self.services = services
        self.report = report
        observation = services.observation(of: row.state.definition, target: target.pluginName)
        layout = target.recordLayout(for: row.state.definition.soup)
        impossible = ImpossibleIds(target, layout)
        result = SyncResult(state: row.state)
        timing = PageTiming(services.clock)
        cursor = row.resume?.cursor
        let lookback = max(0, target.lookback.milliseconds)
        // A time in the future shows that the clock was set back.
        let isRecent =
            row.starts.lookedBack.map { (0..<lookback).contains(services.clock.milliseconds - $0) } ?? false
        query =
            row.resume?.query
            ?? row.newQuery(
                since: row.startDate ?? row.state.times.start, lookback: lookback,
                skipsLookback: skipsLookback && isRecent)
        query.lookback = lookback
    }

    /// Runs the sync to its end; the row is then saved with the status DONE.
    ///
    /// - Throws: the error that ended the run; `CancellationError` if the run was asked to stop. ``row`` is then the
    ///   row as it was last saved.
    mutating func run() async throws {
        do {
            try await pull()
        } catch {
            await endBulkLoad()
            throw error
        }
        await endBulkLoad()
        if cleansGhosts { try await cleanGhosts() }
    }

    /// Removes the entries whose records were deleted on the server, and finishes the run.
    private mutating func cleanGhosts() async throws {
        try Task.checkCancellation()
        let ghosts = GhostRun(
            services: services, row: row, target: target, observation: observation, query: query)
        let cleaning = try await ghosts.observedRun()
        result.ghosts += cleaning.bySoup.values.reduce(0, +)
        reportLeftOut(cleaning.leftOut)
        row.deletionsCovered = cleaning.covered
        row.deletionsHeld = cleaning.held
        row.finish(query, at: services.clock.milliseconds)
        let row = row
        let backend = services.backend
        try await shielded { try await backend.write { try SyncsSoup.save(row, in: $0) } }
        result.state = row.state
    }

    private mutating func pull() async throws {
        try await checkSoups()
        if !row.isOneShot {
            let ghosts = GhostRun(services: services, row: row, target: target, observation: observation)
            cleansGhosts = try await ghosts.reportsDeletions()
        }
        var restarts = 0
        while true {
            let mark = row.mark
            do {
                return try await pullQuery()
            } catch let error as SoupError where error.code == .cursorExpired {
                restarts = row.mark == mark ? restarts + 1 : 1
                guard restarts <= Self.maximumRestarts, cursor != nil || row.syncToken != nil else { throw error }
                let reason = forgetExpired()
                services.logger.notice("sync \(row.state.id): \(reason), starting again")
                let start = query.start
                query = row.newQuery(
                    since: query.since, lookback: query.lookback, skipsLookback: query.skipsLookback)
                if query.start == start { resetCounts() }
                repeatedPages.restart()
                returned = ReturnedRecords()
            }
        }
    }

    /// Removes what the server no longer knows: the cursor, or without one the token of the last run.
    ///
    /// Without the token, the target fetches all records. The high-water mark is removed with it, because the server
    /// may have reported changes by the token only.
    ///
    /// - Returns: what has expired.
    private mutating func forgetExpired() -> String {
        guard cursor == nil else {
            cursor = nil
            return "the page cursor expired"
        }
        row.restart()
        return "the token of the last run expired"
    }

    /// Resets the counts because all records are returned again; records that were already saved return as unchanged.
    private mutating func resetCounts() {
        // While the counted records are tracked, no record is counted twice.
        guard counted.isFull else { return }
        repeated = result.saved + result.merged
        result.unchanged = 0
        result.skipped = 0
        result.conflicted = 0
        row.state.unsynced.skipped = 0
        row.state.unsynced.conflicted = 0
    }

    /// Fetches and saves the pages after ``cursor``.
    private mutating func pullQuery() async throws {
        let context = self.context
        let (services, connection) = (services, target.connectionName)
        let pages = PageReader(
            target: target, layout: layout, context: context, clock: services.clock,
            checkLimit: { try services.checkRequestLimit(of: connection) }, observation: observation)
        var isFirst = true
        var failure: SoupError?
        try await pages.forEachPage(after: cursor) { fetched in
            if isFirst { try await begin(with: fetched.head) }
            isFirst = false
            failure = try await save(fetched)
            if timing.isLimitedByServer(total: query.total) { await endBulkLoad() }
        }
        if let failure { throw failure }
    }

    /// The context that is passed to the target.
    var context: SyncContext {
        var context = services.context(
            for: row.state.definition, connection: target.connectionName, observation: observation, from: query.start,
            token: row.syncToken)
        context.levelMarks = query.levels.map(\.start)
        impossible.filter(&context)
        return context
    }

    /// Returns an error if the number of fetched records, without repeated ones, differs from the number that the
    /// server announced.
    ///
    /// - Parameter fetched: the last page, the one at ``cursor``.
    private func shortage(of fetched: FetchedPage) async throws -> SoupError? {
        let levels = layout.isTree ? fetched.levels.prefix(1) : fetched.levels[...]
        let all = levels.reduce(fetched.head.beginsAgain ? 0 : query.count) { $0 + $1.records.count }
        let count = all - returned.repeated
        func incomplete(_ expected: Int) -> SoupError {
            returned.showsChanges
                ? .changedList(expected: expected, count: count)
                : .incomplete("the first page", expected: expected, count: count)
        }
        switch returned.check(fetched.head, count: all) {
        case .complete: return nil
        case .tooMany(let expected): return incomplete(expected)
        case .tooFew(let expected):
            // Records that were deleted on the server between two pages are expected to be missing. A single page has
            // no such gap.
            guard cursor != nil,
                let now = try await target.currentCount(
                    unchangedSince: query.serverTime.map { Date(millisecondsSince1970: $0) }, in: context), now <= count
            else { return incomplete(expected) }
            return nil
        }
    }

    /// Returns the error of a query whose first page is its last, as a run would find it.
    mutating func shortage(ofOnly page: FetchedPage) async throws -> SoupError? {
        guard cursor == nil else { return nil }
        returned.add(page, of: layout)
        return try await shortage(of: page)
    }

    /// Reports each entry that is left out because of its ID once.
    private mutating func reportLeftOut(_ outcomes: [RecordOutcome]) {
        for outcome in impossible.unreported(among: outcomes) {
            let reason = outcome.error?.message ?? ""
            services.logger.warning("sync \(row.state.id): \(outcome.soup) \(outcome.entryId): \(reason)")
            report.send(outcome)
            result.failed += 1
        }
        row.state.unsynced.failed = result.failed
    }

    /// Saves the total and the server time from the first page of this run.
    private mutating func begin(with page: RecordPage) async throws {
        if cursor == nil { query.serverTime = page.serverTime?.millisecondsSince1970 }
        if cleansGhosts, cursor == nil, startsEmpty, row.deletionsCovered == nil {
            row.deletionsCovered = query.serverTime.flatMap { ServerTime.earliest($0, deviceTime: query.since) }.map {
                CoveredDeletions(until: $0)
            }
        }
        if query.total == nil { query.total = page.plausibleTotal }
        guard let total = query.total, total > 0 || page.next != nil else { return }
        if total >= services.settings.bulkLoadThreshold { await beginBulkLoad() }
        row.state.totalSize = total
        row.state.progress = query.percentage ?? 0
        let row = row
        try await services.backend.write { try SyncsSoup.save(row, in: $0) }
        report.send(row.state)
    }

    /// Reports the entries that the target reads for its requests and that are left out because of their IDs.
    private mutating func reportImpossibleIds() async throws {
        guard impossible.hasUnreported else { return }
        let impossible = impossible
        reportLeftOut(try await services.backend.read { try impossible.outcomes(in: $0) })
    }

    /// Writes a page, and adds its records to the result.
    ///
    /// - Returns: for the last page, the error if the run is incomplete.
    private mutating func save(_ fetched: FetchedPage) async throws -> SoupError? {
        timing.pageArrived()
        var fetched = fetched
        if fetched.head.beginsAgain { returned = ReturnedRecords() }
        returned.add(fetched, of: layout)
        if fetched.head.next == nil, fetched.head.failure == nil {
            fetched.head.failure = try await shortage(of: fetched)
        }
        try await reportImpossibleIds()
        if fetched.head.beginsAgain {
            resetCounts()
            repeatedPages.restart()
            query.count = 0
            query.unchanged = 0
        }
        let page = try await write(fetched)
        timing.pageWritten()
        cursor = fetched.head.next
        result.details.merge(fetched.head.details) { $1 }
        result.add(page)
        // Records that this run itself saved must not be counted as unchanged.
        let alreadySaved = min(repeated, max(0, page.counts.unchanged))
        result.unchanged -= alreadySaved
        repeated -= alreadySaved
        result.state = row.state
        if cursor != nil && query.percentage != nil { report.send(row.state) }
        if repeatedPages.isEndless(after: page.content), cursor != nil { throw SoupError.repeatedPages }
        return cursor == nil ? fetched.head.failure : nil
    }

    /// Writes a page, and saves the sync's progress in the same transaction.
    private mutating func write(_ fetched: FetchedPage) async throws -> SavedPage {
        let mode = row.state.definition.options.mergeMode
        let write = PageWrite(
            fetched: fetched, layout: layout, syncId: row.state.id, sharing: services.sharing,
            guarding: mode.writeGuard(since: query.since), querySecond: query.querySecond,
            latest: query.latest,
            decide: mode.mergesFetchedRecords ? services.decision(by: resolver) : nil,
            counted: counted, repeatsRecords: query.start != nil)
        let progress = PageProgress(
            head: fetched.head, isSorted: target.ordersByModificationDate, cleansGhosts: cleansGhosts,
            hasSecret: [fetched.head.next?.rawValue, fetched.head.syncToken].contains {
                $0.map { services.containsSecret($0) } ?? false
            },
            clock: services.clock)
        let before = (row: row, query: query)
        let backend = services.backend
        let (page, after) = try await observation.measuring(.pageSave) {
            $0.backend = backend.pluginName
        } _: {
            try await backend.write { writer in
                let page = try write.save(in: writer)
                var (row, query) = before
                progress.add(page, to: &row, &query)
                try SyncsSoup.save(row, in: writer)
                return (page, (row: row, query: query))
            }
        } describe: { saved, result in
            if case .success(let saved) = saved { result.add(saved.0) }
        }
        (row, query) = after
        return page
    }

    /// Checks that the soups have the required indexes before any request is sent.
    private mutating func checkSoups() async throws {
        let layout = layout
        let row = row
        let isEmpty = try await services.backend.read { reader in
            var isEmpty = true
            for level in layout.levels {
                try Self.checkIndex(of: level, for: row, in: reader)
                if isEmpty { isEmpty = try reader.query(.all(level.soup, pageSize: 1)).count == 0 }
            }
            return isEmpty
        }
        let mode = row.state.definition.options.mergeMode
        try await services.checkSyncedCopies(for: mode, layout)
        if mode.mergesFetchedRecords { try await services.pruneConflicts() }
        startsEmpty = isEmpty
        if isEmpty { await beginBulkLoad() }
    }

    /// Checks that a soup has the index that a run needs to find the entries to replace.
    static func checkIndex(of level: RecordLayout.Level, for row: SyncRow, in reader: any StoreReader) throws {
        let indexed = try reader.indexSpecs(of: level.soup).map(\.path.rawValue)
        guard !indexed.contains(level.idField) else { return }
        let name = row.state.name.map { "\"\($0)\"" } ?? "\(row.state.id)"
        throw SoupError(
            .indexNotDefined,
            "soup \"\(level.soup)\" has no index on \"\(level.idField)\", which sync \(name) needs to find the entries to replace",
            hint: "Add {\"path\": \"\(level.idField)\", \"type\": \"string\"} to the indexes of the soup.")
    }

    private mutating func beginBulkLoad() async {
        guard !isBulkLoad else { return }
        isBulkLoad = true
        await services.backend.bulkLoad(true)
    }

    private mutating func endBulkLoad() async {
        guard isBulkLoad else { return }
        isBulkLoad = false
        await services.backend.bulkLoad(false)
    }
}
