// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import Testing

/// A page is sliced into records without decoding them.
@Suite struct JSONScannerPageTests {
    @Test func `Records and envelope are read in one pass`() throws {
        let page = Array(
            #"{"totalSize":3,"records":[{"Id":"1","x":{"records":[1]}}, {"Id":"2"}],"nextRecordsUrl":"/n\/1"}"#.utf8)
        let scan = try JSONScanner.page(
            page, recordsAt: "records", envelope: ["totalSize", "nextRecordsUrl", "done"],
            projecting: JSONProjection(["Id", "y"]))
        #expect(scan.foundRecords)
        #expect(
            scan.records.map { String(decoding: page[$0], as: UTF8.self) } == [
                #"{"Id":"1","x":{"records":[1]}}"#, #"{"Id":"2"}"#,
            ])
        #expect(scan.envelope.map { JSONText.text(of: $0, in: page[...])?.value } == [3, "/n/1", nil])
        #expect(scan.fields.map { JSONText.text(of: $0, in: page[...])?.value } == ["1", nil, "2", nil])
    }

    @Test(
        arguments: [
            ("[{\"a\":1},{\"a\":2}]", "", 2, true), ("{\"data\":{\"items\":[{}]}}", "data.items", 1, true),
            ("{\"records\":[]}", "records", 0, true), ("{\"records\":null}", "records", 0, false),
            ("{}", "records", 0, false), ("{\"other\":[{}]}", "records", 0, false),
        ] as [(String, JSONPath, Int, Bool)])
    func `The records are found at their path`(text: String, path: JSONPath, count: Int, found: Bool) throws {
        let scan = try JSONScanner.page(Array(text.utf8), recordsAt: path)
        #expect(scan.records.count == count)
        #expect(scan.foundRecords == found)
    }

    @Test func `A record that is not an object is an error with a place`() {
        let page = Array(#"{"records":[{"a":1},7]}"#.utf8)
        #expect(throws: JSONError(.notAnObject, at: 20)) { try JSONScanner.page(page, recordsAt: "records") }
    }

    @Test func `A broken page is refused as a whole`() {
        for text in [
            #"{"records":[{"a":1}"#, #"{"records":[{"a":1}]"#, #"{"records":[{"a":1}]}}"#, #"{"records":[{"a":01}]}"#,
        ] {
            #expect(throws: JSONError.self) { try JSONScanner.page(Array(text.utf8), recordsAt: "records") }
        }
    }

    @Test func `Random pages are sliced, and mutated ones never crash`() throws {
        var generator = JSONGenerator(seed: 5)
        for _ in 0..<2_000 {
            let records = (0..<3).map { _ in generator.object(depth: 3) }
            let text =
                "{\"n\":\(generator.text(depth: 2)), \"records\" : [\(records.joined(separator: " , "))], \"z\":1}"
            let page = Array(text.utf8)
            let projection = JSONProjection(["a", "b.c"])
            let scan = try JSONScanner.page(page, recordsAt: "records", envelope: ["z"], projecting: projection)
            #expect(scan.records.map { String(decoding: page[$0], as: UTF8.self) } == records)
            for (index, record) in records.enumerated() {
                let field = scan.fields[index * 2]
                #expect(
                    try JSONText.text(of: field, in: page[...], collected: scan.collected)?.value
                        == JSONText(record)["a"])
            }
            let broken = generator.mutated(text)
            let valid = (try? JSONText(broken[...])) != nil
            let scanned = try? JSONScanner.page(broken, recordsAt: "records", projecting: projection)
            #expect(valid || scanned == nil)
        }
    }

    @Test func `A page is created from a server's response`() throws {
        let body = Array(#"{"items":[{"id":1}],"next":2,"total":9}"#.utf8)
        var answer = HTTPAnswer(.init(status: .ok), body: body)
        answer.response.headerFields[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
        let page = try RecordPage(answer, recordsAt: "items", nextAt: "next", totalAt: "total")
        #expect(page.levels.map { $0.indices.map { index in page.levels[0][index].description } } == [[#"{"id":1}"#]])
        #expect(page.next == PageCursor("2"))
        #expect(page.totalSize == 9)
        #expect(page.serverTime == Date(timeIntervalSince1970: 784_111_777))
        #expect(throws: SoupError.self) { try RecordPage(answer, recordsAt: "records") }
    }
}

extension RecordBatch {
    fileprivate var indices: Range<Int> { ranges.indices }
}
