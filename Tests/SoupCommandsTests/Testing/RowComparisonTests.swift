// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

@testable import SoupCommands

@Suite struct RowComparisonTests {
    private static func texts(_ expected: [JSONObject], _ found: [JSONObject]) -> [String] {
        let rows = expected.enumerated().map { ExpectedRow(fields: $1, path: [.key("contacts"), .index($0)]) }
        let comparison = RowComparison(
            expected: ExpectedRows(source: .soup("contacts"), path: [.key("contacts")], rows: rows),
            names: TestNames(["ana": "003A"]), idField: "Id")
        return comparison.differences(from: found).map { "\($0.path.text): \($0.text)" }
    }

    @Test func `The order of the rows is ignored`() {
        let rows: [JSONObject] = [["Id": "003A", "Name": "a"], ["Id": "003B", "Name": "b"]]
        #expect(Self.texts([["Name": "b"], ["Name": "a"]], rows).isEmpty)
    }

    @Test func `Each difference names its record and its field`() {
        let found: [JSONObject] = [
            ["Id": "003A", "Name": "Ng", "Phone": "1", "Owner": ["Name": "Bo"]],
            ["Id": "003B", "Name": "Berg", "Phone": nil],
        ]
        #expect(
            Self.texts(
                [["Id": "@ana", "Phon": "1", "Owner": ["Name": "Eve"]], ["Name": "Lund"]], found) == [
                    #"contacts[0].Phon: soup "contacts": @ana: Phon: expected "1", found no such field"#
                        + "\n  Did you mean \"Phone\"?",
                    #"contacts[0].Owner.Name: soup "contacts": @ana: Owner.Name: expected "Eve", found "Bo""#,
                    #"contacts[1]: soup "contacts": missing record {"Name":"Lund"}"#,
                    #"contacts: soup "contacts": 003B: unexpected record {"Name":"Berg"}"#,
                ])
    }

    @Test func `Records are shown by their names`() {
        #expect(
            Self.texts([["Id": "@ana", "ReportsTo": "@ana"]], []) == [
                #"contacts[0]: soup "contacts": missing record {"Id":@ana,"ReportsTo":@ana}"#
            ])
        #expect(
            Self.texts([["Id": "003B", "ReportsTo": "003C"]], [["Id": "003B", "ReportsTo": "003A"]]) == [
                #"contacts[0].ReportsTo: soup "contacts": 003B: ReportsTo: expected "003C", found @ana"#
            ])
    }

    @Test func `No expected rows means that there must be none`() {
        #expect(Self.texts([], []).isEmpty)
        #expect(
            Self.texts([], [["attributes": ["type": "Contact"], "Id": "003B", "A": nil, "B": 1, "_soupEntryId": 1]])
                == [
                    #"contacts: soup "contacts": 003B: unexpected record {"B":1}"#
                ])
    }

    @Test func `Many unexpected rows are counted`() {
        let texts = Self.texts([], (1...RowComparison.limit + 3).map { ["Id": .int(Int64($0))] })
        #expect(texts.count == RowComparison.limit + 1)
        #expect(texts.last == #"contacts: soup "contacts": 3 more unexpected records"#)
    }
}

#endif
