// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A text to search for secrets.
struct SecretText: Sendable {
    let bytes: [UInt8]
    /// For each backslash, the position after its run of backslashes; empty for texts without backslashes.
    ///
    /// A message can consist of backslashes, and the server decides its length: each run is counted once.
    private let runEnds: [Int]

    init(_ text: String) {
        bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "\\")) else {
            runEnds = []
            return
        }
        var ends = Array(repeating: 0, count: bytes.count)
        var end = bytes.count
        for position in bytes.indices.reversed() {
            if bytes[position] != UInt8(ascii: "\\") { end = position }
            ends[position] = end
        }
        runEnds = ends
    }

    /// Returns the first position from `position` on that has no backslash.
    func endOfBackslashes(from position: Int) -> Int { position < runEnds.count ? runEnds[position] : position }
}

/// A pattern that finds one secret in a text, in any of the spellings that servers, proxies and URLs use.
struct SecretPattern: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ secret: String) { bytes = Array(secret.utf8) }

    /// Returns the end of the secret if it begins at `start`, else nil.
    ///
    /// A text that ends within the secret contains it if at least half of it, and 8 bytes, are present, because
    /// messages can be cut. Where an ellipsis shows that it was cut, ``SecretMask/minimumLength`` bytes are enough.
    func end(in text: SecretText, from start: Int) -> Int? {
        var (position, matched) = (start, 0)
        while matched < bytes.count {
            guard let step = position < text.bytes.count ? step(in: text, at: position, after: matched) : nil else {
                let isEnd = position >= text.bytes.count && matched >= max(8, (bytes.count + 1) / 2)
                let isCut = matched >= SecretMask.minimumLength && Self.isCut(text.bytes, at: position)
                return isEnd || isCut ? position : nil
            }
            position = step.position
            matched += step.count
        }
        return position
    }

    /// Returns whether an ellipsis replaces the rest.
    private static func isCut(_ text: [UInt8], at position: Int) -> Bool {
        text[position...].starts(with: "…".utf8) || text[position...].starts(with: "...".utf8)
    }

    /// Returns the position after the next bytes of the secret, and their number; nil for other bytes.
    ///
    /// - Parameter matched: the number of bytes of the secret that were found before `position`.
    private func step(in scanned: SecretText, at position: Int, after matched: Int) -> (position: Int, count: Int)? {
        let text = scanned.bytes
        let byte = text[position]
        if byte == UInt8(ascii: "\\"), let escaped = backslashEscape(in: scanned, at: position, after: matched) {
            return escaped
        }
        // In a secret with a percent sign, `%25` and `%2525` are one byte unless the secret itself continues with 25.
        if byte == UInt8(ascii: "%"), byte == bytes[matched], !bytes[(matched + 1)...].starts(with: "25".utf8) {
            var end = position + 1
            while text[end...].starts(with: "25".utf8) { end += 2 }
            return (end, 1)
        }
        // The same applies to an ampersand and `&amp;`.
        if byte == UInt8(ascii: "&"), byte == bytes[matched],
            let found = htmlEntity(in: text, at: position, after: matched),
            !bytes[matched...].starts(with: text[position..<found.position])
        {
            return found
        }
        if byte == bytes[matched] { return (position + 1, 1) }
        switch byte {
        case UInt8(ascii: "%"): return percentEscape(in: text, at: position, after: matched)
        case UInt8(ascii: "+"): return bytes[matched] == UInt8(ascii: " ") ? (position + 1, 1) : nil
        case UInt8(ascii: "&"): return htmlEntity(in: text, at: position, after: matched)
        default: return nil
        }
    }

    /// Matches `%2F`, and `%252F` in a text that was encoded more than once.
    private func percentEscape(in text: [UInt8], at position: Int, after matched: Int) -> (position: Int, count: Int)? {
        var digits = position + 1
        while let value = Self.number(in: text, at: digits, digits: 2) {
            if value == Int(bytes[matched]) { return (digits + 2, 1) }
            guard value == 0x25 else { return nil }
            digits += 2
        }
        return nil
    }

    /// Matches `\u0021`, `\/` and similar escapes, after any number of backslashes: JSON can be quoted in JSON.
    private func backslashEscape(
        in scanned: SecretText, at position: Int, after matched: Int
    ) -> (position: Int, count: Int)? {
        let text = scanned.bytes
        let next = scanned.endOfBackslashes(from: position)
        if next < text.count, text[next] == UInt8(ascii: "u"),
            let found = unicodeEscape(in: scanned, at: next + 1, after: matched)
        {
            return found
        }
        let own = bytes[matched...].prefix { $0 == UInt8(ascii: "\\") }.count
        if own > 0 { return next - position >= own ? (next, own) : nil }
        guard next < text.count else { return nil }
        let plain: UInt8? =
            switch text[next] {
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "t"): 0x09
            case UInt8(ascii: "r"): 0x0D
            default: nil
            }
        return text[next] == bytes[matched] || plain == bytes[matched] ? (next + 1, 1) : nil
    }

    /// Reads the four digits of `\u`, and those of the second half of a surrogate pair.
    private func unicodeEscape(
        in scanned: SecretText, at position: Int, after matched: Int
    ) -> (position: Int, count: Int)? {
        let text = scanned.bytes
        guard var value = Self.number(in: text, at: position, digits: 4) else { return nil }
        var end = position + 4
        if (0xD800..<0xDC00).contains(value) {
            end = scanned.endOfBackslashes(from: end)
            guard end < text.count, text[end] == UInt8(ascii: "u"),
                let low = Self.number(in: text, at: end + 1, digits: 4), (0xDC00..<0xE000).contains(low)
            else { return nil }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            end += 5
        }
        return lengthOfScalar(value, after: matched).map { (end, $0) }
    }

    /// Matches `&amp;`, `&#33;` and `&#x21;`.
    private func htmlEntity(in text: [UInt8], at position: Int, after matched: Int) -> (position: Int, count: Int)? {
        let body = text[(position + 1)...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
        let end = position + 1 + body.count
        guard end < text.count, text[end] == UInt8(ascii: ";") else { return nil }
        let name = String(decoding: body, as: UTF8.self).lowercased()
        let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        let value: Int? =
            if let character = named[name] {
                character.utf8.first.map { Int($0) }
            } else if name.hasPrefix("#x") {
                Int(name.dropFirst(2), radix: 16)
            } else if name.hasPrefix("#") {
                Int(name.dropFirst())
            } else {
                nil
            }
        return value.flatMap { lengthOfScalar($0, after: matched) }.map { (end + 1, $0) }
    }

    /// Returns the length of a scalar in bytes if it is the next one of the secret.
    private func lengthOfScalar(_ value: Int, after matched: Int) -> Int? {
        guard let scalar = UInt32(exactly: value).flatMap({ Unicode.Scalar($0) }) else { return nil }
        let wanted = Array(String(Character(scalar)).utf8)
        return bytes[matched...].starts(with: wanted) ? wanted.count : nil
    }

    /// Returns the value of `count` hexadecimal digits; nil if other characters occur among them.
    private static func number(in text: [UInt8], at start: Int, digits count: Int) -> Int? {
        guard start + count <= text.count else { return nil }
        var value = 0
        for byte in text[start..<start + count] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}
