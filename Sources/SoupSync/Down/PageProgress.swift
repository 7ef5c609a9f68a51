// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The progress of a sync down after a page was written; it is saved in the same transaction as the page.
struct PageProgress: Sendable {
    let head: RecordPage
    /// Whether the target returns the records in the order of their modification dates, so that the mark can rise with
    /// each page.
    let isSorted: Bool
    /// Whether the run cleans the ghosts after the last page; the row is finished after that.
    let cleansGhosts: Bool
    /// Whether the cursor of the next page, or the token for the next run, contains a secret.
    ///
    /// A server can put the access token into the URL of the next page. The run uses that URL but does not save it. A
    /// run after an interruption starts from the high-water mark.
    let hasSecret: Bool
    let clock: any SoupClock

    /// Adds a page to the row and to the progress of the query.
    func add(_ page: SavedPage, to row: inout SyncRow, _ query: inout QueryProgress) {
        row.state.unsynced.skipped += page.counts.skipped
        row.state.unsynced.conflicted += page.counts.conflicted
        row.deletionsHeld += page.held.filter { !row.deletionsHeld.contains($0) }
        query.add(page)
        if query.total == nil { query.total = head.plausibleTotal }
        query.isLimited = head.isLimited
        query.hasAllChanges = head.hasAllChanges
        if let next = head.next {
            advance(&row, query, to: next)
        } else if head.failure != nil {
            repeatQuery(&row, query)
        } else {
            end(&row, query)
        }
        if hasSecret || head.isNextTemporary { row.resume = nil }
    }

    private func advance(_ row: inout SyncRow, _ query: QueryProgress, to next: PageCursor) {
        row.state.progress = query.percentage ?? row.state.progress
        row.state.totalSize = query.total ?? -1
        // A list of numbered pages may have moved between two requests, so an earlier record may be missing.
        if isSorted, !head.isUnfinished, !head.isNextTemporary {
            row.mark = query.runningMark
            row.levelMarks = query.runningLevelMarks
            setStarts(query.runningStarts, of: &row, query)
        }
        row.resume = ResumePoint(cursor: next, query: query)
    }

    /// Ends an incomplete query; the next run repeats the same query.
    private func repeatQuery(_ row: inout SyncRow, _ query: QueryProgress) {
        row.mark = query.base
        row.levelMarks = query.levels.map(\.base)
        setStarts(query.starts, of: &row, query)
        row.resume = nil
        row.state.totalSize = query.count
    }

    /// Sets the starts of the next query; one that did not look back keeps those of the last one that did.
    private func setStarts(_ starts: QueryStarts, of row: inout SyncRow, _ query: QueryProgress) {
        guard !query.skipsLookback else { return }
        let lookedBack = starts.lookedBack ?? row.starts.lookedBack
        row.starts = starts
        row.starts.lookedBack = lookedBack
    }

    private func end(_ row: inout SyncRow, _ query: QueryProgress) {
        row.mark = query.finalMark
        row.levelMarks = query.finalLevelMarks
        setStarts(query.finalStarts, of: &row, query)
        row.resume = nil
        // Changes that were skipped because of local ones are reported again only from the former token.
        if head.syncToken == nil || query.missesNothing { row.syncToken = hasSecret ? nil : head.syncToken }
        if !cleansGhosts { row.finish(query, at: clock.milliseconds) }
    }
}

extension SyncRow {
    /// Marks a sync down as done.
    mutating func finish(_ query: QueryProgress, at time: Int64) {
        state.status = .done
        state.progress = 100
        // The final total is the number of fetched records, not the number that the server announced.
        state.totalSize = query.finalCount
        state.times.end = time
    }
}
