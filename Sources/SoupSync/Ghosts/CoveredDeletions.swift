// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The period whose deletions on the server have been applied to the entries of a sync.
///
/// A server dates a deletion inside a transaction, and reports it only when the transaction is committed. Therefore a
/// cleaning asks again about a part of the period (the lookback). One that skips this leaves the part to the next
/// cleaning that does not.
struct CoveredDeletions: Sendable, Hashable {
    /// The server's time up to which deletions have been applied, in milliseconds since 1970.
    var until: Int64
    /// The time from which the next cleaning that looks back has to ask, if it is earlier than ``until`` less the
    /// lookback.
    var unconfirmed: Int64?
    /// The time since which the server can have versions of children that no query has returned.
    ///
    /// `nil` for a target without children.
    ///
    /// In such a version a child can have another parent than in the store, with which it leaves the target although it
    /// has not changed since. A cleaning without a run does not move the time, because it fetches no records.
    var unseenChildren: Int64?

    init(until: Int64, unconfirmed: Int64? = nil, unseenChildren: Int64? = nil) {
        self.until = until
        self.unconfirmed = unconfirmed
        self.unseenChildren = unseenChildren
    }

    /// Returns the time from which a cleaning asks.
    ///
    /// - Parameters:
    ///   - lookback: the target's lookback in milliseconds.
    ///   - isSkipped: whether the cleaning skips it.
    func start(lookback: Int64, isSkipped: Bool) -> Int64 {
        if isSkipped { return until }
        let (start, isBeyond) = until.subtractingReportingOverflow(max(0, lookback))
        return max(0, min(unconfirmed ?? until, isBeyond ? 0 : start))
    }

    /// Returns whether a report shows that the server's clock was ahead when the period was saved, and was set back.
    ///
    /// The deletions after the report's end are then not covered, although the period contains their dates. A report
    /// can end a little before the last one without that.
    ///
    /// - Parameters:
    ///   - time: the time up to which the server reported deletions.
    ///   - lookback: the target's lookback in milliseconds.
    func isRefuted(byReportUntil time: Int64, lookback: Int64) -> Bool {
        time < start(lookback: max(lookback, Self.usualDelay), isSkipped: false)
    }

    /// The time by which a server's reports of deletions are usually behind its clock at most: ten minutes, in
    /// milliseconds.
    private static let usualDelay: Int64 = 600_000

    /// Returns the period after a cleaning.
    ///
    /// - Parameters:
    ///   - time: the time up to which the server reported deletions. An earlier one than before changes nothing.
    ///   - lookback: the target's lookback in milliseconds.
    ///   - isSkipped: whether the cleaning skipped it.
    ///   - unseenChildren: see ``unseenChildren``.
    func extended(to time: Int64, lookback: Int64, isSkipped: Bool, unseenChildren: Int64?) -> CoveredDeletions {
        CoveredDeletions(
            until: max(until, time), unconfirmed: isSkipped ? start(lookback: lookback, isSkipped: false) : nil,
            unseenChildren: unseenChildren)
    }

    /// Returns the part of the period before a time.
    func limited(to time: Int64) -> CoveredDeletions {
        CoveredDeletions(
            until: min(until, time), unconfirmed: unconfirmed.map { min($0, time) },
            unseenChildren: unseenChildren.map { min($0, time) })
    }

    /// Reads the members of a sync's row; invalid values count as missing.
    init?(row: JSONValue) {
        func time(_ key: String) -> Int64? {
            row[key]?.plausibleTime
        }
        guard let until = time("deletionsCovered") else { return nil }
        self.init(until: until, unconfirmed: time("deletionsUnconfirmed"), unseenChildren: time("childrenUnseen"))
    }
}

extension CoveredDeletions? {
    /// Returns a stamp that also sets the members of a sync's row.
    func setting(_ stamp: RecordBatch.Stamp) -> RecordBatch.Stamp {
        stamp.setting("deletionsCovered", self.map { .integer($0.until) })
            .setting("deletionsUnconfirmed", self?.unconfirmed.map { .integer($0) })
            .setting("childrenUnseen", self?.unseenChildren.map { .integer($0) })
    }
}
