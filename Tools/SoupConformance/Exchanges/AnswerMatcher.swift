// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Compares a response with the expectation of a case.
///
/// Objects match if their expected members match, arrays if all elements match. A text that begins with `$` is a
/// pattern: `$any`, `$absent`, `$len:n`, `$id:001` (an ID of 18 characters with that prefix and valid check
/// characters), `$re:…`. `{"$contains": […]}` matches an array that has a matching element for each listed one.
struct AnswerMatcher {
    /// A value that is not as expected, and its path.
    struct Difference {
        var path: String
        var expected: JSONValue
        /// Nil if the value is missing.
        var found: JSONValue?
    }

    private(set) var differences: [Difference] = []

    /// Compares a value, which may be missing.
    mutating func compare(_ found: JSONValue?, _ expected: JSONValue, at path: String) {
        switch expected {
        case .string(let text) where text.utf8.first == UInt8(ascii: "$"):
            if !Self.matches(found, pattern: text) { addDifference(at: path, expected: expected, found: found) }
        case .object(let object):
            if let wanted = object["$contains"]?.arrayValue {
                for item in wanted where !(found?.arrayValue ?? []).contains(where: { Self.matches($0, item) }) {
                    addDifference(at: path, expected: ["$contains": [item]], found: found)
                }
                return
            }
            guard let members = found?.objectValue else {
                return addDifference(at: path, expected: expected, found: found)
            }
            for (key, value) in object.members { compare(members[key], value, at: "\(path).\(key)") }
        case .array(let items):
            guard let elements = found?.arrayValue, elements.count == items.count else {
                return addDifference(at: path, expected: expected, found: found)
            }
            for (index, item) in items.enumerated() { compare(elements[index], item, at: "\(path)[\(index)]") }
        default: if found != expected { addDifference(at: path, expected: expected, found: found) }
        }
    }

    /// Compares a text with one expectation, or with several that must all match.
    mutating func compare(text: String, _ expected: JSONValue, at path: String) {
        for wanted in expected.arrayValue ?? [expected] { compare(.string(text), wanted, at: path) }
    }

    private mutating func addDifference(at path: String, expected: JSONValue, found: JSONValue?) {
        differences.append(Difference(path: path, expected: expected, found: found))
    }

    private static func matches(_ found: JSONValue, _ expected: JSONValue) -> Bool {
        var matcher = AnswerMatcher()
        matcher.compare(found, expected, at: "")
        return matcher.differences.isEmpty
    }

    private static func matches(_ found: JSONValue?, pattern: String) -> Bool {
        switch pattern {
        case "$any": return found != nil
        case "$absent": return found == nil
        default: break
        }
        guard let colon = pattern.utf8.firstIndex(of: UInt8(ascii: ":")) else { return found == .string(pattern) }
        let rest = String(pattern[pattern.utf8.index(after: colon)...])
        switch String(pattern[..<colon]) {
        case "$len": return Int(rest).map { found?.arrayValue?.count == $0 } ?? false
        case "$id": return found?.stringValue.map { isID($0, prefix: rest) } ?? false
        case "$re":
            guard let found, let regex = try? Regex(rest).matchingSemantics(.unicodeScalar) else { return false }
            return (try? regex.firstMatch(in: found.stringValue ?? found.description)) != nil
        default: return found == .string(pattern)
        }
    }

    /// Returns whether a text is an ID with a prefix and valid check characters.
    private static func isID(_ id: String, prefix: String) -> Bool {
        let bytes = Array(id.utf8)
        guard bytes.count == 18, bytes.starts(with: prefix.utf8) else { return false }
        return Array(bytes[15...]) == checkCharacters(of: bytes)
    }

    /// Returns the three check characters after the first 15 characters of an ID.
    ///
    /// Bit `k` of check character `i` is set if character `5i + k` is an upper-case letter.
    static func checkCharacters(of id: [UInt8]) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ012345".utf8)
        return (0..<3).map { block in
            let bits = (0..<5).reduce(0) { sum, place in
                let byte = id[block * 5 + place]
                return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? sum | 1 << place : sum
            }
            return alphabet[bits]
        }
    }
}
