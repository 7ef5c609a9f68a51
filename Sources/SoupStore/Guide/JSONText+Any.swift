// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

// Foundation is needed for NSNumber and NSNull.
internal import Foundation

extension JSONText {
    /// Creates the JSON text of a value in ported code: Swift's own types or Foundation's, nil and `NSNull` for null.
    ///
    /// Integers and decimals keep all their digits.
    ///
    /// - Throws: ``SoupError`` with `json`, with the path, for a value that JSON cannot represent; ``JSONError``.
    init(any value: Any, at path: String = "") throws {
        var writer = AnyWriter()
        try writer.write(value, at: path)
        self.init(trusted: writer.output[...])
    }

    /// The value for ported code: dictionaries, arrays, texts, numbers, booleans, and `NSNull` for null.
    ///
    /// Of a repeated key the first value is used.
    var anyValue: Any {
        let value = building(
            scalar: { $0.scalar }, array: { (elements: [Any]) -> Any in elements },
            object: { members in Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first } })
        return value ?? NSNull()
    }

    private var scalar: Any {
        if let string { return string }
        return switch bytes.first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        case UInt8(ascii: "n"): NSNull()
        default: number
        }
    }
}

extension JSONValue {
    /// Creates a value from ported code that is compared with others.
    ///
    /// - Throws: ``SoupError`` with `json` for a value that JSON cannot represent, and for a number that would be
    ///   rounded for the comparison.
    init(any value: Any) throws {
        let text = try JSONText(any: value)
        self = text.value
        guard case .number = self else { return }
        let isExact =
            switch text.number {
            case let whole as UInt64: Double(exactly: whole) != nil
            case let number: number is Double || number is Int
            }
        guard isExact else {
            throw SoupError(
                .json, "neither a 64-bit integer nor a double can represent \(text)",
                hint: "Round it, or pass it as text.")
        }
    }
}
