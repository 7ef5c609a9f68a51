// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The grammar of JSON (RFC 8259) over bytes: each function reads one production and sets `position` after it.
///
/// Every access goes through `Span`, which checks bounds, so that no input can cause a read outside the text. Strings
/// must be well-formed UTF-8 without lone surrogates; nesting is limited to ``maximumDepth``.
enum JSONGrammar {
    /// The maximum nesting of arrays and objects; the same limit as in Foundation's parser.
    static let maximumDepth = 512

    @inline(__always)
    static func skipWhitespace(_ bytes: borrowing Span<UInt8>, _ position: inout Int) {
        while position < bytes.count {
            let byte = bytes[position]
            if byte > 0x20 { return }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    /// Skips any value.
    static func skipValue(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, depth: Int
    ) throws(JSONError) -> JSONField.Kind {
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        let byte = bytes[position]
        guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return try skipScalar(bytes, &position) }
        var skipping = JSONSkipping()
        try walk(bytes, &position, depth: depth, with: &skipping)
        return byte == UInt8(ascii: "{") ? .object : .array
    }

    /// Skips a string, a number, a boolean or null; the text does not end before it.
    @inline(__always)
    static func skipScalar(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int
    ) throws(JSONError) -> JSONField.Kind {
        switch bytes[position] {
        case UInt8(ascii: "\""):
            return try skipString(bytes, &position) ? .escapedString : .string
        case UInt8(ascii: "t"):
            try skipWord("true", in: bytes, at: &position)
            return .true
        case UInt8(ascii: "f"):
            try skipWord("false", in: bytes, at: &position)
            return .false
        case UInt8(ascii: "n"):
            try skipWord("null", in: bytes, at: &position)
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try skipNumber(bytes, &position)
            return .number
        default:
            throw JSONError(unexpected(bytes, position), at: position)
        }
    }

    /// Returns the reason why no value begins at a position: at the very start it may be a byte order mark.
    private static func unexpected(_ bytes: borrowing Span<UInt8>, _ position: Int) -> JSONError.Reason {
        guard position == 0, bytes.count > 1 else { return .unexpectedByte }
        switch (bytes[0], bytes[1]) {
        case (0xEF, 0xBB): return .byteOrderMark
        case (0xFF, 0xFE), (0xFE, 0xFF): return .utf16
        default: return .unexpectedByte
        }
    }

    /// Skips an opening bracket; if the container is empty, also skips the closing one and returns false.
    @inline(__always)
    static func openContainer(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, depth: Int, close: UInt8
    ) throws(JSONError) -> Bool {
        guard depth < maximumDepth else { throw JSONError(.tooDeep, at: position) }
        position += 1
        skipWhitespace(bytes, &position)
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        if bytes[position] == close {
            position += 1
            return false
        }
        return true
    }

    /// Skips the comma after an element (true) or the closing bracket (false).
    @inline(__always)
    static func anotherFollows(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, close: UInt8
    ) throws(JSONError) -> Bool {
        skipWhitespace(bytes, &position)
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        let byte = bytes[position]
        if byte == UInt8(ascii: ",") {
            position += 1
            skipWhitespace(bytes, &position)
            return true
        }
        guard byte == close else { throw JSONError(.unexpectedByte, at: position) }
        position += 1
        return false
    }

    /// Skips a member's key; returns whether it has an escape.
    @inline(__always)
    static func skipKey(_ bytes: borrowing Span<UInt8>, _ position: inout Int) throws(JSONError) -> Bool {
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        guard bytes[position] == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: position) }
        return try skipString(bytes, &position)
    }

    @inline(__always)
    static func skipColon(_ bytes: borrowing Span<UInt8>, _ position: inout Int) throws(JSONError) {
        skipWhitespace(bytes, &position)
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        guard bytes[position] == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: position) }
        position += 1
        skipWhitespace(bytes, &position)
    }

    private static func skipWord(
        _ word: StaticString, in bytes: borrowing Span<UInt8>, at position: inout Int
    ) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position + index < bytes.count else { throw JSONError(.unexpectedEnd, at: position + index) }
            guard bytes[position + index] == word.utf8Start[index] else {
                throw JSONError(.unexpectedByte, at: position + index)
            }
        }
        position += word.utf8CodeUnitCount
    }
}
