// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A reader of fixed-width digits at the start of a text.
struct DigitReader {
    let text: ArraySlice<UInt8>
    var position: Int

    init(text: ArraySlice<UInt8>) {
        self.text = text
        position = text.startIndex
    }

    mutating func number(_ width: Int) -> Int64? {
        guard position + width <= text.endIndex else { return nil }
        var value: Int64 = 0
        for byte in text[position..<position + width] {
            guard byte >= 0x30 && byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        position += width
        return value
    }

    /// Whether the whole text was read.
    var isAtEnd: Bool { position == text.endIndex }

    mutating func take(_ character: Unicode.Scalar) -> Bool { take(UInt8(ascii: character)) }

    mutating func take(_ byte: UInt8) -> Bool {
        guard position < text.endIndex, text[position] == byte else { return false }
        position += 1
        return true
    }

    /// Reads a fraction of a second; digits after the third are dropped.
    ///
    /// Nil if there is no digit.
    mutating func milliseconds() -> Int64? {
        let start = position
        var value: Int64 = 0
        while let digit = number(1) {
            if position - start <= 3 { value = value * 10 + digit }
        }
        let digits = position - start
        guard digits > 0 else { return nil }
        for _ in 0..<max(0, 3 - digits) { value *= 10 }
        return value
    }

    /// Reads the offset from UTC in minutes, at the end of the text.
    mutating func zone() -> Int64? {
        if take("Z") { return position == text.endIndex ? 0 : nil }
        let sign: Int64 = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = number(2) else { return nil }
        _ = take(":")
        guard let minutes = number(2), position == text.endIndex, hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
