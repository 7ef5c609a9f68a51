// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
import SoupTesting
import Testing

@testable import SoupLocalOrg

@Suite struct CSVWriterTests {
    private func read(_ text: String, delimiter: UInt8 = UInt8(ascii: ",")) throws -> [[String]] {
        var reader = CSVReader(Array(text.utf8), delimiter: delimiter)
        var records: [[String]] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test(arguments: [
        ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]), ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
        ("\u{FEFF}Id\n1\n", [["Id"], ["1"]]), ("a,,\n,\n", [["a", "", ""], ["", ""]]),
        ("\"a \"\"b\"\"\",\"c,d\"\n\"e\r\nf\"\n", [["a \"b\"", "c,d"], ["e\r\nf"]]),
        ("\n\na\n\r\n\nb\n\n", [["a"], ["b"]]),
        ("\"\"\n", [[""]]), ("", []), ("a\rb\n", [["a\rb"]]), ("é\u{301},\"\u{301}\"", [["é\u{301}", "\u{301}"]]),
        ("a", [["a"]]), ("a,", [["a", ""]]),
    ])
    func `Fields may be quoted`(_ text: String, _ records: [[String]]) throws {
        #expect(try read(text).map { $0.map { Array($0.utf8) } } == records.map { $0.map { Array($0.utf8) } })
    }

    @Test(arguments: [
        ("a\n\"b", 2, "a quote is not closed"), ("a\n\"b\nc", 2, "a quote is not closed"),
        ("\"a\"b", 1, "a character behind a closing quote"),
        ("a\nb\nc\"d", 3, "a quote in a field that is not quoted"),
        ("\"a\" ,b", 1, "a character behind a closing quote"),
    ])
    func `Malformed CSV is reported with its line`(_ text: String, _ line: Int, _ message: String) {
        #expect(throws: CSVReader.Failure(line: line, message: message)) { try read(text) }
    }

    @Test func `Text is UTF 8`() {
        var reader = CSVReader([0x61, 0xFF, 0x0A])
        #expect(throws: CSVReader.Failure(line: 1, message: "the text is not UTF-8")) { try reader.next() }
    }

    @Test func `Line endings are recorded`() throws {
        var reader = CSVReader(Array("a\n\"b\r\n\"\n".utf8))
        while try reader.next() != nil {}
        #expect(reader.sawLF && !reader.sawCRLF)
        reader = CSVReader(Array("a\r\n\"b\n\"\r\n".utf8))
        while try reader.next() != nil {}
        #expect(!reader.sawLF && reader.sawCRLF)
    }

    @Test func `Written records are read back`() throws {
        let pieces = [
            "a", "\"", "\n", "\r\n", "\r", ",", "\t", "|", ";", "^", "`", " ", "é", "\u{301}", "#N/A", "😀", "",
        ]
        var random = SeededRandom(seed: 7)
        for round in 0..<2000 {
            let delimiters = CSVFormat.delimiters
            let format = CSVFormat(delimiter: delimiters[round % delimiters.count].byte, usesCRLF: round % 5 == 0)
            let width = Int.random(in: 1...4, using: &random)
            let records = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                (0..<width).map { _ in
                    (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                        .joined()
                }
            }
            var writer = CSVWriter(format)
            for record in records { writer.line(record) }
            var reader = CSVReader(writer.bytes, delimiter: format.delimiter)
            for record in records {
                #expect(try reader.next()?.map { Array($0.utf8) } == record.map { Array($0.utf8) })
            }
            #expect(try reader.next() == nil)
            #expect(format.usesCRLF ? !reader.sawLF : !reader.sawCRLF)
        }
    }

    @Test func `Any bytes are read or refused`() {
        let alphabet = Array("\"\",,\n\r\na\u{FF}\u{00}".utf8) + [0xC3, 0xEF, 0xBB, 0xBF]
        var random = SeededRandom(seed: 11)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            var reader = CSVReader(bytes)
            var count = 0
            while let record = try? reader.next() { count += record.count }
            #expect(count <= bytes.count + 1)
        }
    }
}
