// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Keys for floating columns, which store whole numbers rounded to doubles.
///
/// SQLite compares a whole number with a double exactly. Beyond 2^53 a number would not match its own stored value.
enum FloatingKey {
    static func rounded(_ key: JSONValue) -> JSONValue {
        switch key {
        case .int(let number): .double(Double(number))
        case .string(let text): whole(Array(text.utf8)[...]).map { .double($0) } ?? key
        default: key
        }
    }

    /// - Parameter source: the bytes that slices refer to.
    static func rounded(_ key: IndexValue, from source: UnsafeBufferPointer<UInt8>) -> IndexValue {
        switch key {
        case .integer(let number): .real(Double(number))
        case .slice(let range): whole(Array(source[range])[...]).map { .real($0) } ?? key
        case .text(let text): whole(text[...]).map { .real($0) } ?? key
        case .null, .real: key
        }
    }

    /// Returns the whole number that a text contains, with optional white space around it, as the column's affinity
    /// converts it.
    private static func whole(_ text: ArraySlice<UInt8>) -> Double? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return Int64(String(decoding: text, as: UTF8.self)).map(Double.init)
    }
}
