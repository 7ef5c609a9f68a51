// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSalesforce
import SoupCore
import Testing

/// The results of bulk queries as records.
@Suite struct CSVRecordsTests {
    private let none = CSVRecords(
        kinds: ["Id": .text, "Name": .text, "Count__c": .number, "On__c": .boolean, "At": .dateTime],
        object: ("Thing__c", "/v/sobjects/Thing__c/"))

    private func records(_ csv: String) throws -> [String] {
        var records = none
        _ = try records.add(Array(csv.utf8))
        return texts(records)
    }

    private func texts(_ records: CSVRecords) -> [String] {
        let batch = records.batch
        return (0..<batch.count).map { "\(batch[$0])" }
    }

    @Test func `Values are converted to the types of their columns`() throws {
        let csv = """
            "Id","name","Count__c","On__c","At"
            "a1","Ann","12.0","true","2024-01-15T12:00:00.000Z"
            a2,,-3,false,2024-01-15T12:00:00.000+0000

            """
        let head = #"{"attributes":{"type":"Thing__c","url":"/v/sobjects/Thing__c/"#
        #expect(
            try records(csv) == [
                head
                    + #"a1"},"Id":"a1","Name":"Ann","Count__c":12.0,"On__c":true,"At":"2024-01-15T12:00:00.000+0000"}"#,
                head + #"a2"},"Id":"a2","Name":null,"Count__c":-3,"On__c":false,"At":"2024-01-15T12:00:00.000+0000"}"#,
            ])
    }

    @Test(arguments: [
        ("\"say \"\"x\"\"\"", #""say \"x\"""#), ("\"a,b\r\nc\"", #""a,b\r\nc""#), ("\"\"\"\"", #""\"""#),
        ("\"\"", "null"), ("a\u{1}b\\", #""a\u0001b\\""#), ("\",\u{301}\"", "\",\u{301}\""),
    ])
    func `Text is kept character by character`(value: String, json: String) throws {
        for end in ["", "\n", "\r\n"] {
            let expected = #"{"attributes":{"type":"Thing__c"},"Name":"# + json + "}"
            #expect(try records("Name\n\(value)\(end)").first.map { Array($0.utf8) } == Array(expected.utf8), "\(end)")
        }
    }

    @Test(arguments: [
        "Id,Nope\na,b\n", "Id,Name\na\n", "Id,Name\na,b,c\n", "Name\n\"open", "Name\n\"a\"b\n", "Count__c\n1x\n",
        "Count__c\n\"\"\"\"\n", "On__c\nTRUE\n",
    ])
    func `Malformed CSV is rejected`(csv: String) throws {
        #expect(throws: SoupError.self) { try records(csv) }
    }

    @Test func `Pieces are added one after the other`() throws {
        var records = none
        records.reserve(100)
        func added(_ csv: String, until end: String) throws -> String {
            let piece = try records.add(Array(csv.utf8), until: end)
            return "\(piece.count) \(piece.firstId ?? "none")\(piece.isAtEnd ? " end" : "")"
        }
        #expect(try added("Name,Id\nAnn,a1\nBob,a2\nCid,a3\n", until: "a3") == "3 a1 end")
        #expect(try added("Id\nb1\n", until: "a3") == "1 b1")
        // Records after the end are counted, and must be complete.
        #expect(try added("Id\nc1\nc2\n", until: "c1") == "2 c1 end")
        #expect(throws: SoupError.self) { try added("Id\nc1\nc2,x\n", until: "c1") }
        #expect(try added("", until: "c1") == "0 none")
        func record(_ id: String, _ members: String) -> String {
            #"{"attributes":{"type":"Thing__c","url":"/v/sobjects/Thing__c/\#(id)"},\#(members)}"#
        }
        #expect(
            texts(records) == [
                record("a1", #""Name":"Ann","Id":"a1""#), record("a2", #""Name":"Bob","Id":"a2""#),
                record("b1", #""Id":"b1""#),
            ])
    }

    @Test func `Empty CSV and a header alone contain no records`() throws {
        #expect(try records("").isEmpty)
        #expect(try records("Id,Name\n").isEmpty)
    }

    @Test func `A cursor is restored from its text`() throws {
        var cursor = BulkQueryCursor(
            job: "750R0000000zlh9IAA", totalSize: 12, serverTime: Date(millisecondsSince1970: 5),
            kinds: ["Id": .text, "On__c": .boolean])
        #expect(BulkQueryCursor(cursor.pageCursor) == cursor)
        cursor.segments = []
        cursor.waiting = ["/v/results?locator=c"]
        #expect(BulkQueryCursor(cursor.pageCursor) == cursor)
        cursor.segments = [
            .init(url: "/v/results?locator=a", end: "001 \"x"), .init(url: "/v/results?locator=b", end: nil),
        ]
        cursor.more = "/v/resultPages?locator=d"
        #expect(BulkQueryCursor(cursor.pageCursor) == cursor)
        for path in ["//example.org/", "https://example.org/", "/a b", "x"] {
            var invalid = cursor
            invalid.more = path
            #expect(BulkQueryCursor(invalid.pageCursor) == nil)
            invalid.more = nil
            invalid.waiting = [path]
            #expect(BulkQueryCursor(invalid.pageCursor) == nil)
            invalid.waiting = []
            invalid.segments = [.init(url: path, end: nil)]
            #expect(BulkQueryCursor(invalid.pageCursor) == nil)
        }
        for text in ["", "bulk:", "bulk:{}", #"bulk:{"job":"../x","total":1}"#, "12;5;/v/query/01g-2000"] {
            #expect(BulkQueryCursor(PageCursor(text)) == nil, "\(text)")
        }
    }
}
