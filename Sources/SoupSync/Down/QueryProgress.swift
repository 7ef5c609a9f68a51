// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The progress of one query of a sync down, and the high-water mark that follows from the saved pages.
///
/// The mark is the earliest modification date at which the server may have records that are missing in the store.
/// * It is the highest date of the saved records that is before ``querySecond``, the second in which the query ran.
///   Servers take the list of IDs at that moment, but read the values when a page is requested. If a record changes in
///   between, its date can be later than the dates of records that have not been returned yet, and than the dates of
///   changes that this query does not return at all. If the query returned such a record, the mark is `querySecond`.
/// * If the target left out older records that it does not need, the mark is `querySecond`: only changes since then
///   are needed.
/// * It is never later than the lowest date of a record that was skipped because of local changes. The server's version
///   of that record is fetched again when the local changes are resolved.
/// * It is *inclusive* while records with exactly the same date may still be missing. Servers truncate dates to
///   seconds, so a record that is saved in the same second, after the query ran, has the same date. The mark becomes
///   exclusive only if the server's clock was at least two seconds past it when the query ran: one second for the
///   truncated date, and one for the truncated `Date` header of the response. Without the server's time, and until the
///   query has ended, the mark is inclusive.
/// * Without the server's time, `querySecond` is unknown. In that case the mark rises only at the end of the query, and
///   a change that is made during the query can be missed. Dates that are more than a day ahead of the device's clock
///   are ignored: otherwise one record dated in the year 9999 would hide every later change.
struct QueryProgress: Sendable, Hashable {
    /// The high-water mark of earlier runs.
    var base: HighWaterMark?
    /// The time from which the query started; `nil` if it fetches all records.
    ///
    /// See ``QueryStart``.
    var start: HighWaterMark?
    /// The target's lookback, in milliseconds.
    var lookback: Int64 = 0
    /// Whether the query starts at the mark, so that it does not find changes that were committed late.
    ///
    /// A later query then looks back from the start that is already saved.
    var skipsLookback = false
    /// The time at which the first run of this query began; later local edits are newer than the query's results.
    var since: Int64
    /// The number of fetched records, including skipped ones; for trees, the number of parents.
    var count = 0
    /// The number of these records that the store already had; see ``SavedPage/unchanged``.
    var unchanged = 0
    /// The number of records to fetch; `nil` until the server has reported it.
    var total: Int?
    /// The earliest possible server time at which the query ran.
    var serverTime: Int64?
    /// The dates seen in the saved pages; for trees, of the parents.
    var seen = WatermarkAccumulator()
    /// Whether the last page reported that the target left out records that it does not need.
    var isLimited = false
    /// See ``RecordPage/hasAllChanges``, of the last page.
    var hasAllChanges = false
    /// For trees: the progress of the children, one element for each level after the first.
    var levels: [LevelProgress] = []

    static let instantIsOverAfter: Int64 = 2000

    /// - Parameter levelBases: for trees, the marks of the levels after the first; a missing element means no mark.
    init(base: HighWaterMark?, since: Int64, levelBases: [HighWaterMark?] = []) {
        self.base = base
        self.since = since
        start = base
        levels = levelBases.map { LevelProgress(base: $0, start: $0) }
    }

    /// The beginning of the second in which the query ran.
    ///
    /// A record with an earlier date was returned as it was when the query ran.
    var querySecond: Int64? { serverTime.map { $0 - $0 % 1000 } }

    /// The latest date that can raise the mark.
    ///
    /// It is ``querySecond``. If that is unknown, it is the device's time at the start of the query plus
    /// ``clockTolerance``.
    var latest: Int64 { querySecond ?? since.addingReportingOverflow(Self.clockTolerance).partialValue }

    /// The maximum time, in milliseconds, by which the device's clock may be behind the server's.
    static let clockTolerance: Int64 = 24 * 3_600_000

    /// Adds the results of a saved page.
    mutating func add(_ page: SavedPage) {
        count += page.count
        unchanged += page.unchanged
        seen.add(page.seen)
        for (position, seen) in page.levels.enumerated() {
            if position == levels.count { levels.append(LevelProgress()) }
            levels[position].seen.add(seen)
        }
    }

    /// Whether no record or deletion was skipped because of local changes.
    var missesNothing: Bool { ([seen] + levels.map(\.seen)).allSatisfy(\.missesNothing) }

