// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import LocalOrg
import SoupCore

/// Compares an answer with what a case expects of it.
struct CaseMatcher {
    /// Differences, each with its path; empty when all is as expected.
    private(set) var differences: [String] = []

    /// Objects match by the members that are expected, arrays pairwise; texts that begin with `$` are patterns.
    mutating func compare(_ actual: JSONValue?, _ expected: JSONValue, at path: String) {
        switch expected {
        case .string(let text) where text.hasPrefix("$"): pattern(text, actual, path)
        case .object(let object):
            if let wanted = object["$contains"]?.arrayValue {
                for item in wanted where !(actual?.arrayValue ?? []).contains(where: { Self.matches($0, item) }) {
                    differences.append("\(path): nothing like \(item)")
                }
                return
            }
            guard let members = actual?.objectValue else { return fail(path, expected, actual) }
            for (key, value) in object.members { compare(members[key], value, at: "\(path).\(key)") }
        case .array(let items):
            guard let actualItems = actual?.arrayValue, actualItems.count == items.count else {
                return fail(path, expected, actual)
            }
            for (index, item) in items.enumerated() { compare(actualItems[index], item, at: "\(path)[\(index)]") }
        default: if actual != expected { fail(path, expected, actual) }
        }
    }

    private mutating func fail(_ path: String, _ expected: JSONValue, _ actual: JSONValue?) {
        differences.append("\(path): expected \(expected), got \(actual.map { "\($0)" } ?? "nothing")")
    }

    private static func matches(_ actual: JSONValue, _ expected: JSONValue) -> Bool {
        var matcher = CaseMatcher()
        matcher.compare(actual, expected, at: "")
        return matcher.differences.isEmpty
    }

    private mutating func pattern(_ pattern: String, _ actual: JSONValue?, _ path: String) {
        let ok: Bool
        switch pattern {
        case "$any": ok = actual != nil
        case "$absent": ok = actual == nil
        case _ where pattern.hasPrefix("$len:"): ok = actual?.arrayValue?.count == Int(pattern.dropFirst(5))
        case _ where pattern.hasPrefix("$id:"):
            let id = actual?.stringValue ?? ""
            ok = id.hasPrefix(String(pattern.dropFirst(4))) && id.count == 18 && Self.hasRightChecksum(id)
        case _ where pattern.hasPrefix("$re:"):
            ok = Self.find(String(pattern.dropFirst(4)), in: actual?.stringValue ?? actual?.description ?? "")
        default: ok = actual == .string(pattern)
        }
        if !ok { fail(path, .string(pattern), actual) }
    }

    mutating func compare(text: String, _ expected: JSONValue) {
        for wanted in expected.arrayValue ?? [expected] {
            let pattern = wanted.stringValue ?? ""
            let ok = pattern.hasPrefix("$re:") ? Self.find(String(pattern.dropFirst(4)), in: text) : text == pattern
            if !ok { differences.append("text: expected \(pattern), got \(text.prefix(300))") }
        }
    }

    static func find(_ pattern: String, in text: String) -> Bool {
        guard let regex = try? Regex(pattern) else { return false }
        return (try? regex.firstMatch(in: text)) != nil
    }

    /// The check characters again, written another way: bit `k` of character `i` tells whether letter `5i + k` is upper
    /// case.
    static func hasRightChecksum(_ id: String) -> Bool {
        let characters = Array(id)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ012345")
        return (0..<3).allSatisfy { block in
            let bits = (0..<5).map { characters[block * 5 + $0].isUppercase ? 1 << $0 : 0 }.reduce(0, +)
            return characters[15 + block] == alphabet[bits]
        }
    }
}
