// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@testable import RESTTargets

@Suite struct SinceFilterTests {
    private func filter(_ format: String, _ comparison: String = ">=", overlap: Double = 0) throws -> SinceFilter {
        let json = #"{"format": "\#(format)", "operator": "\#(comparison)", "overlap": \#(overlap)}"#
        return SinceFilter(
            try JSONText(json).decode(SinceConfiguration.self),
            of: try Service(JSONText(#"{"path": "/a", "modified": "m"}"#).decode(ServiceConfiguration.self)))
    }

    @Test(arguments: [
        ("iso8601", ">=", 0, "2023-11-14T22:13:20.500Z"), ("iso8601", ">", 0, "2023-11-14T22:13:20.499Z"),
        ("epochSeconds", ">=", 0, "1700000000"), ("epochSeconds", ">", 0, "1699999999"),
        ("epochSeconds", ">", 10, "1699999989"), ("epochMilliseconds", ">", 0, "1700000000499"),
        ("httpDate", ">", 0, "Tue, 14 Nov 2023 22:13:19 GMT"), ("yyyy-MM-dd HH:mm:ss", ">", 0, "2023-11-14 22:13:19"),
        ("yyyy-MM-dd", ">=", 0, "2023-11-14"), ("yyyy-MM-dd", ">", 0, "2023-11-13"),
    ])
    func `The filter includes the mark`(
        _ format: String, _ comparison: String, _ overlap: Double, _ expected: String
    ) throws {
        let mark = HighWaterMark(time: Date(timeIntervalSince1970: 1_700_000_000.5), inclusive: true)
        #expect(try filter(format, comparison, overlap: overlap).text(from: mark) == expected)
    }
}
