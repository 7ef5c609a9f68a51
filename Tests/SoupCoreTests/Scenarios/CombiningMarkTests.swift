// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// A combining mark after punctuation, such as U+0301, does not change the meaning of the punctuation.
///
/// In Swift's strings `'` and a mark are one character; for SQLite and for servers the quote is a quote.
@Suite struct CombiningMarkTests {
    @Test func `References in Smart SQL are found`() throws {
        func reference(_ text: String) throws -> SmartSQL.Reference? {
            for case .reference(let reference) in try SmartSQL("select \(text) from {s}").pieces { return reference }
            return nil
        }
        let first = try reference("{\u{301}s:a}")
        #expect(first?.soup == SoupName("\u{301}s") && first?.path == "a")
        let second = try reference("{s:\u{301}a}")
        #expect(second?.soup == "s" && second?.path == JSONPath("\u{301}a"))
        #expect(second?.source == "{s:\u{301}a}")
        #expect(throws: SoupError.self) { try reference("{s:\u{301}a:b}") }
        #expect(throws: SoupError.self) { try reference("{s{\u{301}:b}") }
        let match = try SmartSQL("select 1 from {s} where x match '{s:\u{301}a}:b'")
        #expect(
            match.pieces.contains { if case .reference(let inner) = $0 { inner.isInMatchKey } else { false } })
    }

    @Test func `Quotes in SQL literals are doubled`() {
        #expect(SmartSQL.literal("it's") == "'it''s'")
        #expect(SmartSQL.literal("") == "''")
        #expect(
            SmartSQL.literal("a'\u{301}; --").unicodeScalars.elementsEqual("'a''\u{301}; --'".unicodeScalars))
        let spec = QuerySpec(.match(path: nil, key: "a'\u{301} b"), soup: "s")
        #expect(spec.smartSQL.unicodeScalars.filter { $0 == "'" }.count == 4)
    }

    @Test func `Paths and member names are split at dots`() {
        #expect(JSONPath("a.\u{301}b").keys == ["a", "\u{301}b"])
        #expect(JSONPath(".\u{301}").keys == ["", "\u{301}"])
        #expect(throws: SoupError.self) { try RecordBatch.Stamp.checkNames(["a.\u{301}b"]) }
    }

    @Test func `Terms of match keys are qualified`() {
        let key = SmartSQL.qualifyMatchKey("(\u{301}a) \"\u{301}b c\"\u{301} +\u{301}", field: "{s:t}")
        let expected = "({s:t}:\u{301}a) {s:t}:\"\u{301}b c\"\u{301} +\u{301}"
        #expect(key.unicodeScalars.elementsEqual(expected.unicodeScalars), "\(key)")
        let named = "{s:t}\u{301}:a"
        #expect(SmartSQL.qualifyMatchKey(named, field: "{s:t}").unicodeScalars.elementsEqual(named.unicodeScalars))
    }
}
