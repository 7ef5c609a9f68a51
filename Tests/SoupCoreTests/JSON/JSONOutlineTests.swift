// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// Values taken from a scanned page by its outline equal those of a second reading.
@Suite struct JSONOutlineTests {
    private func equal(_ left: JSONProjected, _ right: JSONProjected) -> Bool {
        left.fields == right.fields && left.collected == right.collected
            && left.repeated.map(\.path) == right.repeated.map(\.path)
            && left.repeated.map(\.member) == right.repeated.map(\.member)
    }

    @Test func `Projections of a scanned page equal those of the bytes`() throws {
        var generator = JSONGenerator(seed: 12)
        let projection = JSONProjection(["a", "b", "a.b", "a.b.c", "Id", "kA", "ключ", "b.a", "c.Name", "", "a"])
        for _ in 0..<300 {
            let records = (0..<5).map { _ in generator.object(depth: 4) }
            let page = Array("{\"x\":1, \"records\" : [\(records.joined(separator: " , "))]}".utf8)
            let scan = try JSONScanner.page(page, recordsAt: "records")
            let scanned = RecordBatch(bytes: page, scan: scan)
            let plain = RecordBatch(bytes: page, ranges: scan.records)
            for (kept, original) in [(scanned, plain), (scanned.filter { $0 % 2 == 0 }, plain.filter { $0 % 2 == 0 })] {
                #expect(kept.ranges == original.ranges)
                for index in kept.ranges.indices {
                    var (fast, slow) = (JSONProjected(), JSONProjected())
                    try kept.project(projection, of: index, into: &fast)
                    try original.project(projection, of: index, into: &slow)
                    #expect(equal(fast, slow), "\(kept[index])")
                }
            }
        }
    }

    @Test func `Repeated, escaped and empty keys, and empty records`() throws {
        let page = Array(#"[{"a":1,"a":{"b":2},"":3},{},{"\u0061":[{"b":1},{"b":2}], "b" : null }]"#.utf8)
        let scanned = RecordBatch(bytes: page, scan: try JSONScanner.page(page, recordsAt: ""))
        let projection = JSONProjection(["a", "a.b", "", "b", "."])
        var result = JSONProjected()
        var found: [[String?]] = []
        var repeated: [String] = []
        for index in scanned.ranges.indices {
            try scanned.project(projection, of: index, into: &result)
            found.append(
                result.fields.map { JSONText.text(of: $0, in: page[...], collected: result.collected)?.description })
            repeated += result.repeated.map { String(decoding: page[$0.member], as: UTF8.self) }
        }
        #expect(
            found == [
                ["1", "2", scanned[0].description, nil, nil], [nil, nil, "{}", nil, nil],
                [#"[{"b":1},{"b":2}]"#, "[1,2]", scanned[2].description, "null", nil],
            ])
        #expect(repeated == [#""a":{"b":2}"#])
    }

    @Test func `Scans of parts of a page are joined`() throws {
        let page = Array(#"{"x":[{"a":1},{"a":2}],"y":[],"z":[null,{"b":{"a":3}},null,{"a":4}]}"#.utf8)
        let whole = try JSONScanner.page(page, recordsAt: "x", envelope: ["y", "z"])
        let parts = try [2, 0, 1].map { part in
            let range = part == 2 ? whole.envelope[1].range : part == 0 ? 5..<22 : whole.envelope[0].range
            return try JSONScanner.page(
                page, recordsAt: "", projecting: JSONProjection(["a"]), in: range, allowsNull: true)
        }
        #expect(parts.map(\.nullCount) == [2, 0, 0])
        #expect(parts.map(\.foundRecords) == [true, true, true])
        let batch = RecordBatch(bytes: page, scans: parts)
        #expect(
            batch.ranges.indices.map { batch[$0].description } == [
                #"{"b":{"a":3}}"#, #"{"a":4}"#, #"{"a":1}"#, #"{"a":2}"#,
            ])
        let plain = RecordBatch(bytes: page, ranges: batch.ranges)
        let projection = JSONProjection(["a", "b.a"])
        for index in batch.ranges.indices {
            var (fast, slow) = (JSONProjected(), JSONProjected())
            try batch.project(projection, of: index, into: &fast)
            try plain.project(projection, of: index, into: &slow)
            #expect(equal(fast, slow), "\(batch[index])")
        }
        #expect(
            parts.flatMap(\.fields).map { JSONText.text(of: $0, in: page[...])?.description } == [nil, "4", "1", "2"])
    }

    @Test(arguments: [(5..<80, JSONError.Reason.unexpectedEnd), (5..<21, .unexpectedEnd), (5..<23, .trailingBytes)])
    func `A part of a page ends with its range`(range: Range<Int>, reason: JSONError.Reason) throws {
        let page = Array(#"{"x":[{"a":1},{"a":2}],"y":[],"z":[null]}"#.utf8)
        let error = #expect(throws: JSONError.self) { try JSONScanner.page(page, recordsAt: "", in: range) }
        #expect(error?.reason == reason)
    }

    @Test func `A null among the records is an error unless it is allowed`() throws {
        #expect(throws: JSONError(.notAnObject, at: 1)) {
            try JSONScanner.page(Array("[null]".utf8), recordsAt: "")
        }
    }

    @Test func `Bytes that were not scanned are read again`() throws {
        let page = Array(#"[{"a":1}]"#.utf8)
        let scan = try JSONScanner.page(page, recordsAt: "")
        let other = RecordBatch(bytes: page + Array("  ".utf8), scan: scan)
        var result = JSONProjected()
        try other.project(JSONProjection(["a"]), of: 0, into: &result)
        #expect(result.fields == [JSONField(kind: .number, start: 6, end: 7, memberStart: 2)])
    }
}
