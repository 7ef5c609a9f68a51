// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSync

/// The times from which the next query starts.
@Suite struct QueryStartTests {
    private static let start = HighWaterMark(milliseconds: 1000, inclusive: true)

    struct Row: Sendable {
        var mark: HighWaterMark?
        var lookback: Int64 = 600
        var serverTime: Int64? = 5000
        var deviceTime: Int64 = 5000
        var hasAllChanges = false
        var lowestSkipped: Int64?
        var start: HighWaterMark? = QueryStartTests.start
        var expected: HighWaterMark?
    }

    private static func at(_ time: Int64) -> HighWaterMark { HighWaterMark(milliseconds: time, inclusive: true) }
    private static func after(_ time: Int64) -> HighWaterMark { HighWaterMark(milliseconds: time, inclusive: false) }

    static let rows: [Row] = [
        // A mark within the lookback, and one before it, which stays.
        Row(mark: after(4800), expected: at(4400)),
        Row(mark: after(3000), expected: after(3000)),
        Row(mark: after(4400), expected: at(4400)),
        // No lookback.
        Row(mark: after(4800), lookback: 0, expected: after(4800)),
        Row(mark: after(4800), lookback: 0, serverTime: nil, expected: after(4800)),
        // Without the server's time.
        Row(mark: after(4800), serverTime: nil, expected: at(4200)),
        Row(mark: after(1100), serverTime: nil, expected: at(1000)),
        // A header whose time is ahead, and a device whose clock is behind.
        Row(mark: after(4800), serverTime: 9000, expected: at(4400)),
        Row(mark: after(4800), deviceTime: 3000, expected: at(2400)),
        Row(mark: after(4800), deviceTime: 9000, expected: at(4400)),
        // More than a day: as without the server's time.
        Row(mark: after(4800), serverTime: 90_000_000, expected: at(4200)),
        Row(mark: after(4800), serverTime: 90_000_000, hasAllChanges: true, expected: at(4200)),
        Row(mark: after(4800), deviceTime: -90_000_000, expected: at(4200)),
        Row(mark: after(4800), serverTime: .max, deviceTime: .min, expected: at(4200)),
        // All changes up to the server's time, unless the device's clock contradicts.
        Row(mark: after(3000), hasAllChanges: true, expected: at(4400)),
        Row(mark: after(4800), hasAllChanges: true, expected: at(4400)),
        Row(mark: after(3000), deviceTime: 4000, hasAllChanges: true, expected: at(3400)),
        Row(mark: after(3000), deviceTime: 9000, hasAllChanges: true, expected: at(4400)),
        Row(mark: after(3000), deviceTime: 2000, hasAllChanges: true, expected: at(1400)),
        // Records to fetch again.
        Row(mark: after(4800), lowestSkipped: 4600, expected: at(4400)),
        Row(mark: after(4800), lowestSkipped: 2000, expected: at(2000)),
        Row(mark: after(4800), hasAllChanges: true, lowestSkipped: 2000, expected: at(2000)),
        // The query did not return records before its own start.
        Row(mark: after(4800), lowestSkipped: 500, expected: at(1000)),
        Row(mark: after(4800), lowestSkipped: 500, start: nil, expected: at(500)),
        // All records are missing.
        Row(mark: nil, expected: nil),
    ]

    @Test(arguments: rows) func `The next query starts where changes may be missing`(_ row: Row) {
        let query = QueryStart(
            lookback: row.lookback, serverTime: row.serverTime, deviceTime: row.deviceTime,
            hasAllChanges: row.hasAllChanges)
        #expect(query.next(after: row.mark, lowestSkipped: row.lowestSkipped, from: row.start) == row.expected)
    }

    @Test func `Damaged starts of a row count as missing`() throws {
        var starts = QueryStarts()
        #expect(starts.json == nil)
        starts.first = Self.at(4400)
        starts.levels = [nil, Self.after(7)]
        starts.lookedBack = 5000
        #expect(QueryStarts(starts.json) == starts)
        let damaged: JSONValue = ["first": 5, "levels": [["time": "x"], 1], "lookedBack": -1]
        var none = QueryStarts()
        none.levels = [nil, nil]
        #expect(QueryStarts(damaged) == none)
        #expect(QueryStarts(nil) == QueryStarts())
    }
}
