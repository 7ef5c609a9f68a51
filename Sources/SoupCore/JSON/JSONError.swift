// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not the expected JSON, and its position.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault in the text.
    public enum Reason: String, Sendable, Hashable {
        case unexpectedEnd = "the text ends in the middle of a value"
        case unexpectedByte = "unexpected character"
        case byteOrderMark = "the text begins with a byte order mark, which JSON does not allow"
        case utf16 = "the text is UTF-16, and JSON is UTF-8"
        case trailingBytes = "there is more text after the end of the value"
        case controlCharacter = "a control character in a string must be written as an escape"
        case badEscape = "unknown escape in a string"
        case loneSurrogate = "half of a surrogate pair in a string"
        case badUTF8 = "the bytes are not UTF-8"
        case badNumber = "not a JSON number"
        case tooDeep = "nested more than 512 levels deep"
        case tooLong = "longer than 4 GiB"
        case notAnObject = "expected an object"
        case notAnArray = "expected an array"
        case notFinite = "NaN and infinity have no JSON form"
    }

    /// The correction for the author of the text; nil if the reason describes it.
    public var hint: String? {
        switch reason {
        case .byteOrderMark, .utf16: "Save it as UTF-8 without a byte order mark."
        case .badUTF8: "Convert it to UTF-8."
        default: nil
        }
    }

    /// The reason; the raw value is its description.
    public let reason: Reason
    /// The offset, in bytes from the start of the text, of the first invalid byte.
    public let offset: Int

    /// Creates an error; for `notFinite`, which no text has, the offset counts the bytes that were written before it.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// For example `not a JSON number, at byte 17`.
    public var description: String { "\(reason.rawValue), at byte \(offset)" }
}
