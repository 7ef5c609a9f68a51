// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupCore

/// The JSON scanner, with Foundation's parser beside it.
///
/// The two agree on what is JSON, but for these, on purpose:
/// * Foundation takes a comma before a closing bracket; the grammar does not.
/// * Foundation takes UTF-16, UTF-32 and a byte order mark; a soup holds UTF-8.
/// * Foundation refuses numbers that no double holds; the scanner keeps their text.
/// * a key that stands twice is taken by both; here its first value counts.
struct JSONKind: FuzzKind {
    let name = "json"
    let words = [
        "null", "true", "false", "{\"records\":[", "]}", "\"a\":", "\"\":", ",", "\"\\u0041\"", "[[", "{}", "[]",
        "1.5e3",
        "-", "\"records\"", "\"totalSize\":2", "{\"Id\":\"1\"}", " ", "\r\n", "/", "//", "NaN", "Infinity", "tru",
        "\\/",
    ]

    func check(_ input: [UInt8]) async throws -> String {
        let ours = Result { () throws(JSONError) in try JSONText(input[...]) }
        try compareWithFoundation(input, ours)
        let tree = Result { () throws(JSONError) in try JSONValue(parsing: input) }
        try checkPage(input, ours)
        switch (ours, tree) {
        case (.failure(let error), .failure(let other)):
            try require((0...input.count).contains(error.offset), "the error's offset is outside: \(error)")
            try require(error == other, "the scanner says \(error), the parser \(other)")
            // What stands there tells one way to go wrong from another.
            let around = input[max(0, error.offset - 1)..<min(error.offset + 1, input.count)]
            return "\(error.reason) \(around.map { $0 < 0x80 ? $0 : $0 & 0xF0 })"
        case (.success(let text), .success(let value)):
            try require(text.value == value, "the scanner and the parser read different values")
            let written = try JSONText(value)
            let again = try JSONValue(parsing: Array(written.bytes))
            try require(again == value, "\(written) is not what was read")
            try require(try JSONText(again) == written, "\(written) is written in another way the second time")
            return "taken \(kind(of: value))"
        case (.success, .failure(let error)): throw Violation("taken by the scanner, refused by the parser: \(error)")
        case (.failure(let error), .success): throw Violation("taken by the parser, refused by the scanner: \(error)")
        }
    }

    private func compareWithFoundation(_ input: [UInt8], _ ours: Result<JSONText, JSONError>) throws {
        let isOtherEncoding =
            input.contains(0)
            || [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]].contains { input.starts(with: $0) }
        if isOtherEncoding { return }
        let theirs = Result { try JSONSerialization.jsonObject(with: Data(input), options: [.fragmentsAllowed]) }
        switch (ours, theirs) {
        case (.success, .failure(let error)):
            try require("\(error)".contains("umber"), "refused by Foundation alone: \(error)")
        case (.failure(let error), .success):
            let before = input[..<error.offset].last { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
            let closes = error.offset < input.count && "]}".utf8.contains(input[error.offset])
            try require(before == UInt8(ascii: ",") && closes, "refused by the scanner alone: \(error)")
        default: break
        }
    }

    /// A page is taken when its text is, but for records that are no objects.
    private func checkPage(_ input: [UInt8], _ ours: Result<JSONText, JSONError>) throws {
        for path in ["records", ""] {
            do {
                let projection = JSONProjection(["Id", "a", "a.b", ""])
                let page = try JSONScanner.page(
                    input, recordsAt: JSONPath(path), envelope: ["totalSize", "a"], projecting: projection)
                if case .failure(let error) = ours { throw Violation("a page is taken, its text refused: \(error)") }
                for record in page.records {
                    let text = try JSONText(input[record])
                    try require(text.bytes.count == record.count, "a record has white space around it")
                    try require(text.value.objectValue != nil, "a record is no object: \(text)")
                }
                for field in page.envelope + page.fields where ![.missing, .collected].contains(field.kind) {
                    try require(
                        field.start >= 0 && field.end <= input.count && field.start < field.end,
                        "a field outside of the page")
                    _ = try JSONText(input[field.range])
                }
            } catch let error as JSONError {
                try require((0...input.count).contains(error.offset), "the page's error is outside: \(error)")
                guard case .failure = ours else {
                    try require(error.reason == .notAnObject, "a text is taken, its page refused: \(error)")
                    continue
                }
            }
        }
    }

    private func kind(of value: JSONValue) -> String {
        switch value {
        case .object(let object): "object \(min(object.count, 8))"
        case .array(let array): "array \(min(array.count, 8))"
        case .string: "string"
        case .int: "int"
        case .double: "double"
        case .number: "number"
        default: "\(value)"
        }
    }
}
