// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupSalesforce
import Testing

@Suite struct BulkQueryOutcomeTests {
    @Test func `A page reports the outcome in its details`() {
        var page = RecordPage(.empty)
        #expect(page.bulkQuery == nil)
        page.details["other"] = "x"
        page.bulkQuery = .lost
        #expect(page.details == ["other": "x", "bulkQuery": "lost"])
        #expect(BulkQueryOutcome(in: page.details) == .lost)
        page.bulkQuery = nil
        #expect(page.details == ["other": "x"])
    }

    @Test(arguments: [[:], ["other": "used"], ["bulkQuery": ""], ["bulkQuery": "Used"]])
    func `Other details contain no outcome`(details: [String: String]) {
        #expect(BulkQueryOutcome(in: details) == nil)
    }
}
