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
struct DownRun: SyncBody {
    let services: RunServices
    let target: any SyncDownTarget
    let layout: RecordLayout
    let resolver: (any ConflictResolver)?
    let report: RunReport
    private(set) var row: SyncRow
    private(set) var result: SyncResult
    private var query: QueryProgress
    private var cursor: PageCursor?
    private var isBulkLoad = false
    private var pace: LoadPace
    /// How many records that this run has already counted are expected again because the query was restarted.
    private var repeated = 0
    /// The records that this run has counted.
    private let counted = CountedRecords()
    /// Whether the soups were empty when the run began.
    ///
    /// In that case no entry can be older than the query, so there are no earlier deletions to apply.
    private var startsEmpty = false
    /// The entries that are left out of requests because of their IDs.
    private let impossible: ImpossibleIds
    /// Whether the last step of the run removes entries whose records were deleted on the server.
    private var sweeps = false

    /// The maximum number of restarts after an expired cursor while the high-water mark does not rise.
    static let maximumRestarts = 3

    init(
        _ row: SyncRow, target: any SyncDownTarget, resolver: (any ConflictResolver)?, services: RunServices,
        report: RunReport
    ) {
        self.row = row
        self.target = target
        self.resolver = resolver
        self.services = services
        self.report = report
        layout = target.recordLayout(for: row.state.definition.soup)
        impossible = ImpossibleIds(target, layout)
        result = SyncResult(state: row.state)
        pace = LoadPace(services.clock)
        cursor = row.resume?.cursor
        query = row.resume?.query ?? row.newQuery(since: row.state.times.start)
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
        if sweeps { try await sweep() }
    }

    /// Removes the entries whose records were deleted on the server, and finishes the run.
    private mutating func sweep() async throws {
        try Task.checkCancellation()
        let swept = try await GhostRun(services: services, row: row, target: target).run()
        result.ghosts = swept.count
        noteLeftOut(swept.leftOut)
        row.deletionsCovered = swept.covered
        row.deletionsHeld = swept.held
        Self.finish(&row, query, now: services.clock.milliseconds)
        let row = row
        let backend = services.backend
        try await shielded { try await backend.write { try SyncsSoup.save(row, in: $0) } }
        result.state = row.state
    }

    private mutating func pull() async throws {
        try await checkSoups()
        if !row.isOneShot {
            sweeps = try await GhostRun(services: services, row: row, target: target).reportsDeletions()
        }
        var restarts = 0
        while true {
            let mark = row.mark
            do {
                return try await pullQuery()
            } catch let error as SoupError where error.code == .cursorExpired {
                restarts = row.mark == mark ? restarts + 1 : 1
                guard restarts <= Self.maximumRestarts, cursor != nil else { throw error }
                services.logger.notice(
                    "sync \(row.state.id): the page cursor expired, starting again from the high-water mark")
                cursor = nil
                let base = query.base
                query = row.newQuery(since: query.since)
                if query.base == base { countAgain() }
            }
        }
    }

    /// Resets the counts because all records are returned again; records that were already saved return as unchanged.
    private mutating func countAgain() {
        // While the counted records are tracked, no record is counted twice.
        guard counted.isFull else { return }
        repeated = result.saved + result.merged
        result.unchanged = 0
        result.skipped = 0
        result.conflicted = 0
        row.state.unsynced.skipped = 0
        row.state.unsynced.conflicted = 0
    }

    /// Fetches and saves the pages that follow ``cursor``.
    private mutating func pullQuery() async throws {
        let context = self.context
        let pages = PageReader(target: target, layout: layout, context: context, clock: services.clock)
        var isFirst = true
        var failure: SoupError?
        try await pages.forEachPage(after: cursor) { fetched in
            if isFirst { try await begin(with: fetched.head) }
            isFirst = false
            failure = try await save(fetched)
            if pace.isSetByServer(of: query.total) { await endBulkLoad() }
        }
        if let failure { throw failure }
    }

    /// The context that is passed to the target.
    private var context: SyncContext {
        var context = services.context(for: row.state.definition, from: query.base)
        context.partMarks = query.parts.map(\.base)
        impossible.filter(&context)
        return context
    }

    /// Returns an error if the number of fetched records differs from the number that the server announced.
    ///
    /// - Parameter fetched: the last page, the one at ``cursor``.
    private func shortage(of fetched: FetchedPage) async throws -> SoupError? {
        let parts = layout.isTree ? fetched.parts.prefix(1) : fetched.parts[...]
        let count = parts.reduce(fetched.head.beginsAgain ? 0 : query.count) { $0 + $1.records.count }
        switch fetched.head.check(count: count) {
        case .complete: return nil
        case .tooMany(let expected): return .incomplete("the first page", expected: expected, count: count)
        case .tooFew(let expected):
            // Records that were deleted on the server between two pages are expected to be missing. A single page has
            // no such gap.
            guard cursor != nil,
                let now = try await target.currentCount(
                    unchangedSince: query.serverTime.map { Date(millisecondsSince1970: $0) }, in: context), now <= count
            else { return .incomplete("the first page", expected: expected, count: count) }
            return nil
        }
    }

