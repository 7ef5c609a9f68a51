// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupCore

/// The JSON scanner, compared with Foundation's parser.
///
/// Both accept the same texts, with these intended exceptions:
/// * Foundation accepts a comma before a closing bracket; the grammar does not.
/// * Foundation accepts UTF-16, UTF-32 and a byte order mark; soups contain UTF-8.
/// * Foundation refuses numbers beyond a double; the scanner keeps their text.
/// * Both accept a key that occurs twice; the scanner uses its first value.
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
        try compareWithFoundation(input, result: ours)
        let tree = Result { () throws(JSONError) in try JSONValue(parsing: input) }
        try checkPage(input, result: ours)
        switch (ours, tree) {
        case (.failure(let error), .failure(let other)):
            try require((0...input.count).contains(error.offset), "the error's offset is outside: \(error)")
            try require(error == other, "the scanner reports \(error), the parser \(other)")
            // The characters at the error distinguish its causes.
            let around = input[max(0, error.offset - 1)..<min(error.offset + 1, input.count)]
            return "\(error.reason) \(around.map { $0 < 0x80 ? $0 : $0 & 0xF0 })"
        case (.success(let text), .success(let value)):
            try require(text.value == value, "the scanner and the parser read different values")
            let written = try JSONText(value)
            let again = try JSONValue(parsing: Array(written.bytes))
            try require(again == value, "\(written) differs from the value that was read")
            try require(try JSONText(again) == written, "\(written) is written differently the second time")
            return "accepted \(kind(of: value))"
        case (.success, .failure(let error)):
            throw Violation("accepted by the scanner, refused by the parser: \(error)")
        case (.failure(let error), .success):
            throw Violation("accepted by the parser, refused by the scanner: \(error)")
        }
    }

    private func compareWithFoundation(_ input: [UInt8], result ours: Result<JSONText, JSONError>) throws {
        let isOtherEncoding =
            input.contains(0)
            || [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]].contains { input.starts(with: $0) }
        if isOtherEncoding { return }
        let theirs = Result { try JSONSerialization.jsonObject(with: Data(input), options: [.fragmentsAllowed]) }
        switch (ours, theirs) {
        case (.success, .failure(let error)):
            try require("\(error)".contains("umber"), "refused only by Foundation: \(error)")
        case (.failure(let error), .success):
            let before = input[..<error.offset].last { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
            let closes = error.offset < input.count && "]}".utf8.contains(input[error.offset])
            try require(before == UInt8(ascii: ",") && closes, "refused only by the scanner: \(error)")
        default: break
        }
    }

    /// Checks that a page is accepted if its text is, except for records that are not objects.
    private func checkPage(_ input: [UInt8], result ours: Result<JSONText, JSONError>) throws {
        for path in ["records", ""] {
            do {
                let projection = JSONProjection(["Id", "a", "a.b", ""])
                let page = try JSONScanner.page(
                    input, recordsAt: JSONPath(path), envelope: ["totalSize", "a"], projecting: projection)
                if case .failure(let error) = ours {
                    throw Violation("a page is accepted, but its text is refused: \(error)")
                }
                for record in page.records {
                    let text = try JSONText(input[record])
                    try require(text.bytes.count == record.count, "a record has white space around it")
                    try require(text.value.objectValue != nil, "a record is not an object: \(text)")
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
                    try require(error.reason == .notAnObject, "a text is accepted, but its page is refused: \(error)")
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
