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

    @Test func `Bytes that were not scanned are read again`() throws {
        let page = Array(#"[{"a":1}]"#.utf8)
        let scan = try JSONScanner.page(page, recordsAt: "")
        let other = RecordBatch(bytes: page + Array("  ".utf8), scan: scan)
        var result = JSONProjected()
        try other.project(JSONProjection(["a"]), of: 0, into: &result)
        #expect(result.fields == [JSONField(kind: .number, start: 6, end: 7, memberStart: 2)])
    }
}
