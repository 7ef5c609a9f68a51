// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import RESTTargets

@Suite struct PagePositionTests {
    private func paging(_ kind: PagingKind) -> Paging {
        var configuration = PagingConfiguration(kind)
        if kind == .cursor { configuration.next = .body("next") }
        var faults = ConfigurationFaults()
        return Paging(configuration, faults: &faults)
    }

    @Test func `A position is read from its own cursor`() throws {
        let link = try #require(PageLink(stored: "/a?b=1"))
        let positions: [(PagePosition, PagingKind)] = [
            (.page(3, previousId: "a b"), .page), (.offset(20, previousId: "7"), .offset), (.cursor("x y"), .cursor),
            (.link(link), .link),
            (.after(date: .string("2026"), id: .integer(7)), .keyset), (.lastId("a b"), .lastId),
        ]
        for (position, kind) in positions {
            #expect(try PagePosition(position.cursor, paging(kind), usesCursorVariable: true) == position)
        }
    }

    @Test func `Other cursors have expired`() {
        var random = SeededRandom(seed: 9)
        let texts = [
            "", "3", "-1 a", "+3 a", "3 ", "99999999999999999999 a", "3 \u{1}", "[1]", "[1,2,3]", "{}", "x", "//a",
        ]
        let noise = (0..<1000).map { _ in
            String(decoding: (0..<9).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self)
        }
        for kind in PagingKind.allCases {
            for text in texts + noise {
                do {
                    let position = try PagePosition(PageCursor(text), paging(kind), usesCursorVariable: false)
                    #expect(position.cursor.rawValue == text || kind == .keyset, "\(kind) \(text.debugDescription)")
                } catch {
                    #expect((error as? SoupError)?.code == .cursorExpired)
                }
            }
        }
    }
}
