// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupTesting

/// A generator of damaged inputs, with random bytes and pieces and with values at the limits of the tested parts.
struct Mutator {
    static let maximumSize = 1 << 16
    var random: SeededRandom
    private static let bytes = Array("\"\\{}[]()<>,:;'`0-.eEtu?!=/*\n\t ".utf8) + [0, 1, 0x1F, 0x7F]
    private static let brokenUTF8: [[UInt8]] = [
        [0x80], [0xC0, 0x80], [0xC2], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
        [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF], [0xEF, 0xBB, 0xBF], [0xE2, 0x80, 0xA8], [0xCC, 0x81],
    ]
    private static let surrogates = [
        "\\ud800", "\\udc00", "\\ud83d\\ude00", "\\uDBFF\\uDFFF", "\\ud800\\u0041", "\\udfff\\ud800", "\\u0000",
        "\\u00",
    ]
    private static let numbers = [
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "1e308", "1e309",
        "-1e400", "1e-400", "0.1e1", "-0", "-0.0", "00", "1.", ".5", "1E+", "4294967296",
        "123456789012345678901234567890", "1e999999999999",
    ]
    private static let brackets = [
        ("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]"), ("(", ")"), ("{", "}"), ("/*", "*/"), ("'", "'"),
        ("not ", ""),
        ("(select Id from ", ")"), ("f(", ")"), ("\"", "\""),
    ]
    private static let depths = [1, 2, 3, 20, 99, 100, 101, 511, 512, 513, 1000, 5000]

    /// Returns an input that differs from one of the pool in one to four places.
    mutating func mutated(_ pool: [[UInt8]], words: [String]) -> [UInt8] {
        var input = pick(pool) ?? []
        for _ in 0...Int.random(in: 0...3, using: &random) {
            mutate(&input, pool: pool, words: words)
            if input.count > Self.maximumSize { input.removeLast(input.count - Self.maximumSize) }
        }
        return input
    }

    /// Changes one place of the input.
    private mutating func mutate(_ input: inout [UInt8], pool: [[UInt8]], words: [String]) {
        let range = someRange(of: input)
        let place = range.lowerBound
        switch Int.random(in: 0..<18, using: &random) {
        case 0 where place < input.count: input[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 1 where place < input.count: input[place] = pick(Self.bytes) ?? 0
        case 2 where place < input.count: input[place] = UInt8.random(in: 0...255, using: &random)
        case 3: input.insert(pick(Self.bytes) ?? 0, at: place)
        case 4, 15: input.insert(contentsOf: Array((pick(words) ?? "").utf8), at: place)
        case 5: input.replaceSubrange(word(in: input, at: place), with: Array((pick(words) ?? "").utf8))
        case 6: input.removeSubrange(range)
        case 7: input.insert(contentsOf: input[range], at: place)
        case 8: input.removeLast(input.count - place)
        case 9:
            let other = pick(pool) ?? []
            input = Array(input[..<place]) + other[someRange(of: other).lowerBound...]
        case 10:
            let other = pick(pool) ?? []
            input.replaceSubrange(range, with: other[someRange(of: other)])
        case 11:
            let (open, close) = pick(Self.brackets) ?? ("[", "]")
            let depth = pick(Self.depths) ?? 1
            let inner = input[range]
            let nested =
                Array(String(repeating: open, count: depth).utf8) + inner
                + Array(String(repeating: close, count: depth).utf8)
            input.replaceSubrange(range, with: nested)
        case 12: input.replaceSubrange(word(in: input, at: place), with: Array((pick(Self.numbers) ?? "").utf8))
        case 13: input.insert(contentsOf: Array((pick(Self.surrogates) ?? "").utf8), at: place)
        case 14: input.insert(contentsOf: pick(Self.brokenUTF8) ?? [], at: place)
        case 16:
            input.insert(contentsOf: [UInt8(ascii: "\\"), UInt8.random(in: 0x20...0x7E, using: &random)], at: place)
        default:
            let other = someRange(of: input)
            input.insert(contentsOf: input[other], at: place)
        }
    }

    private mutating func pick<T>(_ values: [T]) -> T? { values.randomElement(using: &random) }

    private mutating func someRange(of input: [UInt8]) -> Range<Int> {
        let start = Int.random(in: 0...input.count, using: &random)
        let longest = min(input.count - start, Bool.random(using: &random) ? 8 : 200)
        return start..<start + Int.random(in: 0...longest, using: &random)
    }

    /// Returns the range of letters and digits around a position.
    private func word(in input: [UInt8], at place: Int) -> Range<Int> {
        func isWord(_ index: Int) -> Bool {
            let byte = input[index]
            return (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || byte == 0x5F || byte == 0x2E
                || (0x61...0x7A).contains(byte)
        }
        var start = place
        var end = place
        while start > 0, isWord(start - 1) { start -= 1 }
        while end < input.count, isWord(end) { end += 1 }
        return start..<end
    }
}
