// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A JSON value as a tree, for apps and for configurations.
///
/// A number that is read from text keeps its digits: it is ``int(_:)`` or ``double(_:)`` if that writes the same text
/// again, and ``number(_:)`` otherwise, as for `18446744073709551615`, `1.50`, `1E2` and `-0`. The three are compared
/// by value. To read a number in any of these cases, use ``intValue`` and ``doubleValue``.
@dynamicMemberLookup
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// A number whose text neither an `Int64` nor a `Double` reproduces.
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// The members of a JSON object, in the order in which they were written.
///
/// A repeated key occurs once, with its first value, as in SQLite's `json_extract`.
public struct JSONObject: Sendable {
    /// The keys, in order.
    public private(set) var keys: [String] = []
    private var values: [String: JSONValue] = [:]

    /// Creates an object without members, `{}`.
    public init() {}

    /// Creates an object from members in order; of a repeated key the first value is used.
    public init(_ members: some Sequence<(key: String, value: JSONValue)>) {
        keys.reserveCapacity(members.underestimatedCount)
        values.reserveCapacity(members.underestimatedCount)
        for (key, value) in members where values[key] == nil { self[key] = value }
    }

    /// The value of a key.
    ///
    /// Setting nil removes the member; setting a new key appends it.
    public subscript(key: String) -> JSONValue? {
        get { values[key] }
        set {
            if let newValue {
                if values.updateValue(newValue, forKey: key) == nil { keys.append(key) }
            } else if values.removeValue(forKey: key) != nil {
                keys.removeAll { $0 == key }
            }
        }
    }

    /// The number of members.
    public var count: Int { keys.count }
    /// Whether the object is `{}`.
    public var isEmpty: Bool { keys.isEmpty }
    /// The members, in order.
    public var members: [(key: String, value: JSONValue)] { keys.map { ($0, values[$0] ?? .null) } }
}

extension JSONObject: Hashable {
    /// Compares the members; their order is ignored.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        JSONValue.object(left) == JSONValue.object(right)
    }
    /// Hashes the members; their order is ignored.
    public func hash(into hasher: inout Hasher) { JSONValue.object(self).hash(into: &hasher) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object in the order of the literal; a repeated key does not trap, its first value is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }
}

extension JSONValue: Hashable {
    /// Compares the meaning: `1` equals `1.0`, and the order of members is ignored.
    ///
    /// Strings are equal if their bytes are, so that a composed letter differs from a decomposed one; keys are compared
    /// as Swift's strings. A number is rounded to a double to be compared with one; a ``number(_:)`` is compared with
    /// another, and with an ``int(_:)``, by all its digits. NaN does not equal itself.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.int(let whole), .double(let real)), (.double(let real), .int(let whole)): Double(whole) == real
        case (.number(let left), .number(let right)): left == right
        case (.number(let written), .int(let whole)), (.int(let whole), .number(let written)):
            written == JSONNumber(whole)
        case (.number(let written), .double(let real)), (.double(let real), .number(let written)):
            written.doubleValue == real
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array, .array), (.object, .object): haveSameParts(left, right)
        default: false
        }
    }

    /// Hashes a number as the nearest double.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(Double(value))
        case .double(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .array, .object: hashParts(into: &hasher, levels: Self.hashedLevels)
        }
    }
}

extension JSONValue {
    /// Whether the value is null; a missing member is a nil `JSONValue?` instead.
    public var isNull: Bool { self == .null }
    /// The value of a boolean; nil for numbers and texts, which ``isSetFlag`` also reads.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The text of a string; nil for other values, which are not converted.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements of an array, in order; nil for other values.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object; nil for other values.
    public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The number if it is whole and fits in 64 bits.
    public var intValue: Int64? {
        switch self {
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        case .number(let value): value.int64Value
        default: nil
        }
    }
    /// The text of an ID, which servers write as strings or as whole numbers; nil for other values.
    ///
    /// A whole number beyond 64 bits has all its digits.
    public var idText: String? {
        if let text = stringValue ?? intValue.map(String.init) { return text }
        guard case .number(let number) = self, number.isPlainInteger else { return nil }
        return number.text
    }

    /// The number, rounded if a double cannot represent it; nil for values that are not numbers.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .number(let value): value.doubleValue
        default: nil
        }
    }

    /// The member of an object; nil for other values.
    ///
    /// Setting a member has no effect on other values.
    public subscript(key: String) -> JSONValue? {
        get { objectValue?[key] }
        set {
            guard case .object(var object) = self else { return }
            object[key] = newValue
            self = .object(object)
        }
    }

    /// The member of an object, as `value.address?.city`; the properties of this type take precedence over members.
    public subscript(dynamicMember key: String) -> JSONValue? { self[key] }

    /// The element of an array; nil for other values and for an index outside the array.
    public subscript(index: Int) -> JSONValue? {
        guard let array = arrayValue, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates the value null; where a `JSONValue?` is expected, `nil` means no value at all.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a boolean from `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an ``int(_:)``, never a double: the two are compared by value.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates a ``double(_:)``, also from `1.0`.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a string with this text, not the JSON in the text: see `JSONValue(parsing:)`.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array, whose elements may be of different kinds: `[1, "a", nil]`.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object, with the order and the rules of ``JSONObject/init(dictionaryLiteral:)``.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
    }
}
