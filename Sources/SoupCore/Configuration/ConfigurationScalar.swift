// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that is decoded from one JSON string, number or boolean.
protocol ConfigurationScalar {
    /// The name for a value of the type in errors: `a string`.
    static var noun: String { get }
    /// The value with which decoding continues if the actual value is missing or wrong.
    static var placeholder: Self { get }
    /// Returns the value; nil if it is of another type, or out of range.
    static func read(_ value: JSONValue) -> Self?
}

extension String: ConfigurationScalar {
    static var noun: String { "a string" }
    static var placeholder: String { "" }
    static func read(_ value: JSONValue) -> String? { value.stringValue }
}

extension Bool: ConfigurationScalar {
    static var noun: String { "true or false" }
    static var placeholder: Bool { false }
    static func read(_ value: JSONValue) -> Bool? { value.boolValue }
}

extension ConfigurationScalar where Self: FixedWidthInteger {
    static var noun: String {
        Self.self == Int.self || Self.self == Int64.self ? "a whole number" : "a whole number from \(min) to \(max)"
    }
    static var placeholder: Self { 0 }
    static func read(_ value: JSONValue) -> Self? { value.intValue.flatMap { Self(exactly: $0) } }
}

extension Int: ConfigurationScalar {}
extension Int8: ConfigurationScalar {}
extension Int16: ConfigurationScalar {}
extension Int32: ConfigurationScalar {}
extension Int64: ConfigurationScalar {}
extension UInt: ConfigurationScalar {}
extension UInt8: ConfigurationScalar {}
extension UInt16: ConfigurationScalar {}
extension UInt32: ConfigurationScalar {}
extension UInt64: ConfigurationScalar {}

extension Double: ConfigurationScalar {
    static var noun: String { "a number" }
    static var placeholder: Double { 0 }
    static func read(_ value: JSONValue) -> Double? { value.doubleValue }
}

extension Float: ConfigurationScalar {
    static var noun: String { "a number" }
    static var placeholder: Float { 0 }
    static func read(_ value: JSONValue) -> Float? { value.doubleValue.map { Float($0) } }
}

extension JSONValue {
    /// The name for this value in errors: `the number 5`, `an array`.
    package var noun: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int, .double, .number: "the number \(self)"
        case .string(let value): "the string \(JSONEscapes.quoted(String(value.prefix(40))))"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The name for this value in errors of files with secrets, which do not repeat it.
    var kindNoun: String {
        switch self {
        case .int, .double, .number: "a number"
        case .string: "a string"
        default: noun
        }
    }
}

/// Returns the name for a value of a type in errors.
func configurationNoun(of type: Any.Type) -> String {
    if let scalar = type as? any ConfigurationScalar.Type { return scalar.noun }
    if let choices = configurationChoices(of: type) { return "one of \(choices.joined(separator: ", "))" }
    if let array = type as? any ArrayType.Type {
        let element = configurationNoun(of: array.elementType)
        return element.hasPrefix("a ") || element.hasPrefix("an ")
            ? "an array of \(element.drop { $0 != " " }.dropFirst())s" : "an array"
    }
    return type == JSONValue.self ? "a value" : "an object"
}

/// Returns the texts that a closed set of names allows; nil for other types.
func configurationChoices(of type: Any.Type) -> [String]? {
    func texts<Choice: CaseIterable>(_ type: Choice.Type) -> [String]? {
        let texts = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        return texts.isEmpty ? nil : texts
    }
    guard let closed = type as? any CaseIterable.Type else { return nil }
    return texts(closed)
}

private protocol ArrayType {
    static var elementType: Any.Type { get }
}

extension Array: ArrayType {
    fileprivate static var elementType: Any.Type { Element.self }
}
