// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What the saved pages of one query of a sync down have shown, and the high-water mark that follows from it.
///
/// The mark answers one question: from which modification date on may the server have records that the store has not?
/// * It is the highest date of the records that the query brought into the store, as far as that date lies before the
///   second in which the query ran, the ``horizon``. Servers page through the ids of that moment and read the values
///   when a page is asked for: a record that changed meanwhile comes with a date that lies ahead of everything that has
///   not come yet, and behind changes that will not come at all. When there was such a record the horizon itself is the
///   mark.
/// * When the target held back a rest that it does not want, it is the horizon: what changed since then is wanted, the
///   rest is not.
/// * It never passes the lowest date of a record that local changes kept out, so that the server's version of that
///   record comes again when the local changes are settled.
/// * It is *inclusive* as long as records of that very instant may still be missing. Servers cut dates to the second,
///   and a record saved in the same second, after the query ran, would have the same date. Only when the server's clock
///   stood at least two seconds past the mark when the query ran (one for the cut, one for the cut of the server's own
///   `Date` header) is the instant over, and the next query may start behind it. Without the server's time, and while
///   the query goes on, the mark is inclusive.
/// * Without the server's time nobody knows the horizon: then the mark rises at the end of the query only, and a change
///   that is made while the query goes on can be missed. Dates more than a day ahead of the device's clock do not move
///   the mark then: one record of the year 9999 would hide every later change.
struct QueryProgress: Sendable, Hashable {
    /// The mark that the query started from.
    var base: HighWaterMark?
    /// When the first run of this query began: local edits since then are newer than what the query brings.
    var since: Int64
    /// Records that came, those that were kept out included; for trees: parents.
    var count = 0
    /// Records that will come; nil while the server has not told.
    var total: Int?
    /// The earliest that the server's time can have been when the query ran.
    var serverTime: Int64?
    /// What the dates of the records have shown; for trees: of the parents.
    var seen = SeenDates()
    /// Whether the last page told that the target held back a rest that it does not want.
    var isLimited = false
    /// For trees: the children of each part behind the first.
    var parts: [PartProgress] = []

    static let instantIsOverAfter: Int64 = 2000

    /// - Parameter partBases: for trees: the marks of the parts behind the first; those that lack have none.
    init(base: HighWaterMark?, since: Int64, partBases: [HighWaterMark?] = []) {
        self.base = base
        self.since = since
        parts = partBases.map { PartProgress(base: $0) }
    }

    /// The beginning of the second in which the query ran; a record of an earlier date came as it was then.
    var horizon: Int64? { serverTime.map { $0 - $0 % 1000 } }

    /// The latest date that can move the mark: the horizon, or without one the device's clock when the query began and
    /// ``clockTolerance``.
    var latest: Int64 { horizon ?? since.addingReportingOverflow(Self.clockTolerance).partialValue }

    /// How far the device's clock may be behind the server's, in milliseconds.
    static let clockTolerance: Int64 = 24 * 3_600_000

    /// Takes note of a saved page.
    mutating func add(_ page: SavedPage) {
        count += page.count
        seen.add(page.seen)
        for (position, seen) in page.parts.enumerated() {
            if position == parts.count { parts.append(PartProgress()) }
            parts[position].seen.add(seen)
        }
    }

    /// The marks of the parts behind the first, after the last page.
    var finalPartMarks: [HighWaterMark?] { parts.map { $0.finalMark(horizon, isOver: isOver) } }

    /// The same in the middle of the query.
    ///
    /// Only a query for everything sets them: for any other the marks that it started from count to its end.
    var runningPartMarks: [HighWaterMark?] { parts.map { base == nil ? $0.firstMark(horizon) : $0.base } }

    /// The mark after the last page of the query.
    var finalMark: HighWaterMark? {
        guard !seen.skippedWithoutDate, let time = reached else { return base }
        if let held = held(at: time) { return held }
        if let base, base.time == time, !base.inclusive { return base }
        return HighWaterMark(time: time, inclusive: !isOver(time))
    }

    /// Whether no record can be missing any more that has exactly this date.
    private func isOver(_ time: Int64) -> Bool {
        serverTime.map { $0 >= time.addingReportingOverflow(Self.instantIsOverAfter).partialValue } ?? false
    }

    /// The mark in the middle of a query whose pages come in ascending order of the date: further records of the last
    /// instant may be on the next page.
    var runningMark: HighWaterMark? {
        guard serverTime != nil, !seen.skippedWithoutDate, let highest = seen.highest else { return base }
        let time = max(highest, base?.time ?? highest)
        return held(at: time) ?? HighWaterMark(time: time, inclusive: true)
    }

    private var reached: Int64? {
        let isCut = seen.hasLaterChange || (isLimited && base == nil)
        return [base?.time, seen.highest, isCut ? horizon : nil].compactMap { $0 }.max()
    }

    private func held(at time: Int64) -> HighWaterMark? {
        seen.lowestSkipped.flatMap { $0 <= time ? HighWaterMark(time: $0, inclusive: true) : nil }
    }

    /// 0 to 99; nil while the total is unknown, or as soon as it turned out too low.
    var percentage: Int? {
        guard let total, total > 0, count < total else { return nil }
        return min(99, Int(clamping: Int64(count) * 100 / Int64(total)))
    }

    /// The numbers of records that are believed, wherever they come from.
    static let plausibleCounts = 0...1_000_000_000
}

extension Page {
    /// The number of records that the server says will come, if it can be.
    var plausibleTotal: Int? {
        totalSize.flatMap { QueryProgress.plausibleCounts.contains($0) ? $0 : nil }
    }
}

extension Timestamp {
    /// The instants that a clock can show, from 1970 to 2199.
    ///
    /// A later one is the error of a server or of a record: a high-water mark there would never be passed.
    static let plausible: ClosedRange<Int64> = 0...7_258_118_399_999
}
