// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSync

@Suite struct RequestMeterTests {
    private static func report(_ used: Int, at time: Int64) -> UsageReport {
        UsageReport(usage: APIUsage(used: used, maximum: 100), time: time)
    }

    /// The time is 1,000 in all of them.
    @Test(
        arguments: [
            (time: 900, other: nil, expected: true), (time: 900, other: 899, expected: true),
            (time: 900, other: 900, expected: false), (time: 900, other: 901, expected: false),
            (time: 1000, other: 999, expected: true), (time: 900, other: 1001, expected: true),
            (time: 1001, other: nil, expected: false), (time: 1002, other: 1001, expected: false),
        ] as [(time: Int64, other: Int64?, expected: Bool)])
    func `The later report counts, unless it is of the future`(time: Int64, other: Int64?, expected: Bool) {
        let known = other.map { Self.report(1, at: $0) }
        #expect(Self.report(2, at: time).replaces(known, at: 1000) == expected)
    }

    @Test func `The number of another process replaces an earlier one`() {
        let meter = RequestMeter()
        meter.record(Self.report(5, at: 10), at: 20)
        meter.record(APIUsage(used: 6, maximum: 100), at: 20)
        meter.record(Self.report(5, at: 19), at: 30)
        #expect(meter.latest == Self.report(6, at: 20))
        meter.record(Self.report(95, at: 25), at: 30)
        #expect(meter.latest == Self.report(95, at: 25))
        #expect(meter.usage(reaching: 0.95, at: 30)?.used == 95)
        #expect(meter.usage(reaching: 0.96, at: 30) == nil)
        #expect(meter.usage(reaching: 0.95, at: 25 + UsageReport.validity) == nil)
    }

    @Test func `A response replaces a number of the future`() {
        let meter = RequestMeter()
        meter.record(APIUsage(used: 95, maximum: 100), at: 5000)
        meter.record(Self.report(7, at: 90), at: 100)
        #expect(meter.latest?.usage.used == 7)
        meter.record(Self.report(99, at: 5000), at: 100)
        #expect(meter.latest?.usage.used == 7)
    }
}
