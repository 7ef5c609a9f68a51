// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSalesforce
import SoupCore
import Testing

@Suite struct SOQLLiteralTests {
    @Test(arguments: ["O'Neil", "a\\", "\\'", "line\nbreak\t", "\u{1}\u{1F}", "é 漢 👩‍👩‍👧", "", "x' OR Name != '"])
    func `A string stays a single value`(_ text: String) throws {
        let query = try SOQLQuery(parsing: "select Id from A where Name = \(SOQLLiteral.string(text))")
        #expect(
            query.condition
                == .comparison(
                    SOQLComparison(.path(SOQLPath(["Name"])), .compare(.equal, .string(text)))))
    }

    @Test func `Lists and dates are written in the form of the server`() {
        #expect(SOQLLiteral.list(["A1", "A'2"]) == "('A1', 'A\\'2')")
        #expect(SOQLLiteral.dateTime(Date(millisecondsSince1970: 1_705_320_000_123)) == "2024-01-15T12:00:00.123Z")
    }

    @Test func `A pattern matches its text literally`() throws {
        let pattern = SOQLLiteral.pattern(containing: "100%_'\\")
        #expect(pattern == "'%100\\%\\_\\'\\\\%'")
        let query = try SOQLQuery(parsing: "select Id from A where Name like \(pattern)")
        guard case .comparison(let comparison) = query.condition, case .like(let kept) = comparison.test else {
            Issue.record("not a LIKE")
            return
        }
        #expect(kept == "%100\\%\\_'\\\\%")
    }
}
