// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

/// The validity of a text, and the position of its first invalid byte.
@Suite struct JSONScannerTests {
    @Test(arguments: [
        ("", JSONError(.unexpectedEnd, at: 0)),
        ("  ", JSONError(.unexpectedEnd, at: 2)),
        ("{", JSONError(.unexpectedEnd, at: 1)),
        ("{\"a\"", JSONError(.unexpectedEnd, at: 4)),
        ("{\"a\":1,}", JSONError(.unexpectedByte, at: 7)),
        ("[1,]", JSONError(.unexpectedByte, at: 3)),
        ("[1 2]", JSONError(.unexpectedByte, at: 3)),
        ("{a:1}", JSONError(.unexpectedByte, at: 1)),
        ("'a'", JSONError(.unexpectedByte, at: 0)),
        ("01", JSONError(.badNumber, at: 0)),
        ("1.", JSONError(.badNumber, at: 0)),
        ("-", JSONError(.unexpectedEnd, at: 1)),
        ("1e", JSONError(.badNumber, at: 0)),
        ("NaN", JSONError(.unexpectedByte, at: 0)),
        ("tru", JSONError(.unexpectedEnd, at: 3)),
        ("nulL", JSONError(.unexpectedByte, at: 3)),
        ("\"a", JSONError(.unexpectedEnd, at: 2)),
        ("\"\\x\"", JSONError(.badEscape, at: 1)),
        ("\"\\u12G4\"", JSONError(.badEscape, at: 5)),
        ("\"\\ud800\"", JSONError(.loneSurrogate, at: 1)),
        ("\"\\ud800\\u0041\"", JSONError(.loneSurrogate, at: 1)),
        ("\"\\udc00\"", JSONError(.loneSurrogate, at: 1)),
        ("\"a\nb\"", JSONError(.controlCharacter, at: 2)),
        ("1 2", JSONError(.trailingBytes, at: 2)),
        ("{} x", JSONError(.trailingBytes, at: 3)),
    ])
    func `Invalid JSON is refused with its position`(text: String, error: JSONError) {
        #expect(throws: error) { try JSONText(text) }
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xC2, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82],
        ] as [[UInt8]])
    func `Malformed UTF-8 is refused`(bytes: [UInt8]) {
        #expect(throws: JSONError(.badUTF8, at: 1)) { try JSONText(bytes[...]) }
    }

    @Test func `512 levels of nesting are accepted, 513 refused`() throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        _ = try JSONText(deep)
        #expect(throws: JSONError(.tooDeep, at: 512)) { try JSONText("[" + deep + "]") }
        let mixed = String(repeating: "{\"a\":[", count: 5_000) + "1" + String(repeating: "]}", count: 5_000)
        #expect(throws: JSONError.self) { try JSONText(mixed) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: mixed) }
    }

    @Test(arguments: [1, 12, 123] as [UInt64])
    func `The scanner agrees with Foundation on random texts`(seed: UInt64) throws {
        var generator = JSONGenerator(seed: seed)
        var counts = (accepted: 0, refused: 0)
        for round in 0..<20_000 {
            let text = generator.text()
            let bytes = round.isMultiple(of: 3) ? Array(text.utf8) : generator.damaged(text)
            // Foundation guesses other encodings from a byte order mark and from zero bytes.
            if bytes.contains(0) || bytes.starts(with: [0xEF, 0xBB, 0xBF]) { continue }
            let ours = Result { () throws(JSONError) in try JSONText(bytes[...]) }
            let theirs = Result { try JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed]) }
            switch (ours, theirs) {
            case (.failure(let error), .success):
                let shown = String(decoding: bytes, as: UTF8.self).debugDescription
                #expect(Self.isTrailingComma(bytes, error), "refused by the scanner alone: \(shown) \(error)")
            case (.success, .failure(let error)):
                // Numbers that no Double can hold.
                #expect("\(error)".contains("umber"), "refused by Foundation alone: \(error)")
            case (.failure(let error), .failure):
                #expect((0...bytes.count).contains(error.offset))
                counts.refused += 1
            case (.success, .success): counts.accepted += 1
            }
        }
        #expect(counts.accepted > 6_000 && counts.refused > 6_000, "\(counts)")
    }

    /// Returns whether the error is a comma before a closing bracket, which only Foundation accepts.
    private static func isTrailingComma(_ bytes: [UInt8], _ error: JSONError) -> Bool {
        let before = bytes[..<error.offset].last { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        return before == UInt8(ascii: ",") && error.offset < bytes.count && "]}".utf8.contains(bytes[error.offset])
    }

    @Test func `Values that are written and read again are equal`() throws {
        var generator = JSONGenerator(seed: 2)
        for _ in 0..<5_000 {
            let text = generator.text()
            let value = try JSONValue(parsing: text)
            #expect(try JSONValue(parsing: value.jsonText().description) == value)
            #expect(try JSONText(text).value == value)
        }
    }

    @Test func `Values agree with Foundation's`() throws {
        var generator = JSONGenerator(seed: 3)
        for _ in 0..<2_000 {
            let text = generator.text()
            let ours = try JSONValue(parsing: text)
            let theirs = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
            #expect(ours == theirs, "\(text)")
        }
    }

    @Test(arguments: ["1e400", "-1e400", "[1e309, -1e99999]", #"{"a": 1E+999}"#])
    func `Numbers beyond the range of doubles can be written`(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(try JSONText(value).value == value)
        #expect(try JSONText(text).value == value)
        #expect(try JSONText(text).description == text, "the text itself stays")
    }

    @Test func `NaN and infinity cannot be written`() {
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: JSONError.self) { try JSONText(.array([.double(value)])) }
        }
    }
}
