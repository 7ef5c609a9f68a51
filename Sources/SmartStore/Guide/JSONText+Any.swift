// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

// NSNumber and NSNull are in Foundation only.
internal import Foundation

extension JSONText {
    /// The deepest nesting that JSON texts may have.
    private static var depthLimit: Int { 512 }

    /// Writes a value as ported code has it: Swift's own types or Foundation's, nil and `NSNull` for null.
    ///
    /// Whole numbers and decimals keep all their digits, however many.
    ///
    /// - Throws: ``SoupError`` with `json`, telling the path, for a value that JSON cannot say; ``JSONError``.
    init(anything value: Any, at path: String = "") throws {
        var output: [UInt8] = []
        try Self.write(value, at: path, depth: 0, to: &output)
        self.init(trusted: output[...])
    }

    private static func write(_ value: Any, at path: String, depth: Int, to output: inout [UInt8]) throws {
        switch value {
        // First: asking a deep one whether it is an object of Foundation would turn all of it into such objects.
        case let values as [Any]:
            guard depth < depthLimit else { throw JSONError(.tooDeep, at: output.count) }
            output.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try write(value, at: "\(path)[\(index)]", depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case let members as [String: Any]:
            guard depth < depthLimit else { throw JSONError(.tooDeep, at: output.count) }
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output += JSONText.string(member.key).bytes
                output.append(UInt8(ascii: ":"))
                let path = path.isEmpty ? member.key : "\(path).\(member.key)"
                try write(member.value, at: path, depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        case let value as JSONValue: output += try within(value.jsonText(), depth).bytes
        case let value as JSONText: output += try within(value, depth).bytes
        case is NSNull: output += JSONText.null.bytes
        case let value as String: output += JSONText.string(value).bytes
        case let number as NSDecimalNumber where type(of: value) is NSNumber.Type:
            output += try text(number.decimalValue, path).utf8
        // A number object of Foundation says that it is a boolean, a whole number and a real one.
        case let number as NSNumber where type(of: value) is NSNumber.Type: output += try text(number, path).utf8
        case let value as Bool: output += (value ? JSONText.true : JSONText.false).bytes
        case let value as any BinaryInteger: output += String(describing: value).utf8
        case let value as any BinaryFloatingPoint: output += try text(Double(value), path).utf8
        case let value as Decimal: output += try text(value, path).utf8
        case let optional as any Wrapping:
            if let value = optional.wrapped {
                try write(value, at: path, depth: depth, to: &output)
            } else {
                output += JSONText.null.bytes
            }
        default: throw unfit("a value of type \(type(of: value)) has no JSON form", path)
        }
    }

    /// A text that comes to lie in `depth` arrays and objects.
    private static func within(_ text: JSONText, _ depth: Int) throws(JSONError) -> JSONText {
        guard depth > 0 else { return text }
        let around = (opening: repeatElement(UInt8(ascii: "["), count: depth), closing: UInt8(ascii: "]"))
        _ = try JSONText((around.opening + text.bytes + repeatElement(around.closing, count: depth))[...])
        return text
    }

    private static func text(_ number: NSNumber, _ path: String) throws -> String {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c") where (0...1).contains(number.int64Value), UInt8(ascii: "B"):
            number.boolValue ? "true" : "false"
        case UInt8(ascii: "f"), UInt8(ascii: "d"): try text(number.doubleValue, path)
        case UInt8(ascii: "Q"): String(number.uint64Value)
        default: String(number.int64Value)
        }
    }

    private static func text(_ value: Double, _ path: String) throws -> String {
        guard value.isFinite else { throw unfit(JSONError.Reason.notFinite.rawValue, path) }
        return "\(value)"
    }

    private static func text(_ value: Decimal, _ path: String) throws -> String {
        guard value.isFinite else { throw unfit(JSONError.Reason.notFinite.rawValue, path) }
        return value.description
    }

    private static func unfit(_ message: String, _ path: String) -> SoupError {
        SoupError(
            .json, message, place: Place(path: path.isEmpty ? nil : path),
            hint: "Give text, numbers, booleans, NSNull, and arrays and dictionaries of them")
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

/// An optional of whatever type.
private protocol Wrapping {
    var wrapped: Any? { get }
}

extension Optional: Wrapping {
    fileprivate var wrapped: Any? { self }
}
