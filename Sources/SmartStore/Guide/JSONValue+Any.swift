// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

// NSNumber and NSNull are in Foundation only.
internal import Foundation

extension JSONValue {
    /// The deepest nesting that JSON texts may have.
    private static var depthLimit: Int { 512 }

    /// Takes a value as ported code has it: Swift's own types or Foundation's, nil and `NSNull` for null.
    ///
    /// - Throws: ``SoupError`` with `json`, telling the path, for a value that JSON cannot say.
    init(anything value: Any, at path: String = "", depth: Int = 0) throws {
        guard depth <= Self.depthLimit else { throw JSONError(.tooDeep, at: 0) }
        switch value {
        case let value as JSONValue: self = value
        case let value as JSONText: self = value.value
        case is NSNull: self = .null
        case let value as String: self = .string(value)
        // A number object of Foundation says that it is a boolean, a whole number and a real one.
        case let number as NSNumber where type(of: value) is NSNumber.Type: self = try Self(number, path)
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger: self = Self(whole: value)
        case let value as any BinaryFloatingPoint: self = try Self(real: Double(value), path)
        case let value as Decimal: self = try Self(NSDecimalNumber(decimal: value), path)
        case let values as [Any]:
            self = .array(
                try values.enumerated().map { index, value in
                    try JSONValue(anything: value, at: "\(path)[\(index)]", depth: depth + 1)
                })
        case let members as [String: Any]:
            self = .object(try JSONObject(anything: members, at: path, depth: depth))
        case let optional as any Wrapping:
            guard let value = optional.wrapped else {
                self = .null
                return
            }
            try self.init(anything: value, at: path, depth: depth)
        default: throw Self.unfit("a value of type \(type(of: value)) has no JSON form", path)
        }
    }

    private init(_ number: NSNumber, _ path: String) throws {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c") where (0...1).contains(number.int64Value), UInt8(ascii: "B"):
            self = .bool(number.boolValue)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): self = try Self(real: number.doubleValue, path)
        case UInt8(ascii: "Q"): self = Self(whole: number.uint64Value)
        default: self = .int(number.int64Value)
        }
    }

    private init(whole value: some BinaryInteger) {
        self = Int64(exactly: value).map { .int($0) } ?? .double(Double(value))
    }

    private init(real value: Double, _ path: String) throws {
        guard value.isFinite else { throw Self.unfit(JSONError.Reason.notFinite.rawValue, path) }
        self = .double(value)
    }

    private static func unfit(_ message: String, _ path: String) -> SoupError {
        SoupError(
            .json, message, place: Place(path: path.isEmpty ? nil : path),
            hint: "Give text, numbers, booleans, NSNull, and arrays and dictionaries of them")
    }

    /// The value as ported code expects it: dictionaries, arrays, texts, numbers, booleans, and `NSNull` for null.
    var anything: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .int(let value): Int(exactly: value) ?? value
        case .double(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.anything)
        case .object(let object): object.anything
        }
    }
}

extension JSONObject {
    init(anything members: [String: Any], at path: String = "", depth: Int = 0) throws {
        self.init(
            try members.sorted { $0.key < $1.key }.map { key, value in
                (key, try JSONValue(anything: value, at: path.isEmpty ? key : "\(path).\(key)", depth: depth + 1))
            })
    }

    var anything: [String: Any] {
        Dictionary(members.map { ($0.key, $0.value.anything) }) { first, _ in first }
    }
}

/// An optional of whatever type.
private protocol Wrapping {
    var wrapped: Any? { get }
}

extension Optional: Wrapping {
    fileprivate var wrapped: Any? { self }
}
