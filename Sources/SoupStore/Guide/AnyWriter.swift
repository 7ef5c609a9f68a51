// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

// Foundation is needed for NSNumber and NSNull.
internal import Foundation

/// A writer of values of Swift and of Foundation as JSON.
///
/// Its use of the stack does not grow with their depth.
struct AnyWriter {
    /// An array or dictionary whose values are being written.
    private struct Container {
        /// The values, with their keys in a dictionary.
        let parts: [(key: String?, value: Any)]
        let path: String
        let close: UInt8
        var written = 0
    }

    /// The maximum nesting of JSON texts.
    private static var depthLimit: Int { 512 }

    private(set) var output: [UInt8] = []
    private var open: [Container] = []

    /// Writes a value.
    ///
    /// - Throws: ``SoupError`` with `json`, or ``JSONError`` for a value that is nested too deep.
    mutating func write(_ value: Any, at path: String) throws {
        var next: (value: Any, path: String)? = (value, path)
        while let (value, path) = next {
            switch value {
            // Arrays first: casting a deep value to an object of Foundation would convert all of it.
            case let values as [Any]:
                try begin(
                    values.map { (key: nil, value: $0) }, at: path, opening: UInt8(ascii: "["),
                    closing: UInt8(ascii: "]"))
            case let members as [String: Any]:
                let parts = members.sorted { $0.key < $1.key }.map { (key: Optional($0.key), value: $0.value) }
                try begin(parts, at: path, opening: UInt8(ascii: "{"), closing: UInt8(ascii: "}"))
            case let optional as any Wrapping:
                if let wrapped = optional.wrapped {
                    next = (wrapped, path)
                    continue
                }
                output += JSONText.null.bytes
            default: try writeScalar(value, at: path)
            }
            next = nextPart()
        }
    }

    private mutating func begin(
        _ parts: [(key: String?, value: Any)], at path: String, opening: UInt8, closing: UInt8
    ) throws(JSONError) {
        guard open.count < Self.depthLimit else { throw JSONError(.tooDeep, at: output.count) }
        output.append(opening)
        open.append(Container(parts: parts, path: path, close: closing))
    }

    /// Closes the containers that end here, and returns the next value to write; nil at the end.
    private mutating func nextPart() -> (value: Any, path: String)? {
        while let last = open.indices.last {
            let container = open[last]
            let index = container.written
            guard index < container.parts.count else {
                output.append(container.close)
                open.removeLast()
                continue
            }
            open[last].written += 1
            if index > 0 { output.append(UInt8(ascii: ",")) }
            let part = container.parts[index]
            guard let key = part.key else { return (part.value, "\(container.path)[\(index)]") }
            output += JSONText.string(key).bytes
            output.append(UInt8(ascii: ":"))
            return (part.value, container.path.isEmpty ? key : "\(container.path).\(key)")
        }
        return nil
    }

    private mutating func writeScalar(_ value: Any, at path: String) throws {
        switch value {
        case let value as JSONValue: output += try Self.within(value.jsonText(), depth: open.count).bytes
        case let value as JSONText: output += try Self.within(value, depth: open.count).bytes
        case is NSNull: output += JSONText.null.bytes
        case let value as String: output += JSONText.string(value).bytes
        case let number as NSDecimalNumber where type(of: value) is NSNumber.Type:
            output += try Self.text(number.decimalValue, path).utf8
        // A number object of Foundation can be cast to a boolean, an integer and a floating-point number.
        case let number as NSNumber where type(of: value) is NSNumber.Type: output += try Self.text(number, path).utf8
        case let value as Bool: output += (value ? JSONText.true : JSONText.false).bytes
        case let value as any BinaryInteger: output += String(describing: value).utf8
        case let value as any BinaryFloatingPoint: output += try Self.text(Double(value), path).utf8
        case let value as Decimal: output += try Self.text(value, path).utf8
        default: throw Self.unfit("a value of type \(type(of: value)) has no JSON form", path)
        }
    }

    /// Returns a text if it is not nested too deep inside `depth` arrays and objects.
    private static func within(_ text: JSONText, depth: Int) throws(JSONError) -> JSONText {
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
            .json, message, place: SoupError.Place(path: path.isEmpty ? nil : path),
            hint: "Use strings, numbers, booleans, NSNull, and arrays and dictionaries of them.")
    }
}

/// A type that wraps a value: an optional of any type.
private protocol Wrapping {
    var wrapped: Any? { get }
}

extension Optional: Wrapping {
    fileprivate var wrapped: Any? { self }
}
