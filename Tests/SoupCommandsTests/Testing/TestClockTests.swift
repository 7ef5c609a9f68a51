// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

@testable import SoupCommands

@Suite struct TestClockTests {
    @Test func `A sleep moves the time and returns at once`() async throws {
        let clock = TestClock(at: 1_000)
        try await clock.sleep(for: .milliseconds(2_500))
        try await clock.sleep(for: .seconds(-5))
        try await clock.sleep(for: .seconds(Int64.max))
        clock.advance(by: -1)
        #expect(clock.milliseconds == 3_500)
        clock.advance(by: .max)
        #expect(clock.milliseconds == 3_500)
    }
}

#endif
