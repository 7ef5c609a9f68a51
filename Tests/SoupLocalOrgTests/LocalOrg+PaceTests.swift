// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SoupLocalOrg

/// The pace of a body that a fault slows down.
@Suite struct LocalOrgPaceTests {
    private func pieces(_ pace: LocalOrg.Exchange.Pace, _ count: Int) -> [String] {
        pace.pieces(of: count).map { "\($0.range) \($0.pause)" }
    }

    @Test func `A slow body has ten pieces a second`() {
        let slow = LocalOrg.Exchange.Pace(bytesPerSecond: 20, stallAfter: 3, stall: 5000)
        #expect(pieces(slow, 6) == ["0..<2 100", "2..<3 100", "3..<5 5100", "5..<6 100"])
        #expect(pieces(slow, 0) == [])
        let still = LocalOrg.Exchange.Pace(bytesPerSecond: nil, stallAfter: 1, stall: 7)
        #expect(pieces(still, 3) == ["0..<1 0", "1..<3 7"])
    }

    @Test func `Pieces are created lazily`() {
        let slowest = LocalOrg.Exchange.Pace(bytesPerSecond: 1, stallAfter: nil, stall: 0)
        #expect(
            slowest.pieces(of: 1 << 40).prefix(2).map { "\($0.range) \($0.pause)" } == ["0..<1 1000", "1..<2 1000"])
    }
}
