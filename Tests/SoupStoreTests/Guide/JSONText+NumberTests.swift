// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupTestStores
import SoupSQLite
import SoupCore
import SoupTesting
import Testing

@testable import SoupStore

/// Numbers in the methods of the guide: none loses a digit.
@Suite struct JSONTextNumberTests {
    private let store: SmartStore
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        store = SmartStore(try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite")))
        try await store.registerSoup("s", [IndexSpec("k", .string), IndexSpec("x", .floating)])
    }

    private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text, locale: nil)) }

    /// Returns the stored entries, without the system fields.
    private func stored() async throws -> [String] {
        try await store.read { try $0.query(.all("s", orderedBy: "_soupEntryId", pageSize: 100)).entries }
            .map { $0.stored.description }
    }

    @Test func `Numbers keep their digits`() async throws {
        let entry: [String: Any] = [
            "decimal": try decimal("12345678901234567890.0123456789"), "exact": try decimal("0.1"),
            "foundation": NSDecimalNumber(decimal: try decimal("-98765432109876543210")),
            "huge": try decimal("1e100"), "int": Int64.min,
            "list": [UInt64.max, try decimal("0.12345678901234567891")],
            "number": NSNumber(value: UInt64.max), "optional": Optional(UInt64.max) as Any, "real": 0.1,
            "small": UInt8.max, "zero": try decimal("0"),
        ]
        let expected =
            #"{"decimal":12345678901234567890.0123456789,"exact":0.1,"foundation":-98765432109876543210,"huge":1"#
            + String(repeating: "0", count: 100)
            + #","int":-9223372036854775808,"list":[18446744073709551615,0.12345678901234567891],"#
            + #""number":18446744073709551615,"optional":18446744073709551615,"real":0.1,"small":255,"zero":0}"#
        let returned = try store.upsert(entries: [entry], forSoupNamed: "s")[0]
        #expect(try await stored() == [expected])

        #expect(returned["decimal"] as? Decimal == entry["decimal"] as? Decimal)
        #expect(returned["exact"] as? Double == 0.1)
        #expect(returned["foundation"] as? Decimal == (try decimal("-98765432109876543210")))
        #expect(returned["int"] as? Int == .min)
        #expect((returned["list"] as? [Any])?.first as? UInt64 == .max)
        #expect((returned["list"] as? [Any])?.last as? Decimal == (try decimal("0.12345678901234567891")))
        #expect(returned["number"] as? UInt64 == .max)
        #expect(returned["huge"] as? Double == 1e100)
        #expect(returned["small"] as? Int == 255)
        #expect(returned["zero"] as? Int == 0)

        // Writing the returned entry again changes nothing.
        let again = try store.upsert(entries: [returned], forSoupNamed: "s")[0]
        #expect(again["_soupEntryId"] as? Int == 1)
        let values = try JSONText(try await stored()[0])
        for (key, value) in try #require(try JSONText(expected).members) {
            let now = try #require(values.members?.first { $0.key == key }?.value)
            #expect(now == value, "\(key)")
        }
    }

    /// A server's number in ported code, and its bytes after an edit of another field.
    @Test(arguments: [
        ("1", "Int"), ("-0", "Double"), ("0.5", "Double"), ("1.50", "Double"), ("1E2", "Double"),
        ("9223372036854775807", "Int"), ("9223372036854775808", "UInt64"), ("18446744073709551615", "UInt64"),
        ("18446744073709551616", "Decimal"), ("18446744073709551617", "Decimal"), ("-9223372036854775808", "Int"),
        ("-9223372036854775809", "Decimal"), ("3.14159265358979323846", "Decimal"), ("0.1234567890123456", "Double"),
        ("12345678901234567890123456789012345678", "Decimal"), ("123456789012345678901234567890123456789", "Decimal"),
        ("1234567890123456789012345678901234567890123", "Double"),
        ("1e400", "Double"), ("1e-400", "Double"), ("12345678901234567890e-10", "Decimal"),
    ])
    func `A number has the first type that keeps its digits`(_ text: String, _ type: String) async throws {
        try await store.upsert([try JSONText(#"{"n":\#(text)}"#)], into: "s")
        var entry = try store.retrieve(usingSoupEntryIds: [1], fromSoupNamed: "s")[0]
        let number = try #require(entry["n"])
        #expect("\(Swift.type(of: number))".hasSuffix(type))
        let rows = try store.query("select {s:n} from {s}").get()
        #expect((rows.first as? [Any])?.count == 1)
        entry["k"] = "edited"
        try store.upsert(entries: [entry], forSoupNamed: "s")
        let kept = try #require(try JSONText(try await stored()[0]).members?.first { $0.key == "n" }?.value)
        // The number was not changed, so it keeps its bytes.
        #expect(kept.description == text)
        // All digits are kept, so that an exact reader gets the same number.
        if type != "Double" { #expect(Decimal(string: kept.description) == Decimal(string: text)) }
        #expect(kept.value == (try JSONValue(parsing: text)))
    }

    /// The parts that were not changed keep their bytes, at every level.
    @Test func `Unchanged parts keep their bytes`() async throws {
        let text = #"{"a":{"kept":[1E2, {"x":1e400}],"list":[1.50, 2.50, [3.50]],"n":1.50,"gone":1}}"#
        try await store.upsert([try JSONText(text), try JSONText(#"{"k":"b","a":{ "n" : 1E2 }}"#)], into: "s")
        var entries = try store.retrieve(usingSoupEntryIds: [1, 2], fromSoupNamed: "s")
        var members = try #require(entries[0]["a"] as? [String: Any])
        members["gone"] = nil
        members["n"] = 2
        members["list"] = [1.5, 7, [3.5]] as [Any]
        entries[0]["a"] = members
        entries[1]["k"] = "c"
        try store.upsert(entries: entries, forSoupNamed: "s")
        #expect(
            try await stored() == [
                #"{"a":{"kept":[1E2, {"x":1e400}],"list":[1.50,7,[3.50]],"n":2}}"#,
                #"{"a":{ "n" : 1E2 },"k":"c"}"#,
            ])
    }

    @Test func `NaN and infinity are refused`() async throws {
        try store.upsert(entries: [["k": "kept"]], forSoupNamed: "s")
        let values: [Any] = [
            Decimal.nan, NSDecimalNumber.notANumber, Double.nan, -Double.infinity, Float.nan,
            NSNumber(value: Double.nan),
            JSONValue.double(.nan),
        ]
        for value in values {
            let error = #expect(throws: SoupError.self) {
                try store.upsert(entries: [["k": "kept"], ["a": ["b": value]]], forSoupNamed: "s")
            }
            #expect(error?.code == .json)
            #expect(error?.place?.path?.hasPrefix("entries[1]") == true)
        }
        #expect(try await stored() == [#"{"k":"kept"}"#])
    }

    /// A comparison with a rounded number would find the wrong entries.
    @Test func `Arguments are exact or refused`() async throws {
        try await store.upsert([try JSONText(#"{"k":"a","x":0.1}"#)], into: "s")
        let spec = try #require(
            QuerySpec.buildSmartQuerySpec(smartSql: "select {s:k} from {s} where {s:x} = ?", pageSize: 10))
        for value in [try decimal("0.1"), 0.1, NSDecimalNumber(string: "0.1")] as [Any] {
            let rows = try store.query(using: spec, startingFromPageIndex: 0, whereArgs: [value])
            #expect(rows as? [[String]] == [["a"]])
        }
        let wholes = try store.query(using: spec, startingFromPageIndex: 0, whereArgs: [UInt64(1) << 63])
        #expect(wholes.isEmpty)
        for value in [try decimal("0.12345678901234567891"), UInt64.max] as [Any] {
            let error = #expect(throws: SoupError.self) {
                try store.query(using: spec, startingFromPageIndex: 0, whereArgs: [value])
            }
            #expect(error?.code == .json)
        }
    }

    /// Types of the app use Foundation's coders, which keep all digits that the type can represent.
    @Test func `Codable numbers keep their digits`() async throws {
        struct Amounts: Codable, Equatable {
            var id: UInt64
            var sum: Decimal
        }
        let amounts = Amounts(id: .max, sum: try decimal("12345678901234567890.0123456789"))
        let entry = try await store.upsert(encoding: [amounts], into: "s")[0]
        #expect(try entry.decode(Amounts.self) == amounts)
    }

    @Test(arguments: [511, 512, 513, 10_000]) func `The nesting of entries is limited`(_ depth: Int) async throws {
        var value: Any = 1
        for _ in 0..<depth - 1 { value = [value] }
        let entry = ["deep": value]
        if depth <= 512 {
            let returned = try store.upsert(entries: [entry], forSoupNamed: "s")[0]
            var inner = try #require(returned["deep"])
            for _ in 0..<depth - 1 { inner = try #require((inner as? [Any])?.first) }
            #expect(inner as? Int == 1)
        } else {
            let error = #expect(throws: SoupError.self) { try store.upsert(entries: [entry], forSoupNamed: "s") }
            #expect(error?.code == .json)
            #expect(try await stored() == [])
        }
    }
}
