// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Whether a load waits for the server or for the store.
///
/// A store leaves the indexes of a load for the end, which saves it work. Where it waits for the server anyway, the
/// work is better done while it waits.
struct LoadPace {
    private let clock: any SoupClock
    private var arrival: Int64?
    private var end: Int64?
    private var pages = 0
    private var waited: Int64 = 0
    private var worked: Int64 = 0

    /// The pages by which it is judged, and how many times longer the server must take than the store.
    private static let (trial, ratio) = (3, Int64(2))
    /// With more records, keeping indexes up to date would take longer than the server does in the end.
    private static let mostRows = 250_000

    init(_ clock: any SoupClock) { self.clock = clock }

    /// Takes note that a page is there.
    mutating func noteArrival() {
        let now = clock.now
        if let end { waited += max(0, now - end) }
        arrival = now
    }

    /// Takes note that the page is in the store.
    mutating func noteWritten() {
        let now = clock.now
        if let arrival { worked += max(0, now - arrival) }
        end = now
        pages += 1
    }

    /// Whether the server is so much slower that the store should leave nothing for the end.
    ///
    /// - Parameter total: the records that come; nil when the server does not tell.
    func isSetByServer(of total: Int?) -> Bool {
        guard let total, total <= Self.mostRows, pages > Self.trial else { return false }
        return waited > worked * Self.ratio
    }
}
