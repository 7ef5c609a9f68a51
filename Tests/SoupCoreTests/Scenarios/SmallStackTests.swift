// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupCore

/// Every reader and writer of JSON with the deepest valid text, on a stack of 256 KiB.
@Suite struct SmallStackTests {
    /// 512 levels: arrays, objects, and both in turn.
    private static let texts: [String] = {
        let depth = JSONGrammar.maximumDepth
        func nested(_ open: [String], _ close: [String]) -> String {
            let opening = (0..<depth).map { open[$0 % open.count] }.joined()
            return opening + "1" + (0..<depth).reversed().map { close[$0 % close.count] }.joined()
        }
        return [nested(["["], ["]"]), nested([#"{"a":"#], ["}"]), nested([#"{"a":"#, "["], ["}", "]"])]
    }()
    /// Returns the value that is nested `levels` deep in a text.
    private static func inside(_ text: String, levels: Int) throws -> JSONText {
        try (0..<levels).reduce(JSONText(text)) { text, _ in text.elements?[0] ?? text.members?[0].value ?? text }
    }

    /// The same with one level more.
    private static let tooDeep = texts.map { "[" + $0 + "]" }

    @Test(arguments: texts) func `The scanner validates and slices`(_ text: String) async throws {
        try await SmallStack.run {
            _ = try JSONText(text)
            let parts = try JSONText("[\(text.dropFirst(text.hasPrefix("[") ? 1 : 5).dropLast())]")
            #expect(parts.elements?.count == 1)
            #expect(try JSONText(#"{"b": \#(parts.elements?[0].description ?? "")}"#).members?.count == 1)
        }
    }

    @Test(arguments: texts) func `Values are parsed, compared, hashed, printed and released`(_ text: String)
        async throws
    {
        try await SmallStack.run {
            let value = try JSONValue(parsing: text)
            let other = try JSONText(text).value
            #expect(value == other)
            #expect(Set([value, other]).count == 1)
            #expect(value.description == text)
            #expect(try value.jsonText().description == text)
            var copy = value
            copy = .array([value])
            #expect(copy != value)
            #expect(throws: JSONError.self) { try copy.jsonText() }
        }
    }

    @Test(arguments: tooDeep) func `Every reader refuses one level more`(_ text: String) async throws {
        try await SmallStack.run {
            #expect(throws: JSONError.self) { try JSONText(text) }
            #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        }
    }

    @Test(arguments: texts) func `A page is scanned with its envelope and its records`(_ text: String) async throws {
        try await SmallStack.run {
            let member = try Self.inside(text, levels: 2)
            let record = try Self.inside(text, levels: 3)
            let page = Array(#"{"x": \#(member), "records": [{"a": \#(record)}, {"b": 1}]}"#.utf8)
            let path = JSONPath(Array(repeating: "a", count: 512).joined(separator: "."))
            let scan = try JSONScanner.page(
                page, recordsAt: "records", envelope: ["x", JSONPath("x." + path.rawValue)],
                projecting: JSONProjection([path, "a"]))
            #expect(scan.records.count == 2)
            #expect(scan.fields.count == 4)
        }
    }

    @Test(arguments: texts) func `A path leads through every level`(_ text: String) async throws {
        try await SmallStack.run {
            let whole = try JSONText(text.hasPrefix("[") ? #"{"a":\#(text.dropFirst().dropLast())}"# : text)
            let levels = [1, 2, 255, 256, 511, 512]
            for count in levels {
                let path = JSONPath(Array(repeating: "a", count: count).joined(separator: "."))
                _ = whole[path]
                _ = whole[JSONPath(path.rawValue + ".b")]
            }
        }
    }

    @Test(arguments: texts) func `Problems of a configuration are located`(_ text: String) async throws {
        try await SmallStack.run {
            let document = ConfigurationDocument(Array(text.utf8), file: "deep.json")
            #expect(document.json != nil)
            let problem = ConfigurationProblem(at: SoupError.Place(path: "a.a[0]"), "wrong", hint: "Change it.")
            #expect(document.located([problem]).count == 1)
        }
    }

    @Test(arguments: texts) func `A text is converted by building`(_ text: String) async throws {
        try await SmallStack.run {
            let depth = try JSONText(text).building(
                scalar: { _ in 0 }, array: { ($0.max() ?? 0) + 1 }, object: { ($0.map(\.value).max() ?? 0) + 1 })
            #expect(depth == JSONGrammar.maximumDepth)
        }
    }

    @Test(arguments: texts) func `Records are merged`(_ text: String) async throws {
        try await SmallStack.run {
            let inner = String(text.dropFirst(text.hasPrefix("[") ? 1 : 5).dropLast())
            func record(_ rest: String) throws -> JSONText { try JSONText(#"{"a": \#(inner)\#(rest)}"#) }
            let merge = RecordMerge(
                base: try record(""), local: try record(#", "b": 1"#), remote: try record(#", "c": 1"#),
                serverMembers: [])
            #expect(merge.conflicts.isEmpty)
        }
    }

    /// A type of an app with a value of any shape.
    private struct Envelope: Codable {
        var value: JSONValue
    }

    @Test(arguments: texts) func `Nested values in an app's types are coded or refused`(_ text: String) async throws {
        try await SmallStack.run {
            let value = try JSONValue(parsing: text)
            #expect(try JSONText(encoding: value).description == text)
            #expect(try JSONText(text).decode(JSONValue.self) == value)
            #expect(throws: EncodingError.self) { try JSONText(encoding: Envelope(value: value)) }
            let deep = text.hasPrefix("[") ? text.dropFirst().dropLast() : text.dropFirst(5).dropLast()
            let envelope = try JSONText(#"{"value":\#(deep)}"#)
            #expect(throws: DecodingError.self) { try envelope.decode(Envelope.self) }
        }
    }

    @Test func `Values in an app's types may nest 31 levels`() async throws {
        try await SmallStack.run {
            let depth = JSONValue.codingDepth - 1
            let text = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
            let value = try JSONValue(parsing: text)
            let encoded = try JSONText(encoding: Envelope(value: value))
            #expect(encoded.description == #"{"value":\#(text)}"#)
            #expect(try encoded.decode(Envelope.self).value == value)
        }
    }
}
