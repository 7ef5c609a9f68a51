// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Testing

@Suite struct DateMillisecondsTests {
    /// The first and the last millisecond of the years 0 to 9999.
    private static let years: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    @Test func `Milliseconds of the years 0 to 9999 stay exact`() {
        var random = SystemRandomNumberGenerator()
        let ends = [Self.years.lowerBound, Self.years.upperBound, -1, 0, 1, 978_307_199_999, 978_307_200_000]
        let times = ends + (0..<100_000).map { _ in Int64.random(in: Self.years, using: &random) }
        for time in times {
            let date = Date(millisecondsSince1970: time)
            guard date.millisecondsSince1970 == time else {
                Issue.record("\(time) becomes \(date.millisecondsSince1970)")
                continue
            }
        }
        for (time, next) in zip(times, times.dropFirst()) where time != next {
            let isEarlier = Date(millisecondsSince1970: time) < Date(millisecondsSince1970: next)
            #expect(isEarlier == (time < next))
        }
    }

    @Test func `Dates that an app creates are rounded`() {
        #expect(Date(timeIntervalSince1970: 1_705_320_000.1234).millisecondsSince1970 == 1_705_320_000_123)
        #expect(Date(timeIntervalSince1970: 1_705_320_000.1238).millisecondsSince1970 == 1_705_320_000_124)
        #expect(Date(timeIntervalSince1970: -0.0006).millisecondsSince1970 == -1)
    }

    @Test func `Dates out of range are limited`() {
        #expect(Date(timeIntervalSince1970: .infinity).millisecondsSince1970 == .max)
        #expect(Date(timeIntervalSince1970: -1e300).millisecondsSince1970 < -9_000_000_000_000_000_000)
        #expect(Date.distantFuture.millisecondsSince1970 > Self.years.lowerBound)
        _ = Date(timeIntervalSince1970: .nan).millisecondsSince1970
        for time in [Int64.min, .max] { _ = Date(millisecondsSince1970: time).millisecondsSince1970 }
    }

    @Test func `Durations become milliseconds, rounded up`() {
        #expect(Duration.zero.milliseconds == 0)
        #expect(Duration.seconds(60).milliseconds == 60_000)
        #expect(Duration.milliseconds(-1).milliseconds == -1)
        #expect(Duration.microseconds(1).milliseconds == 1)
        #expect(Duration.microseconds(-1).milliseconds == 0)
        #expect(Duration.microseconds(-1001).milliseconds == -1)
        #expect(Duration.milliseconds(Int64.max).milliseconds == .max)
        #expect(Duration.milliseconds(Int64.min).milliseconds == .min)
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
        #expect(Duration.seconds(Int64.min).milliseconds == .min)
    }

    @Test func `Stored marks and states keep milliseconds`() throws {
        let mark = HighWaterMark(time: Date(millisecondsSince1970: 1_705_320_000_123), inclusive: true)
        let json = try JSONValue(parsing: Array(try JSONEncoder().encode(mark)))
        #expect(json == ["time": 1_705_320_000_123, "inclusive": true])
        #expect(try JSONDecoder().decode(HighWaterMark.self, from: JSONEncoder().encode(mark)) == mark)
        let definition = SyncDefinition(type: .syncDown, soup: "s", target: TargetReference([:]))
        var state = SyncState(id: 1, definition: definition)
        #expect(state.maxTimeStamp == nil && state.startTime == nil && state.endTime == nil)
        let times = ["maxTimeStamp", "startTime", "endTime"]
        #expect(times.map { state.json[$0] } == [-1, 0, 0])
        (state.maxTimeStamp, state.startTime, state.endTime) = (mark.time, mark.time, mark.time)
        #expect(times.map { state.json[$0] } == Array(repeating: 1_705_320_000_123, count: 3))
        #expect(SoupEntry(id: 1, version: mark.milliseconds, stored: try JSONText("{}")).lastModified == mark.time)
    }

    @Test func `The clock of the device has whole milliseconds`() {
        let now = SystemClock().now
        #expect(Date(millisecondsSince1970: now.millisecondsSince1970) == now)
    }

    @Test func `A manual clock accepts every duration`() async throws {
        let clock = ManualClock.advancing(from: Date(millisecondsSince1970: 5))
        try await clock.sleep(for: .seconds(Int64.max))
        #expect(clock.milliseconds > Self.years.upperBound)
        clock.advance(by: .seconds(Int64.min))
        clock.advance(by: .seconds(Int64.min))
        #expect(clock.milliseconds < Self.years.lowerBound)
    }
}