    /// Reports entries that are left out because of their IDs, each of them once.
    private mutating func noteLeftOut(_ outcomes: [RecordOutcome]) {
        for outcome in impossible.news(among: outcomes) {
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
        if sweeps, cursor == nil, startsEmpty { row.deletionsCovered = row.deletionsCovered ?? query.serverTime }
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
    private mutating func reportImpossible() async throws {
        guard impossible.hasNews else { return }
        let impossible = impossible
        noteLeftOut(try await services.backend.read { try impossible.outcomes(in: $0) })
    }

    /// Writes a page and saves the sync's progress in the same transaction.
    ///
    /// - Returns: for the last page, the error if the run is incomplete.
    private mutating func save(_ fetched: FetchedPage) async throws -> SoupError? {
        pace.noteArrival()
        let definition = row.state.definition
        let mode = definition.options.mergeMode
        var fetched = fetched
        if fetched.head.next == nil, fetched.head.failure == nil {
            fetched.head.failure = try await shortage(of: fetched)
        }
        try await reportImpossible()
        if fetched.head.beginsAgain {
            countAgain()
            query.count = 0
        }
        let write = PageWrite(
            fetched: fetched, layout: layout, syncId: row.state.id, sharing: services.sharing,
            guarding: mode == .overwrite ? .dirtySince(query.since) : .dirty, horizon: query.horizon,
            latest: query.latest,
            decide: mode == .merge ? services.decision(by: resolver) : nil,
            counted: counted)
        let before = (row: row, query: query)
        let isSorted = target.ordersByModificationDate
        let clock = services.clock
        let sweeps = sweeps
        let lastPage = fetched.head
        // A server can put the access token into the URL of the next page. The run uses that URL but does not save it.
        // A run after an interruption starts from the high-water mark.
        let isSecret = lastPage.next.map { services.containsSecret($0.rawValue) } ?? false
        let (page, after) = try await services.backend.write { writer in
            let page = try write.save(in: writer)
            var (row, query) = before
            row.state.unsynced.skipped += page.tally.skipped
            row.state.unsynced.conflicted += page.tally.conflicted
            query.add(page)
            if query.total == nil { query.total = lastPage.plausibleTotal }
            query.isLimited = lastPage.isLimited
            let rises = isSorted && !lastPage.isUnfinished
            if lastPage.next == nil, lastPage.failure != nil {
                Self.giveUp(&row, query)
            } else {
                Self.advance(&row, query, to: lastPage.next, isSorted: rises, sweeps: sweeps, now: clock.milliseconds)
            }
            if isSecret { row.resume = nil }
            try SyncsSoup.save(row, in: writer)
            return (page, (row: row, query: query))
        }
        pace.noteWritten()
        (row, query) = after
        cursor = fetched.head.next
        result.details.merge(fetched.head.details) { $1 }
        result.add(page)
        // Records that this run itself saved must not be counted as unchanged.
        let again = min(repeated, page.tally.unchanged)
        result.unchanged -= again
        repeated -= again
        result.state = row.state
        if cursor != nil && query.percentage != nil { report.send(row.state) }
        return cursor == nil ? lastPage.failure : nil
    }

    /// Updates the row after a page was written.
    private static func advance(
        _ row: inout SyncRow, _ query: QueryProgress, to next: PageCursor?, isSorted: Bool, sweeps: Bool, now: Int64
    ) {
        guard let next else {
            row.mark = query.finalMark
            row.partMarks = query.finalPartMarks
            row.resume = nil
            if !sweeps { finish(&row, query, now: now) }
            return
        }
        row.state.progress = query.percentage ?? row.state.progress
        row.state.totalSize = query.total ?? -1
        if isSorted {
            row.mark = query.runningMark
            row.partMarks = query.runningPartMarks
        }
        row.resume = ResumePoint(cursor: next, query: query)
    }

    /// Updates the row at the end of an incomplete query; the next run repeats the same query.
    private static func giveUp(_ row: inout SyncRow, _ query: QueryProgress) {
        row.mark = query.base
        row.partMarks = query.parts.map(\.base)
        row.resume = nil
        row.state.totalSize = query.count
    }

    private static func finish(_ row: inout SyncRow, _ query: QueryProgress, now: Int64) {
        row.state.status = .done
        row.state.progress = 100
        // The final total is the number of fetched records, not the number that the server announced.
        row.state.totalSize = query.count
        row.state.times.end = now
    }

    /// Checks that the soups have the required indexes before any request is sent.
    private mutating func checkSoups() async throws {
        let layout = layout
        let name = row.state.name.map { "\"\($0)\"" } ?? "\(row.state.id)"
        let isEmpty = try await services.backend.read { reader in
            var isEmpty = true
            for part in layout.parts {
                let indexed = try reader.indexSpecs(of: part.soup).map(\.path.rawValue)
                guard indexed.contains(part.idField) else {
                    throw SoupError(
                        .indexNotDefined,
                        "soup \"\(part.soup)\" has no index on \"\(part.idField)\", which sync \(name) needs to find the entries to replace",
                        hint: "Add {\"path\": \"\(part.idField)\", \"type\": \"string\"} to the indexes of the soup.")
                }
                if isEmpty { isEmpty = try reader.query(.all(part.soup, pageSize: 1)).count == 0 }
            }
            return isEmpty
        }
        try await services.prepareMerging(row.state.definition, layout)
        startsEmpty = isEmpty
        if isEmpty { await beginBulkLoad() }
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
