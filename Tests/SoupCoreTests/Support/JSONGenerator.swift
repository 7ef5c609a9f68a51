// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting

/// A generator of random JSON texts: values of all kinds, in all spellings, with white space in unusual places.
struct JSONGenerator {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func text(depth: Int = 4) -> String {
        let kinds = depth > 0 ? 9 : 6
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0: return ["null", "true", "false"].randomElement(using: &random) ?? "null"
        case 1, 2: return number()
        case 3, 4, 5: return string()
        case 6: return array(depth: depth - 1)
        default: return object(depth: depth - 1)
        }
    }

    mutating func object(depth: Int, keys: [String] = ["a", "b", "c", "Id", "Name", "ключ", "k\\u0041", ""]) -> String {
        let chosen = keys.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
        let members = chosen.map { "\(space())\"\($0)\"\(space()):\(space())\(text(depth: depth))\(space())" }
        return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
    }

    mutating func array(depth: Int) -> String {
        let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in space() + text(depth: depth) + space() }
        return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
    }

    mutating func number() -> String {
        let whole = ["0", "-0", "7", "-12", "9223372036854775807", "-9223372036854775808", "123456789012345678901"]
        let tail = ["", "", "", ".5", ".250", "e3", "E-2", "1"]
        let text = (whole.randomElement(using: &random) ?? "0")
        let suffix = tail.randomElement(using: &random) ?? ""
        return suffix == "1" && text.hasSuffix("0") ? text : text + suffix
    }

    mutating func string() -> String {
        let pieces = [
            "x", "plain text of some length", "é", "日本", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00",
            "\\u0000", "\u{7f}", " ", "{", "]", ":", ",",
        ]
        let body = (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        return "\"" + body.joined() + "\""
    }

    mutating func space() -> String { ["", "", "", " ", "\n", "\t \r"].randomElement(using: &random) ?? "" }

    /// Returns bytes that make a text invalid, or nearly so: halves of surrogate pairs, escapes, ill-formed UTF-8,
    /// numbers beyond machine numbers, and nesting around the limit.
    private mutating func invalidPiece() -> [UInt8] {
        let pieces = [
            "\\ud800", "\\udc00", "\\ud83d\\ude00", "\\ud83d\\u0041", "\\uDFFF\\uD800", "\\u00", "\\u12g4", "\\x", "\\",
            "1e400", "-1e400", "1e-400", "9223372036854775808", "00", "1.e1", ".5", "+1", "\u{1}", "\u{7f}", "\u{a0}",
            "\u{2028}", "NaN", "nul", "//", "/**/", "'a'", ",,", "[]", "{}", ":",
        ]
        let broken: [[UInt8]] = [
            [0x80], [0xC0, 0xAF], [0xC2], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x8F, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF],
        ]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6: return Array((pieces.randomElement(using: &random) ?? "").utf8)
        case 6..<9: return broken.randomElement(using: &random) ?? []
        default:
            let depth = Int.random(in: 508...516, using: &random)
            return Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
    }

    /// Returns the text, damaged in one to three places.
    mutating func damaged(_ text: String) -> [UInt8] {
        var bytes = mutated(text)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            bytes.insert(contentsOf: invalidPiece(), at: Int.random(in: 0...bytes.count, using: &random))
        }
        return bytes
    }

    /// Returns the text with one byte changed, removed, repeated or inserted, or cut off.
    mutating func mutated(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return [UInt8.random(in: 0...255, using: &random)] }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        let interesting = Array("\"\\{}[],:0-.eEtu \u{1}".utf8) + [0x80, 0xC0, 0xE2, 0xED, 0xF5, 0xFF]
        let byte = interesting.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = byte
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(bytes[index], at: index)
        case 3: bytes.insert(byte, at: index)
        default: bytes.removeLast(bytes.count - index)
        }
        return bytes
    }
}
