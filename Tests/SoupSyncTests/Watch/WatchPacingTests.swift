// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSync

@Suite struct WatchPacingTests {
    @Test(arguments: [
        (0, 1.0, 1.0), (75, 1.0, 1.0), (100, 1.0, 10.0), (500, 1.0, 10.0), (50, 0.5, 10.0), (37, 0.5, 1.0),
    ])
    func `Pauses grow when few requests are left`(used: Int, limit: Double, factor: Double) {
        #expect(WatchPacing.factor(APIUsage(used: used, maximum: 100), limit: limit) == factor)
    }

    @Test func `Pauses never become shorter with more used requests`() {
        let factors = (0...120).map { WatchPacing.factor(APIUsage(used: $0, maximum: 100), limit: 0.95) }
        #expect(factors == factors.sorted())
        #expect(factors.allSatisfy { (1...10).contains($0) })
    }
}
