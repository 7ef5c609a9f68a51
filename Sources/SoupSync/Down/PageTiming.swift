// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The time that a run spends waiting for pages, and the time that it spends writing them.
///
/// During a bulk load, a store builds its indexes at the end, which takes less time in total. If the run mostly waits
/// for the server, the store can update the indexes during that waiting time instead.
struct PageTiming {
    private let clock: any SoupClock
    private var arrival: Int64?
    private var end: Int64?
    private var pages = 0
    private var waiting: Int64 = 0
    private var writing: Int64 = 0

    /// The number of pages to measure before a decision.
    private static let minimumPages = 3
    /// The minimum ratio of the time spent waiting to the time spent writing.
    private static let minimumRatio: Int64 = 2
    /// The maximum number of records; with more records, updating the indexes would become slower than the server.
    private static let maximumRecords = 250_000

    init(_ clock: any SoupClock) { self.clock = clock }

    /// Records that a page has arrived.
    mutating func pageArrived() {
        let now = clock.milliseconds
        if let end { waiting += max(0, now - end) }
        arrival = now
    }

    /// Records that the page has been written.
    mutating func pageWritten() {
        let now = clock.milliseconds
        if let arrival { writing += max(0, now - arrival) }
        end = now
        pages += 1
    }

    /// Returns whether the server is so slow that the store should update its indexes with each page.
    ///
    /// - Parameter total: the number of records to fetch; `nil` if the server does not report it.
    func isLimitedByServer(total: Int?) -> Bool {
        guard let total, total <= Self.maximumRecords, pages > Self.minimumPages else { return false }
        return waiting > writing * Self.minimumRatio
    }
}
