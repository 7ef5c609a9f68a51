// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

/// Pages of a query whose records are read after the members in front of them.
@Suite struct QueryPageCursorTests {
    private func page(_ body: String, head: QueryPageCursor? = nil, limit: Int? = nil) throws -> UnreadPage {
        try UnreadPage(query: HTTPAnswer(body), head: head, limit: limit)
    }

    /// Returns the page of the whole response.
    private func whole(_ body: String, head: QueryPageCursor? = nil, limit: Int? = nil) throws -> RecordPage {
        let answer = HTTPAnswer(body)
        let scan = try QueryPageScan(answer)
        return try scan.page([scan.batch()], answer: answer, head: head, limit: limit)
    }

    private func text(_ page: RecordPage) -> String {
        let records = page.levels.map { level in level.ranges.indices.map { "\(level[$0])" } }
        return
            "\(records) \(page.next?.rawValue ?? "end") \(page.totalSize ?? -1) \(page.serverTime?.millisecondsSince1970 ?? -1) \(page.isLimited)"
    }

    private static let front =
        #"{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-2","records":[{"Id":"a"},{"Id":"b"}]}"#
    private static let last = #"{"totalSize":3,"done":true,"records":[{"Id":"c"}]}"#
    private static let trailing =
        #"{"records":[{"Id":"a"}],"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-2"}"#
    private static let mixed = #"{"totalSize":1,"records":[{"Id":"a"}],"done":true}"#

    @Test(arguments: [front, last, trailing, mixed]) func `An unread page equals the page of the whole response`(
        body: String
    ) throws {
        let first = QueryPageCursor(
            url: "/v/query/01g-1", totalSize: body == Self.mixed ? 1 : 3, serverTime: Date(millisecondsSince1970: 5))
        for head in [nil, first] {
            for limit in [nil, 3] {
                let unread = try page(body, head: head, limit: limit)
                let whole = try whole(body, head: head, limit: limit)
                #expect(text(try unread.read()) == text(whole))
                #expect(unread.head.next == whole.next && unread.head.totalSize == whole.totalSize)
            }
        }
    }

    @Test func `Only a page with its envelope in front stays unread`() throws {
        #expect(try page(Self.front).head.levels.isEmpty)
        #expect(try page(Self.last).head.levels.isEmpty)
        #expect(try page(Self.trailing).head.levels.count == 1)
        #expect(try page(Self.mixed).head.levels.count == 1)
    }

    @Test func `Malformed records are reported when the page is read`() throws {
        let malformed = try page(String(Self.front.dropLast(3)))
        #expect(malformed.head.next?.rawValue == "3;;/v/query/01g-2")
        #expect { try malformed.read() } throws: { ($0 as? SoupError)?.code == .json }
        #expect { try page(#"{"totalSize":3,"done":false,"#) } throws: { ($0 as? SoupError)?.code == .json }
    }
}
