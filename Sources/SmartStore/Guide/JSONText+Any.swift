// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

// NSNumber and NSNull are in Foundation only.
internal import Foundation

extension JSONText {
    /// Writes a value as ported code has it: Swift's own types or Foundation's, nil and `NSNull` for null.
    ///
    /// Whole numbers and decimals keep all their digits, however many.
    ///
    /// - Throws: ``SoupError`` with `json`, telling the path, for a value that JSON cannot say; ``JSONError``.
    init(anything value: Any, at path: String = "") throws {
        var writer = AnyWriter()
        try writer.write(value, at: path)
        self.init(trusted: writer.output[...])
    }

    /// The value as ported code expects it: dictionaries, arrays, texts, numbers, booleans, and `NSNull` for null.
    ///
    /// Of a key that is written twice the first value counts.
    var anything: Any {
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
    /// Takes a value that is to be compared with others, as ported code has it.
    ///
    /// - Throws: ``SoupError`` with `json` for a value that JSON cannot say, and for a number that comparing would
    ///   round.
    init(anything value: Any) throws {
        let text = try JSONText(anything: value)
        self = text.value
        guard case .number = self else { return }
        let isHeld =
            switch text.number {
            case let whole as UInt64: Double(exactly: whole) != nil
            case let number: number is Double || number is Int
            }
        guard isHeld else {
            throw SoupError(
                .json, "neither a whole number of 64 bits nor a double holds \(text)",
                hint: "Round it, or give it as text")
        }
    }
}
