// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSync

@Suite struct ReturnedRecordsTests {
    private static let layout = RecordLayout(levels: [RecordLayout.Level(soup: "contacts")])

    /// The result for pages of IDs with the number of records that each announces.
    private func check(_ pages: [(ids: String, total: Int)], isNumbered: Bool) throws -> RecordPage.CountCheck {
        var returned = ReturnedRecords()
        var last = RecordPage(.empty)
        for (number, page) in pages.enumerated() {
            let isLast = number == pages.count - 1
            last = RecordPage(
                RecordBatch(try page.ids.map { try JSONText(#"{"Id": "\#($0)"}"#) }),
                next: isLast ? nil : PageCursor("\(number)"), totalSize: page.total)
            last.isNextTemporary = isNumbered && !isLast
            last.expectedCount = isLast ? page.total...page.total : nil
            returned.add(try FetchedPage(last, Self.layout), of: Self.layout)
        }
        return returned.check(last, count: pages.reduce(0) { $0 + $1.ids.count })
    }

    @Test(arguments: [true, false]) func `A list that stays as it is is complete`(isNumbered: Bool) throws {
        #expect(try check([("ab", 3), ("c", 3)], isNumbered: isNumbered) == .complete)
        #expect(try check([("ab", 4), ("c", 4)], isNumbered: isNumbered) == .tooFew(expected: 4))
        #expect(try check([("ab", 2), ("c", 2)], isNumbered: isNumbered) == .tooMany(expected: 2))
        // A record on two pages.
        #expect(try check([("ab", 3), ("b", 3)], isNumbered: isNumbered) == .tooFew(expected: 3))
        #expect(try check([("ab", 3), ("ac", 3)], isNumbered: isNumbered) == .complete)
    }

    @Test func `A list of numbered pages must not shrink`() throws {
        // a was deleted, so c is on the first page now.
        #expect(try check([("ab", 4), ("d", 3)], isNumbered: true) == .tooFew(expected: 4))
        #expect(try check([("ab", 3), ("bc", 4)], isNumbered: true) == .tooFew(expected: 4))
    }

    @Test func `Deletions behind a cursor are no loss`() throws {
        #expect(try check([("ab", 4), ("cd", 3)], isNumbered: false) == .complete)
        #expect(try check([("ab", 4), ("c", 3)], isNumbered: false) == .complete)
        #expect(try check([("ab", 4), ("c", 4), ("", 4)], isNumbered: false) == .tooFew(expected: 4))
        #expect(try check([("ab", 4), ("cdef", 3)], isNumbered: false) == .tooMany(expected: 4))
    }
}