    /// The starts of the next query, after the last page.
    var finalStarts: QueryStarts {
        let query = queryStart(hasAllChanges: hasAllChanges)
        var starts = QueryStarts()
        starts.first =
            seen.skippedWithoutDate
            ? start : query.next(after: finalMark, lowestSkipped: seen.lowestSkipped, from: start)
        starts.levels = levels.map { level in
            level.seen.skippedWithoutDate
                ? level.start
                : query.next(
                    after: level.finalMark(querySecond, isOver: isOver), lowestSkipped: level.seen.lowestSkipped,
                    from: level.start)
        }
        starts.lookedBack = since
        return starts
    }

    /// The starts of the next query, before the last page of a query whose pages are sorted by ascending date.
    ///
    /// Records with later dates than those of the saved pages may still be missing, also if they are before the mark of
    /// earlier runs.
    var runningStarts: QueryStarts {
        let query = queryStart(hasAllChanges: false)
        var starts = QueryStarts()
        starts.first = start
        if serverTime != nil, !seen.skippedWithoutDate, let highest = seen.highest {
            starts.first = query.next(
                after: HighWaterMark(milliseconds: highest, inclusive: true), lowestSkipped: seen.lowestSkipped,
                from: start)
        }
        starts.levels = levels.map { level in
            guard base == nil else { return level.start }
            return query.next(
                after: level.firstMark(querySecond), lowestSkipped: level.seen.lowestSkipped, from: level.start)
        }
        return starts
    }

    /// The starts of this query.
    var starts: QueryStarts {
        var starts = QueryStarts()
        starts.first = start
        starts.levels = levels.map(\.start)
        return starts
    }

    private func queryStart(hasAllChanges: Bool) -> QueryStart {
        QueryStart(lookback: lookback, serverTime: serverTime, deviceTime: since, hasAllChanges: hasAllChanges)
    }

    /// The marks of the levels after the first, after the last page.
    var finalLevelMarks: [HighWaterMark?] { levels.map { $0.finalMark(querySecond, isOver: isOver) } }

    /// The marks of the levels after the first, before the last page.
    ///
    /// Only a query for all records sets them. For any other query, the marks from which it started remain valid until
    /// it ends.
    var runningLevelMarks: [HighWaterMark?] { levels.map { base == nil ? $0.firstMark(querySecond) : $0.base } }

    /// The mark after the last page of the query.
    var finalMark: HighWaterMark? {
        guard !seen.skippedWithoutDate, let time = reached else { return base }
        if let held = held(at: time) { return held }
        if let base, base.milliseconds == time, !base.inclusive { return base }
        return HighWaterMark(milliseconds: time, inclusive: !isOver(time))
    }

    /// Returns whether no record with exactly this date can still be missing.
    private func isOver(_ time: Int64) -> Bool {
        serverTime.map { $0 >= time.addingReportingOverflow(Self.instantIsOverAfter).partialValue } ?? false
    }

    /// The mark before the last page of a query whose pages are sorted by ascending date.
    ///
    /// The next page may contain more records of the same instant, so the mark is inclusive.
    var runningMark: HighWaterMark? {
        guard serverTime != nil, !seen.skippedWithoutDate, let highest = seen.highest else { return base }
        let time = max(highest, base?.milliseconds ?? highest)
        return held(at: time) ?? HighWaterMark(milliseconds: time, inclusive: true)
    }

    private var reached: Int64? {
        let isCut = seen.hasLaterChange || (isLimited && base == nil)
        return [base?.milliseconds, seen.highest, isCut ? querySecond : nil].compactMap { $0 }.max()
    }

    private func held(at time: Int64) -> HighWaterMark? {
        seen.lowestSkipped.flatMap { $0 <= time ? HighWaterMark(milliseconds: $0, inclusive: true) : nil }
    }

    /// The number of fetched records for the final state: a query for changes does not count records that it returned
    /// again because their dates are close to the mark.
    var finalCount: Int { base == nil ? count : count - unchanged }

    /// The progress from 0 to 99; `nil` if the total is unknown or turned out to be too low.
    var percentage: Int? {
        guard let total, total > 0, count < total else { return nil }
        return min(99, Int(clamping: Int64(count) * 100 / Int64(total)))
    }

    /// The record counts that are accepted as plausible, from any source.
    static let plausibleCounts = 0...1_000_000_000
}

extension RecordPage {
    /// The number of records that the server announces; `nil` if it is missing or implausible.
    var plausibleTotal: Int? {
        totalSize.flatMap { QueryProgress.plausibleCounts.contains($0) ? $0 : nil }
    }
}

extension DateText {
    /// The times that a clock can plausibly report, from 1970 to 2199.
    ///
    /// A later time is an error of the server or of a record. A high-water mark at such a time would hide all later
    /// changes.
    static let plausible: ClosedRange<Int64> = 0...7_258_118_399_999
}
