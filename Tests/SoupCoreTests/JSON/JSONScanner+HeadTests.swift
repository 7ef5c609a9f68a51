// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupTesting
import Testing

@testable import SoupCore

/// The members before a given member of an object; the bytes after it are not read.
@Suite struct JSONScannerHeadTests {
    private func head(_ text: String) -> [String]? {
        let bytes = Array(text.utf8)
        return JSONScanner.head(bytes, before: "records", taking: ["next", "size.all"])?.map { field in
            field.isMissing ? "-" : String(decoding: bytes[field.range], as: UTF8.self)
        }
    }

    @Test(arguments: [
        (#"{"next": "/a", "x": [{"records": 1}], "size": {"all": 7}, "records": [!"#, [#""/a""#, "7"]),
        (#"{"records": [], "next": "/a"}"#, ["-", "-"]),
        // Of a repeated member the first is used, and escapes in keys are resolved.
        (#" { "next": 1, "next": 2, "re\u0063ords": []}"#, ["1", "-"]),
    ])
    func `Members before the named one are returned`(text: String, fields: [String]) {
        #expect(head(text) == fields)
    }

    @Test(arguments: [
        "", "[]", "7", "{}", #"{"next": 1}"#, #"{"next": 1, "rec"#, #"{"next": , "records": []}"#,
        #"{"next": 1 "records": []}"#, #"{"a": {"records": []}}"#, #"{"next": "\uD800x"#,
    ])
    func `Without the named member the result is nil`(text: String) {
        #expect(head(text) == nil)
    }

    /// For a page cut at any byte, or with any byte changed, the result is that of the scanner of whole pages.
    @Test func `A damaged page has the fields of a whole one, or none`() {
        let page = Array(#"{"size":{"all":[1,{"b":"\u00e9"}]},"next":"/x-2000","records":[{"a":1}],"z":null}"#.utf8)
        var random = SeededRandom(seed: 4)
        for _ in 0..<20_000 {
            var bytes = page
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            let paths: [JSONPath] = ["next", "size.all"]
            let head = JSONScanner.head(bytes, before: "records", taking: paths)
            guard let scan = try? JSONScanner.page(bytes, recordsAt: "records", envelope: paths), scan.foundRecords
            else { continue }
            #expect(
                head.map { $0.map(\.range) } == scan.envelope.map(\.range), "\(String(decoding: bytes, as: UTF8.self))")
        }
    }
}
