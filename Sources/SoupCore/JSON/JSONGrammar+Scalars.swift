// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONGrammar {
    /// Skips a string, from its opening quote to the position after its closing one; returns whether it has an escape.
    ///
    /// Plain text is skipped eight bytes at a time, until a word contains a quote, a backslash, a control character or
    /// a byte that is not ASCII.
    static func skipString(_ bytes: borrowing Span<UInt8>, _ position: inout Int) throws(JSONError) -> Bool {
        var escaped = false
        var index = position + 1
        let count = bytes.count
        while true {
            while index + 8 <= count {
                let word = UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
                let stop = Self.stopBits(word)
                if stop == 0 {
                    index += 8
                } else {
                    index += stop.trailingZeroBitCount >> 3
                    break
                }
            }
            guard index < count else { throw JSONError(.unexpectedEnd, at: count) }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                position = index + 1
                return escaped
            } else if byte == UInt8(ascii: "\\") {
                escaped = true
                try skipEscape(bytes, &index)
            } else if byte >= 0x80 {
                try skipMultiByte(bytes, &index)
            } else if byte < 0x20 {
                throw JSONError(.controlCharacter, at: index)
            } else {
                index += 1
            }
        }
    }

    /// Returns the high bit of the first byte, from the low end, that ends a run of plain string text; 0 if there is
    /// none.
    @inline(__always)
    private static func stopBits(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let slash = word ^ (ones &* 0x5C)
        let hits = ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | ((word &- ones &* 0x20) & ~word) | word
        return hits & (ones &* 0x80)
    }

    private static func skipEscape(_ bytes: borrowing Span<UInt8>, _ index: inout Int) throws(JSONError) {
        guard index + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 2
        case UInt8(ascii: "u"):
            let start = index
            let unit = try hexUnit(bytes, at: index + 2)
            index += 6
            if unit >= 0xD800 && unit <= 0xDBFF {
                guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
                    bytes[index + 1] == UInt8(ascii: "u")
                else { throw JSONError(.loneSurrogate, at: start) }
                let low = try hexUnit(bytes, at: index + 2)
                guard low >= 0xDC00 && low <= 0xDFFF else { throw JSONError(.loneSurrogate, at: start) }
                index += 6
            } else if unit >= 0xDC00 && unit <= 0xDFFF {
                throw JSONError(.loneSurrogate, at: start)
            }
        default:
            throw JSONError(.badEscape, at: index)
        }
    }

    /// Returns the value of the four hexadecimal digits at `start`.
    static func hexUnit(_ bytes: borrowing Span<UInt8>, at start: Int) throws(JSONError) -> UInt32 {
        guard start + 4 <= bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        var unit: UInt32 = 0
        for index in start..<start + 4 {
            let digit: UInt32
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt32(bytes[index] - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt32(bytes[index] - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = UInt32(bytes[index] - UInt8(ascii: "A") + 10)
            default: throw JSONError(.badEscape, at: index)
            }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// Skips one multi-byte UTF-8 sequence (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
    private static func skipMultiByte(_ bytes: borrowing Span<UInt8>, _ index: inout Int) throws(JSONError) {
        let first = bytes[index]
        let length: Int
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0:
            length = 3
            lowest = 0xA0
        case 0xED:
            length = 3
            highest = 0x9F
        case 0xE1...0xEF: length = 3
        case 0xF0:
            length = 4
            lowest = 0x90
        case 0xF4:
            length = 4
            highest = 0x8F
        case 0xF1...0xF3: length = 4
        default: throw JSONError(.badUTF8, at: index)
        }
        guard index + length <= bytes.count else { throw JSONError(.badUTF8, at: index) }
        guard bytes[index + 1] >= lowest, bytes[index + 1] <= highest else { throw JSONError(.badUTF8, at: index) }
        for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 {
            throw JSONError(.badUTF8, at: index)
        }
        index += length
    }

    /// Skips a number.
    ///
    /// Only the grammar is checked, not the range: digits beyond the range of a machine number are kept as text.
    static func skipNumber(_ bytes: borrowing Span<UInt8>, _ position: inout Int) throws(JSONError) {
        let start = position
        var index = position
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: index) }
        if bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else {
            guard skipDigits(bytes, &index) else { throw JSONError(.badNumber, at: start) }
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits(bytes, &index) else { throw JSONError(.badNumber, at: start) }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard skipDigits(bytes, &index) else { throw JSONError(.badNumber, at: start) }
        }
        if index < bytes.count, isDigit(bytes[index]) { throw JSONError(.badNumber, at: start) }
        position = index
    }

    /// Skips decimal digits; returns false if there is none.
    @inline(__always)
    private static func skipDigits(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Bool {
        let start = index
        while index < bytes.count, isDigit(bytes[index]) { index += 1 }
        return index > start
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
