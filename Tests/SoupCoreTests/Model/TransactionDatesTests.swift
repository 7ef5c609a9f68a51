// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct TransactionDatesTests {
    @Test func `A date is the time, or follows the last date`() {
        var dates = TransactionDates()
        #expect(dates.next(at: -5) == -5)
        dates.note(100)
        dates.note(90)
        #expect([dates.next(at: 99), dates.next(at: 100), dates.next(at: 101)] == [101, 101, 101])
        #expect(dates.next(at: 200) == 200)
    }
}
