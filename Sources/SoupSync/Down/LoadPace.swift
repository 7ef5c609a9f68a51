// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Measures whether a load spends more time waiting for the server than writing to the store.
///
/// During a bulk load, a store defers its indexes to the end, which reduces its work. If the load mostly waits for the
/// server, the indexes are better updated during that waiting time.
struct LoadPace {
    private let clock: any SoupClock
    private var arrival: Int64?
    private var end: Int64?
    private var pages = 0
    private var waited: Int64 = 0
    private var worked: Int64 = 0

    /// The number of pages to measure, and the minimum ratio of server time to store time.
    private static let (trial, ratio) = (3, Int64(2))
    /// The maximum number of records; with more records, updating the indexes would become slower than the server.
    private static let mostRows = 250_000

    init(_ clock: any SoupClock) { self.clock = clock }

    /// Records that a page has arrived.
    mutating func noteArrival() {
        let now = clock.milliseconds
        if let end { waited += max(0, now - end) }
        arrival = now
    }

    /// Records that the page has been written.
    mutating func noteWritten() {
        let now = clock.milliseconds
        if let arrival { worked += max(0, now - arrival) }
        end = now
        pages += 1
    }

    /// Whether the server is so much slower than the store that the store should not defer its indexes.
    ///
    /// - Parameter total: the number of records to fetch; `nil` if the server does not report it.
    func isSetByServer(of total: Int?) -> Bool {
        guard let total, total <= Self.mostRows, pages > Self.trial else { return false }
        return waited > worked * Self.ratio
    }
}
