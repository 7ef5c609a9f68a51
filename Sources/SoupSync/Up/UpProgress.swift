// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The progress of a sync up run: its row and its result so far.
///
/// Every change is reported to the app.
struct UpProgress: Sendable {
    private(set) var row: SyncRow
    private(set) var result: SyncResult
    private let report: RunReport
    /// The number of trees of the run, and the number of those that are done.
    private var total = 0
    private var done = 0

    init(_ row: SyncRow, report: RunReport) {
        self.row = row
        self.report = report
        result = SyncResult(state: row.state)
    }

    /// Returns the row for the number of trees that the run has to push.
    mutating func begin(trees: Int) -> SyncRow {
        total = trees
        row.state.totalSize = trees
        return row
    }

    /// Adds trees that the run has to push as well.
    mutating func add(trees count: Int) {
        total += count
        row.state.totalSize = total
    }

    /// Returns the row after more trees are done.
    func row(afterFinishing count: Int) -> SyncRow {
        var row = row
        row.state.progress = min(99, (done + count) * 100 / max(1, total))
        return row
    }

    /// Counts trees that are done without a transaction.
    mutating func finish(trees count: Int) { done += count }

    /// Counts trees that are done with a transaction that has saved `row`.
    mutating func finish(trees count: Int, row: SyncRow) {
        self.row.state.progress = row.state.progress
        done += count
    }

    /// Counts and reports outcomes.
    mutating func apply(_ outcomes: [RecordOutcome]) {
        for outcome in outcomes {
            result.count(outcome)
            row.state.unsynced.count(outcome)
            report.send(outcome)
        }
    }

    /// Reports the state, unless the end of the run is about to be reported.
    func reportState() {
        if total == 0 || done < total { report.send(row.state) }
    }

    /// Returns the row of the finished run.
    mutating func end(at time: Int64) -> SyncRow {
        row.state.status = .done
        row.state.progress = 100
        row.state.totalSize = total
        row.state.times.end = time
        return row
    }

    /// Reports the saved row of the finished run as its result.
    mutating func close() { result.state = row.state }
}
