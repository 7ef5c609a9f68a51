// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Testing

@Suite struct DateTextTests {
    @Test(
        arguments: [
            ("2015-02-05T13:12:03.956-0800", 1_423_170_723_956), ("2015-02-05T21:12:03.956+0000", 1_423_170_723_956),
            ("2015-02-05T21:12:03.956Z", 1_423_170_723_956), ("2015-02-05T21:12:03Z", 1_423_170_723_000),
            ("2015-02-05T22:42:03.9+01:30", 1_423_170_723_900), ("1970-01-01T00:00:00.000Z", 0),
            ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00.123456Z", 951_782_400_123),
        ] as [(String, Int64)])
    func `ISO 8601 times are read`(text: String, expected: Int64) {
        #expect(DateText.milliseconds(text) == expected)
        #expect(DateText.parse(text) == Date(millisecondsSince1970: expected))
    }

    @Test(arguments: [
        "", "2015", "2015-02-05", "2015-02-05T21:12:03", "2015-02-05 21:12:03Z", "2015-13-05T21:12:03Z",
        "2015-02-05T21:12:03.Z", "2015-02-05T21:12:03Zx", "2015-02-05T21:12:03+1", "x015-02-05T21:12:03Z",
    ])
    func `Texts that are not ISO 8601 times are refused`(text: String) {
        #expect(DateText.milliseconds(text) == nil)
        #expect(DateText.parse(text) == nil)
    }

    @Test func `Times are written as Foundation writes them`() throws {
        var random = SeededRandom(seed: 7)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<5_000 {
            let instant = Int64.random(in: -2_208_988_800_000..<64_060_588_800_000, using: &random)
            #expect(DateText.milliseconds(DateText.format(instant)) == instant)
            let exact = Date(millisecondsSince1970: instant)
            #expect(DateText.parse(DateText.format(exact)) == exact)
            let seconds = instant - (instant % 1000 + 1000) % 1000
            let date = Date(timeIntervalSince1970: Double(seconds) / 1000)
            #expect(DateText.format(seconds, zone: "Z") == date.formatted(style))
            #expect(DateText.format(date, zone: "Z") == date.formatted(style))
            #expect(DateText.parseHTTPDate(DateText.formatHTTPDate(seconds))?.millisecondsSince1970 == seconds)
            #expect(DateText.formatHTTPDate(date) == DateText.formatHTTPDate(seconds))
        }
        #expect(DateText.formatHTTPDate(784_111_777_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(arguments: [
        "Sun, 9223372036854775807 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 9223372036854775807 08:49:37 GMT",
        "Sun, 06 Nov 1994 9223372036854775807:49:37 GMT", "Sun, 06 Nov 1994 08:9223372036854775807:37 GMT",
        "Sun, 06 Nov 1994 08:49:9223372036854775807 GMT", "Mon, 99 Jan 2024 99:99:99 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT",
    ])
    func `Impossible HTTP dates are refused`(_ text: String) { #expect(DateText.parseHTTPDate(text) == nil) }
}
