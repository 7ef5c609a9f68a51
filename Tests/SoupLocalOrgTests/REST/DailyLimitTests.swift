// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SoupLocalOrg

@Suite struct DailyLimitTests {
    private let day: Int64 = 86_400_000

    @Test func `Calls up to the maximum are counted`() throws {
        var limit = DailyLimit()
        #expect(limit.calls(at: 5) == 0)
        try limit.countCall(at: 5, maximum: 2)
        try limit.countCall(at: day - 1, maximum: 2)
        let error = #expect(throws: OrgError.self) { try limit.countCall(at: day - 1, maximum: 2) }
        #expect(error?.status == 403 && error?.items.first?.code == "REQUEST_LIMIT_EXCEEDED")
        #expect(limit.calls(at: day - 1) == 2)
    }

    @Test func `Each day begins without calls`() throws {
        var limit = DailyLimit()
        limit.add(7, at: 0)
        limit.add(2, at: day - 1)
        #expect(limit.calls(at: 0) == 9 && limit.calls(at: day) == 0)
        try limit.countCall(at: day, maximum: 1)
        #expect(limit.calls(at: day) == 1)
    }

    @Test func `A batch may exceed the limit, the next call may not`() {
        var limit = DailyLimit()
        limit.add(25, at: 0)
        #expect(limit.calls(at: 0) == 25)
        #expect(throws: OrgError.self) { try limit.countCall(at: 0, maximum: 25) }
    }
}
