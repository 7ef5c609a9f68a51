// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupLocalOrg

/// The formats of autonumber fields.
@Suite struct AutonumberFormatTests {
    private let time = DateText.milliseconds("2024-03-05T23:59:59Z") ?? 0

    @Test(
        arguments: [
            ("V-{00000}", "V-00007"), ("{0}", "7"), ("{00001000}-x", "00001007-x"),
            ("{YYYY}{MM}{DD}-{000}", "20240305-007"), ("{YY}/{0}", "24/7"), ("é{0}ß", "é7ß"),
        ])
    func `Numbers follow the format`(_ format: String, _ value: String) {
        #expect(AutonumberFormat(format)?.value(7, at: time) == value)
    }

    @Test(arguments: ["", "V-", "{}", "{x}", "{0", "0}", "{0}{0}", "{YYYY}", "{yyyy}{0}", "{{0}}", "{-1}"])
    func `A format needs a number`(_ format: String) { #expect(AutonumberFormat(format) == nil) }

    @Test func `Records contain the day of their creation`() throws {
        let seed = #"""
            {"freeze": "2024-03-05T23:00:00Z",
             "objects": {"T__c": {"fields": {"Name": {"type": "autonumber", "format": "{YYYY}-{MM}-{DD}/{00}"}}}},
             "seed": [{"object": "T__c", "modified": "2023-12-31T00:00:00Z"}]}
            """#
        let org = try LocalOrg(seed: OrgSeed(json: Array(seed.utf8)))
        try org.insert("T__c", [:])
        #expect(try org.state(of: "T__c").map { $0["Name"] } == ["2023-12-31/01", "2024-03-05/02"])
    }
}
