// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import Testing

/// Records in a text that arrives in pieces, with an injected reader.
@Suite struct RecordStreamTests {
    private func records(_ text: String, pieces size: Int) throws -> [String] {
        var rest = Array(text.utf8)[...]
        var stream = RecordStream {
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
        var found: [String] = []
        while let batch = try stream.next() { found += batch.map(\.description) }
        return found
    }

    @Test(arguments: [1, 2, 3, 7, 1000]) func `All forms are read with every size of the pieces`(_ size: Int) throws {
        let odd = #"{"k": "a\"b{[\\", "n": {"m": [1, {}]}}"#
        for text in ["[\(odd),{}]", " [ \(odd) , {} ] \n", "\(odd)\n{}", "\n\n\(odd)\r\n\n{}\n"] {
            #expect(try records(text, pieces: size) == [odd, "{}"], "\(text)")
        }
        #expect(try records("{\"a\":\n1}", pieces: size) == ["{\"a\":\n1}"])
        #expect(try records("[]", pieces: size) == [])
    }

    @Test(arguments: [1, 5, 1000]) func `Errors have their place in the whole text`(_ size: Int) {
        let cases: [(String, Int, Int)] = [
            ("", 1, 1), (" \n ", 2, 2), ("5", 1, 1), ("[1]", 1, 2), ("{}\n{\"key\":}\n", 2, 8), ("{} {}", 1, 4),
            ("[{},]", 1, 5), ("[{}\n{}]", 2, 1), ("[{}", 1, 4), ("[{}] x", 1, 6), ("{\"a\": \"b\n{}", 1, 9),
            ("{}\n{\"a\": 1\n{}", 3, 1), ("\u{FEFF}{}", 1, 1), ("{}]", 1, 3),
        ]
        for (text, line, column) in cases {
            let error = #expect(throws: SoupError.self, "\(text)") { _ = try records(text, pieces: size) }
            #expect(error?.code == .json, "\(text)")
            #expect(
                [error?.place?.line, error?.place?.column] == [line, column], "\(text): \(error.map { "\($0)" } ?? "")")
        }
    }

    @Test func `Memory does not grow with the text`() throws {
        let record = Array((#"{"k": ""# + String(repeating: "x", count: 200) + "\"}\n").utf8)
        let piece = Array(repeatElement(record, count: 20).joined())
        var left = 500
        var stream = RecordStream {
            left -= 1
            return left >= 0 ? piece : []
        }
        var (count, largest) = (0, 0)
        while let batch = try stream.next() {
            count += batch.count
            largest = max(largest, batch.count)
        }
        #expect(count == 10_000 && largest == RecordStream.batchCount)
        #expect(stream.peak <= piece.count + record.count)
    }
}
