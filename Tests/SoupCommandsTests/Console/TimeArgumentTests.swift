// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import Foundation
import SoupCore
import Testing

@testable import SoupCommands

@Suite struct TimeArgumentTests {
    private static let now = DateText.parse("2026-11-26T10:00:00Z") ?? .distantPast

    @Test(
        arguments: [
            ("2026-11-20", "2026-11-20T00:00:00.000Z"), ("2026-11-20T08:30:00Z", "2026-11-20T08:30:00.000Z"),
            ("2026-11-20T08:30:00+0200", "2026-11-20T06:30:00.000Z"), ("90m", "2026-11-26T08:30:00.000Z"),
            ("36h", "2026-11-24T22:00:00.000Z"), ("7d", "2026-11-19T10:00:00.000Z"), ("0m", "2026-11-26T10:00:00.000Z"),
            ("", nil), ("d", nil), ("-1d", nil), ("1.5h", nil), ("yesterday", nil), ("2026-13-01", nil),
            ("2026-02-30", nil),
            ("20261120", nil), ("99999999999d", nil),
        ] as [(String, String?)])
    func `A date or a duration is a time`(text: String, time: String?) {
        #expect(TimeArgument(text, now: Self.now).map { DateText.format($0.time, zone: "Z") } == time)
    }
}

#endif
